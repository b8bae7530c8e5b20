"""Opens a session of AWS Session Manager, with the rights of the person who asks."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from elastic.aws import session_in
from elastic.errors import Forbidden, InvalidInput, ProviderError, ProviderUnavailable
from elastic.model import WayIn
from elastic.providers.ec2.faults import code_of

PLUGIN = "session-manager-plugin"
# Documents that AWS has in every account. The first runs the command on a terminal.
INTERACTIVE = "AWS-StartInteractiveCommand"
PLAIN = "AWS-StartNonInteractiveCommand"
# The last version that takes the session's token as an argument alone. Newer ones read it from a
# variable, which other users of the computer do not see (aws-cli, sessionmanager.py).
_TAKES_ARGUMENT = (1, 2, 497, 0)
_VARIABLE = "AWS_SSM_START_SESSION_RESPONSE"
_FORBIDDEN = frozenset({"AccessDeniedException", "AccessDenied", "UnauthorizedOperation"})


@dataclass(frozen=True, slots=True)
class ManagedSession:
    """A session that was opened, and the plugin's command line that carries it."""

    client: Any
    id: str
    command: tuple[str, ...]
    variables: Mapping[str, str]

    def end(self) -> None:
        """Ends the session if it is still open."""
        with suppress(ClientError, BotoCoreError):
            self.client.terminate_session(SessionId=self.id)


def open_session(way: WayIn, script: str, *, has_terminal: bool) -> ManagedSession:
    """Opens a session that runs a script on the instance, as its root.

    Raises InvalidInput without AWS's plugin, Forbidden without the right, and ProviderError where
    the instance does not take part in Session Manager.
    """
    if shutil.which(PLUGIN) is None:
        raise InvalidInput(
            f"wanted {PLUGIN} on this computer, found none: AWS's guide \"Install the Session "
            'Manager plugin for the AWS CLI" has it for every system'
        )
    asked = {
        "Target": way.target,
        "DocumentName": INTERACTIVE if has_terminal else PLAIN,
        "Parameters": {"command": [_as_root(way, script)]},
    }
    try:
        session = session_in(way.region)
        client: Any = session.client("ssm")
        found = client.start_session(**asked)
    except ClientError as error:
        raise _translated(way, error) from error
    except BotoCoreError as error:
        raise ProviderUnavailable(f"{way.target}: Session Manager: {error}") from error
    told = {name: found[name] for name in ("SessionId", "TokenValue", "StreamUrl")}
    response = json.dumps(told)
    variables = {}
    if _version() > _TAKES_ARGUMENT:
        variables[_VARIABLE] = response
        response = _VARIABLE
    command = (
        PLUGIN,
        response,
        way.region,
        "StartSession",
        session.profile_name if session.profile_name != "default" else "",
        json.dumps(asked),
        client.meta.endpoint_url,
    )
    return ManagedSession(client, found["SessionId"], command, variables)


def _as_root(way: WayIn, script: str) -> str:
    # A session begins as ssm-user, who may become root (Session Manager's user guide), while the
    # agent's files are root's own. A session that sees them already is root's.
    line = _in_quotes(script)
    return (
        f"if [ -d {way.folder} ]; then exec /bin/sh -c {line}; fi; exec sudo -nH /bin/sh -c {line}"
    )


def _in_quotes(script: str) -> str:
    return "'" + script.replace("'", "'\\''") + "'"


def _translated(way: WayIn, error: ClientError) -> ProviderError:
    code = code_of(error)
    if code == "TargetNotConnected":
        return ProviderError(
            f"{way.target}: Session Manager does not reach it. A machine is there within a minute "
            "of its boot, if its role permits it (`elasticd doctor --print-policy node`, set as "
            "ec2.instance_profile), its image has the SSM agent, and it reaches AWS by https"
        )
    if code in _FORBIDDEN:
        return Forbidden(
            f"{way.target}: your own AWS rights do not permit ssm:StartSession ({error}): "
            "`elasticd doctor --print-policy person` prints what they need"
        )
    return ProviderError(f"{way.target}: Session Manager refuses a session: {error}")


def _version() -> tuple[int, ...]:
    """The plugin's version; nothing if it does not say."""
    with suppress(OSError, ValueError, subprocess.SubprocessError):
        told = subprocess.run(
            [PLUGIN, "--version"], capture_output=True, text=True, check=True
        ).stdout
        return tuple(int(each) for each in told.strip().split("."))
    return ()
