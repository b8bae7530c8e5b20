"""The way in to EC2's machines, by what botocore sends and by AWS's own answers.

`tests/e2e/test_way_in.py` enters real machines of the lab by the same code.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from elastic.errors import Forbidden, InvalidInput, ProviderError
from elastic.model import Means, WayIn
from elastic.providers.ec2.session_manager import PLUGIN, open_session
from tests.providers import ec2_world
from tests.providers.ec2_endpoint import Endpoint

served, endpoint = ec2_world.served, ec2_world.endpoint

WAY = WayIn(Means.SESSION_MANAGER, "i-1", "~/elasticd/work", region="us-east-1")


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A plugin on the path, of a version that is too old to read a variable."""
    path = tmp_path / PLUGIN
    path.write_text("#!/bin/sh\necho 1.2.463.0\n")
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return path


@pytest.mark.usefixtures("plugin")
def test_the_plugin_gets_what_the_aws_command_line_gives_it(endpoint: Endpoint) -> None:
    opened = {"SessionId": "ada-1", "TokenValue": "secret", "StreamUrl": "wss://there"}
    endpoint.answer_json("StartSession", opened)
    session = open_session(WAY, "pwd", has_terminal=True)
    name, response, region, call, _, asked, url = session.command
    assert (name, region, call, url) == (PLUGIN, "us-east-1", "StartSession", endpoint.url)
    assert json.loads(response) == opened and session.variables == {}
    (sent,) = endpoint.sent("StartSession")
    assert json.loads(sent["json"]) == json.loads(asked)
    assert json.loads(asked)["Target"] == "i-1"
    assert json.loads(asked)["DocumentName"] == "AWS-StartInteractiveCommand"
    (command,) = json.loads(asked)["Parameters"]["command"]
    assert "sudo -nH /bin/sh -c 'pwd'" in command
    session.end()
    assert json.loads(endpoint.sent("TerminateSession")[0]["json"]) == {"SessionId": "ada-1"}


def test_a_newer_plugin_gets_the_token_by_a_variable_that_others_do_not_see(
    endpoint: Endpoint, plugin: Path
) -> None:
    plugin.write_text("#!/bin/sh\necho 1.2.764.0\n")
    opened = {"SessionId": "ada-1", "TokenValue": "secret", "StreamUrl": "wss://there"}
    endpoint.answer_json("StartSession", opened)
    session = open_session(WAY, "pwd", has_terminal=False)
    assert "secret" not in " ".join(session.command)
    assert json.loads(session.variables[session.command[1]]) == opened
    (sent,) = endpoint.sent("StartSession")
    assert json.loads(sent["json"])["DocumentName"] == "AWS-StartNonInteractiveCommand"


@pytest.mark.usefixtures("plugin")
def test_refusals_say_what_to_do(endpoint: Endpoint) -> None:
    refused = "400 Bad Request"
    endpoint.answer_json("StartSession", {"__type": "TargetNotConnected"}, status=refused)
    with pytest.raises(ProviderError, match=r"i-1: Session Manager does not reach it.*SSM agent"):
        open_session(WAY, "pwd", has_terminal=False)
    endpoint.answer_json("StartSession", {"__type": "AccessDeniedException"}, status=refused)
    with pytest.raises(Forbidden, match="--print-policy person"):
        open_session(WAY, "pwd", has_terminal=False)


def test_a_computer_without_the_plugin_is_told_so_before_a_session_is_opened(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InvalidInput, match="wanted session-manager-plugin on this computer"):
        open_session(WAY, "pwd", has_terminal=False)
    assert endpoint.sent("StartSession") == []
