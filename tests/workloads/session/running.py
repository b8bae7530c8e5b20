"""A session of real processes for tests: a store, members, and what their logs say."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from elastic.clock import SystemClock
from tests.certificates import certificate
from tests.workloads.session.hosts import Host
from tests.workloads.session.member import BATCH, ITEMS, Task

TIMEOUT_S = 60.0


class Process(Protocol):
    """What is asked of a member's process, as `subprocess.Popen` has it."""

    @property
    def pid(self) -> int: ...
    @property
    def returncode(self) -> int | Any: ...
    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def kill(self) -> None: ...
    def send_signal(self, sig: int) -> None: ...


JOB = "job-1"
Launch = Callable[[Sequence[str], Mapping[str, str], Path], Process]


def program(command: Sequence[str], environment: Mapping[str, str], errors: Path) -> Process:
    """Starts a member as a program of its own."""
    with errors.open("wb") as output:
        return subprocess.Popen(command, env=environment, stderr=output)


@dataclass(slots=True)
class Member:
    """One process and its log, of which each line is read once."""

    process: Process
    log: Path
    _events: list[dict[str, Any]] = field(default_factory=list)
    _steps: list[dict[str, Any]] = field(default_factory=list)
    _read_bytes: int = 0

    def events(self) -> list[dict[str, Any]]:
        self._read()
        return self._events

    def steps(self) -> list[dict[str, Any]]:
        self._read()
        return self._steps

    @property
    def last(self) -> dict[str, Any]:
        return (self.steps() or [{"step": 0, "world_size": 0, "generation": 0, "rank": None}])[-1]

    def _read(self) -> None:
        if not self.log.exists():
            return
        with self.log.open("rb") as log:
            log.seek(self._read_bytes)
            whole = log.read().rpartition(b"\n")[0]
        if whole:
            self._read_bytes += len(whole) + 1
            new = [json.loads(line) for line in whole.split(b"\n")]
            self._events += new
            self._steps += [event for event in new if event["event"] == "step"]

    def has(self, event: str) -> bool:
        return any(each["event"] == event for each in self.events())

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        self.process.send_signal(number)

    def hang(self, *, is_hanging: bool = True) -> None:
        """Has its training thread stand still in its turns, or go on; its process answers all the
        same."""
        if is_hanging:
            self.log.with_suffix(".hang").touch()
        else:
            self.log.with_suffix(".hang").unlink()

    def weights(self) -> list[Tensor]:
        result: list[Tensor] = torch.load(self.log.with_suffix(".pt"))
        return result


