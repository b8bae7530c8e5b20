"""Runs Slurm's own commands, each bounded in time, and turns what they print into rows."""

from __future__ import annotations

import os
import subprocess
import threading
from collections import Counter
from collections.abc import Mapping, Sequence

from elastic.errors import (
    CapacityUnavailable,
    Forbidden,
    ProviderError,
    ProviderUnavailable,
    QuotaReached,
)
from elastic.figures import duration
from elastic.providers.keeping import ANSWER_S

# Instants come as Unix seconds.
_TIMES = {"SLURM_TIME_FORMAT": "%s"}
# A user's own shell may set these, or a job in which the daemon runs. They leave jobs out of a
# list, make sbatch wait for a job's end, or send another array.
_NOT_HANDED_ON = (
    *("ELASTICD_", "SQUEUE_", "SINFO_", "SACCT_", "SCONTROL_"),
    *("SBATCH_WAIT", "SBATCH_ARRAY_INX", "SLURM_ARRAY_"),
)
# What sbatch says (slurm_errno.c), and which kind of refusal it is. The first one that fits counts.
_REFUSALS: Sequence[tuple[str, type[ProviderError]]] = (
    ("violates accounting/QOS policy", QuotaReached),
    ("Job submit limit", QuotaReached),
    ("Invalid account", Forbidden),
    ("Invalid qos", Forbidden),
    ("Invalid QOS", Forbidden),
    ("Access/permission denied", Forbidden),
    ("User's group not permitted", Forbidden),
    ("not permitted to use this partition", Forbidden),
    ("Requested node configuration is not available", CapacityUnavailable),
    ("partition is in a down", CapacityUnavailable),
    ("Required partition not available", CapacityUnavailable),
    ("Unable to contact slurm controller", ProviderUnavailable),
    ("Socket timed out", ProviderUnavailable),
    ("Slurm temporarily unable to accept job", ProviderUnavailable),
    ("Zero Bytes were transmitted", ProviderUnavailable),
)


class SlurmCommands:
    """Slurm as its commands show it on this machine, which must be able to submit jobs."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        """`environment`: instead of this process's own."""
        own = dict(os.environ if environment is None else environment)
        # A job must not find the daemon's own settings, and no secret in them.
        self._environment = {
            name: value for name, value in own.items() if not name.startswith(_NOT_HANDED_ON)
        }
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()

    @property
    def counts(self) -> Mapping[str, int]:
        """How often each command was run: what watching a cluster costs."""
        with self._lock:
            return dict(self._counts)

    def rows(self, *command: str, fields: int, separator: str = "|") -> list[list[str]]:
        """The lines that a command prints, each in so many fields; the last one may be anything.

        Raises ProviderUnavailable without an answer.
        """
        lines = self.run(*command).splitlines()
        split = [line.split(separator, fields - 1) for line in lines]
        return [each for each in split if len(each) == fields]

    def run(self, *command: str, stdin: str = "", env: Mapping[str, str] | None = None) -> str:
        """What a command prints. Raises ProviderError as Slurm's words say, with all of them."""
        with self._lock:
            self._counts[command[0]] += 1
        try:
            done = subprocess.run(
                command,
                input=stdin,
                env={**self._environment, **_TIMES, **(env or {})},
                capture_output=True,
                text=True,
                errors="replace",
                timeout=ANSWER_S,
                check=False,
            )
        except FileNotFoundError as error:
            raise ProviderError(
                f"{command[0]}: wanted Slurm's commands on this machine, found none; start the "
                "daemon on a login node, with them in its PATH",
                bought_nothing=True,
            ) from error
        except subprocess.TimeoutExpired as error:
            raise ProviderUnavailable(
                f"{command[0]}: wanted an answer within {duration(ANSWER_S)}, got none; look at "
                "`scontrol ping`"
            ) from error
        except OSError as error:
            # Such as a login node that lets this user start no more processes for now.
            raise ProviderUnavailable(
                f"{command[0]}: wanted to run it on this machine, got: {error.strerror}; look at "
                "the limits of processes and memory here (`ulimit -a`)"
            ) from error
        if done.returncode != 0:
            raise _refused(command[0], done.stderr or done.stdout)
        return done.stdout


def _refused(command: str, said: str) -> ProviderError:
    text = " ".join(said.split()).removeprefix(f"{command}: error: ")
    kind: type[ProviderError] = ProviderError
    if command != "sbatch":
        # A look that fails says nothing about a purchase.
        kind = ProviderUnavailable
    for words, refusal in _REFUSALS:
        if words in text:
            kind = refusal
            break
    message = f"{command}: {text or 'failed without a word'}"
    if kind is ProviderUnavailable:
        return kind(message)
    return kind(message, bought_nothing=True)