@dataclass(slots=True)
class Fleet:
    """A store on `host`, which may be killed and started again, and all members there ever were.

    Members take turns in pretending to run on processors of these `capabilities`.
    """

    folder: Path
    environment: dict[str, str]
    options: Sequence[str] = ()
    members: list[Member] = field(default_factory=list)
    store: subprocess.Popen[bytes] | None = None
    host: Host | None = None
    launch: Launch = program
    capabilities: Sequence[str] = ()
    digests: dict[int, set[str]] = field(default_factory=dict)
    _compared: dict[Path, int] = field(default_factory=dict)

    def start_store(self, *known: str) -> None:
        """Starts one that knows this from the start, as in "held=1"."""
        ready = self.folder / "store"
        ready.unlink(missing_ok=True)
        command = [sys.executable, "-m", "elastic.rendezvous", "--ready-file", str(ready)]
        command += ["--certificate", certificate()]
        command += [f"--tell={JOB}/{each}" for each in known]
        if self.host is not None:
            command = self.host.command(*command, "--host", self.host.address)
        self.store = subprocess.Popen(command)
        wait_until(ready.exists, "the store")

    def kill_store(self) -> None:
        assert self.store is not None
        self.store.kill()
        self.store.wait()

    def start(self, count: int = 1, *, host: Host | None = None) -> list[Member]:
        """Starts members; they need seconds to be warm."""
        started = []
        for _ in range(count):
            log = self.folder / f"member-{len(self.members)}.jsonl"
            command = [
                sys.executable,
                "-m",
                "tests.workloads.session.member",
                str(log),
                str(self.folder / "goal"),
                *self.options,
            ]
            environment = dict(self.environment)
            if self.capabilities:
                capability = self.capabilities[len(self.members) % len(self.capabilities)]
                # torch's own kernels, and oneDNN's, which multiplies its matrices.
                widest = {"avx2": "AVX2", "default": "SSE41"}[capability]
                environment |= {"ATEN_CPU_CAPABILITY": capability, "ONEDNN_MAX_CPU_ISA": widest}
            if host is not None:
                command, environment = (
                    host.command(*command),
                    {**environment, "ELASTICD_SESSION_HOST": host.address},
                )
            member = Member(self.launch(command, environment, log.with_suffix(".err")), log)
            self.members.append(member)
            started.append(member)
        return started

    def await_world(self, members: Sequence[Member], *, further: int = 3) -> None:
        """Waits until exactly these train together, and have gone some steps."""

        def is_so() -> bool:
            last = [member.last for member in members]
            return len({(each["generation"], each["world_size"]) for each in last}) == 1 and last[
                0
            ]["world_size"] == len(members)

        wait_until(is_so, f"a world of {len(members)}", tell=self.tell)
        self.await_step(members, max(member.last["step"] for member in members) + further)

    def await_step(self, members: Sequence[Member], step: int) -> None:
        """Waits until each of these has committed as many steps."""
        wait_until(
            lambda: all(m.last["step"] >= step for m in members), f"step {step}", tell=self.tell
        )

    def await_event(self, member: Member, event: str) -> None:
        """Waits until this member's log tells of it."""
        wait_until(lambda: member.has(event), event, tell=self.tell)

    def await_end(self, members: Sequence[Member], *, ahead: int = 60) -> int:
        """Lets members go some further steps, waits until each has ended with status 0, and gives
        the last step."""
        goal: int = max(member.last["step"] for member in self.members) + ahead
        partial = self.folder / "goal.partial"
        partial.write_text(str(goal))
        partial.rename(self.folder / "goal")
        wait_until(
            lambda: all(m.process.poll() is not None for m in members), "the end", tell=self.tell
        )
        assert [member.process.returncode for member in members] == [0] * len(members), self.tell()
        return goal

    def assert_identical(self) -> None:
        """Compares the state's digests over all members, at every step that any of them
        committed."""
        torn = []
        for member in self.members:
            steps = member.steps()
            for event in steps[self._compared.get(member.log, 0) :]:
                found = self.digests.setdefault(event["step"], set())
                found.add(event["digest"])
                if len(found) > 1:
                    torn.append(event["step"])
            self._compared[member.log] = len(steps)
        assert not torn, f"{len(torn)} of {len(self.digests)} steps differ, first {min(torn)}"

    def assert_nothing_lost(self, members: Sequence[Member]) -> None:
        """Every member's steps must follow one another: none twice, none left out."""
        for member in members:
            steps = [event["step"] for event in member.steps()]
            assert steps == list(range(steps[0], steps[0] + len(steps))), member.log

    def tell(self) -> str:
        lines = []
        for index, member in enumerate(self.members):
            ends = [
                {k: v for k, v in event.items() if k != "digest"} for event in member.events()[-3:]
            ]
            lines.append(
                f"{index} ({member.process.poll()}): {ends} "
                f"{member.log.with_suffix('.err').read_text()[-1500:]}"
            )
        return "\n".join(lines)


@contextmanager
def running_fleet(
    folder: Path,
    *options: str,
    silence_s: float = 1.25,
    hang_s: float = 600.0,
    host: Host | None = None,
    launch: Launch = program,
    capabilities: Sequence[str] = (),
) -> Iterator[Fleet]:
    """Gives a store without members, and leaves nothing running."""
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "ELASTICD_SESSION_STORE": str(folder / "store"),
        "ELASTICD_SESSION_SILENCE_S": str(silence_s),
        "ELASTICD_SESSION_HANG_S": str(hang_s),
        "ELASTICD_CERTIFICATE": certificate(),
        "ELASTICD_JOB_ID": JOB,
    }
    fleet = Fleet(folder, environment, options, host=host, launch=launch, capabilities=capabilities)
    fleet.start_store()
    try:
        yield fleet
    finally:
        processes: list[Process] = [member.process for member in fleet.members]
        for process in [*processes, *([fleet.store] if fleet.store else [])]:
            process.kill()
            process.wait()


def undisturbed(steps: int, *, dtype: torch.dtype = torch.float64, width: int = 16) -> list[Tensor]:
    """Gives the weights that one process comes to, without any session."""
    task = Task(dtype=dtype, width=width)
    for step in range(steps):
        places = [place % ITEMS for place in range(step * BATCH, (step + 1) * BATCH)]
        loss = (
            nn.functional.cross_entropy(task.model(task.x[places]), task.y[places], reduction="sum")
            / BATCH
        )
        task.apply(torch.autograd.grad(loss, task.parameters), step)
    return [parameter.detach() for parameter in task.parameters]


def assert_near(found: Sequence[Tensor], wanted: Sequence[Tensor], *, tolerance: float) -> float:
    """Compares by the largest difference, relative to the largest weight; gives it."""
    scale = max(float(each.abs().max()) for each in wanted)
    worst = max(float((a - b).abs().max()) for a, b in zip(found, wanted, strict=True)) / scale
    assert worst <= tolerance, f"off by {worst:.1e}, wanted at most {tolerance:.0e}"
    return worst


def wait_until(
    is_so: Callable[[], bool],
    what: str,
    *,
    timeout_s: float = TIMEOUT_S,
    tell: Callable[[], str] | None = None,
) -> None:
    deadline_s = monotonic() + timeout_s
    while not is_so():
        assert monotonic() < deadline_s, (
            f"waited {timeout_s:.0f} s for {what}: {tell() if tell else ''}"
        )
        SystemClock().sleep(0.05)
