"""How far a reader has to go to follow one tick: files, functions, and moves from file to file.

Run: python -m benchmarks.hops [--ways] The tick is a real one, of one job with one node that trains
and keeps its group: the real reconciler, policy and store (SQLite on disk), a fake provider. A move
is a call into another file of `elastic/` or `api/` than the call before it. A return of
`next_steps` is a move, within it, into a file where it has been before. Comprehensions and lambdas
belong to the function in which they stand.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType

from benchmarks.standins import AlwaysThere
from elastic.clock import ManualClock
from elastic.model import (
    AgentState,
    JobSpec,
    Limits,
    NodePhase,
    NodeReport,
    NodeType,
    Offering,
    Pulse,
    Window,
)
from elastic.policy import decide
from elastic.pricing import static_prices
from elastic.providers import FakeCloud, FakeProvider
from elastic.reconciler import (
    LaunchTerms,
    LeaseHolder,
    Machines,
    Reconciler,
    TerminationPermission,
    Timeouts,
)
from elastic.store import HeartbeatReport, Store, open_store

ROOT = Path(__file__).resolve().parents[1]
ROOMS = (f"{ROOT}/elastic/", f"{ROOT}/api/")
TYPE = NodeType("small", 1.0, 1.0)
OFFERING = Offering("small")
START_S = 1_700_000_000.0
LEASE_S = 600.0
TICK_S = 5
STEADY_S = 900
"""Until a job that is measured, once a second, has left its start behind: its rate is known, and
its last change is longer ago than a cooldown."""


@dataclass(slots=True)
class Way:
    """Where a traced call went, in order."""

    files: list[str] = field(default_factory=list)
    """One entry a move: the file of a call, where the call before it was in another one."""
    functions: set[CodeType] = field(default_factory=set)
    inner: list[list[str]] = field(default_factory=list)
    """The same as `files`, for each run of `next_steps`."""

    @property
    def moves(self) -> int:
        return len(self.files) - 1

    @property
    def returns(self) -> int:
        """The most moves that one run of `next_steps` makes into a file where it was before."""
        return max((len(files) - len(set(files)) for files in self.inner), default=0)

    @property
    def edges(self) -> Counter[tuple[str, str]]:
        """How often each file leads to each other."""
        return Counter(zip(self.files, self.files[1:], strict=False))


def traced(call: Callable[[], object]) -> Way:
    """Follows a call through the product's files."""
    way = Way()
    depth = 0

    def follow(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal depth
        code = frame.f_code
        is_ours = code.co_filename.startswith(ROOMS) and not code.co_name.startswith("<")
        if event not in ("call", "return") or not is_ours:
            return
        if code.co_name == "next_steps":
            depth += 1 if event == "call" else -1
            if event == "call":
                way.inner.append([])
        if event == "return":
            return
        name = code.co_filename.removeprefix(f"{ROOT}/")
        way.functions.add(code)
        for files in (way.files, *way.inner[-1:] * bool(depth)):
            if not files or files[-1] != name:
                files.append(name)

    sys.setprofile(follow)
    try:
        call()
    finally:
        sys.setprofile(None)
    return way


@dataclass(slots=True)
class TrainingJob:
    """A job whose one node trains, a step a second, under a reconciler that looks every 5 s."""

    store: Store
    clock: ManualClock
    reconciler: Reconciler
    seq: int = 0

    def tick(self) -> None:
        self.reconciler.tick(now_s=self.clock.now_s())

    def live(self, seconds: int) -> None:
        """Lets the daemon and the node's agent go on for so long."""
        for second in range(seconds):
            if second % TICK_S == 0:
                self.tick()
            self.clock.advance(1.0)
            self._heartbeat()

    def _heartbeat(self) -> None:
        now_s = self.clock.now_s()
        for node in self.store.nodes.listed():
            if node.phase is NodePhase.BOOTING:
                self.store.nodes.joined(node.id, now_s=now_s)
                continue
            generation = self.store.generations.latest(node.job_id)
            if generation is None:
                self.store.heartbeats.take_in(
                    node.id, HeartbeatReport(NodeReport(AgentState.IDLE)), now_s=now_s
                )
                continue
            self.seq += 1
            window = Window(
                node_id=node.id,
                seq=self.seq,
                generation=generation.number,
                world_size=1,
                phase="main",
                iteration=self.seq,
                iterations=1,
                elapsed_s=1.0,
                is_cold=False,
                ended_at_s=now_s,
            )
            report = NodeReport(AgentState.RUNNING, generation.number, pulse=Pulse(0.0, 1.0, 1.0))
            self.store.heartbeats.take_in(
                node.id,
                HeartbeatReport(report, windows=[window], acked_seq=self.seq),
                now_s=now_s,
            )


def training_job(folder: Path) -> TrainingJob:
    """A job of one node that is about to start."""
    clock = ManualClock(START_S)
    provider = FakeProvider(FakeCloud([TYPE], clock=clock, offerings=[OFFERING]))
    store = open_store(f"sqlite:///{folder / 'elasticd.db'}")
    spec = JobSpec("job", ("train.py",), nodes_max=1, iterations=1_000_000)
    store.jobs.submit(spec, key=None, request_hash="h", now_s=START_S)
    reconciler = Reconciler(
        store=store,
        provider=provider,
        prices=static_prices({OFFERING: 0.36}, valid_from_s=START_S),
        machines=Machines(
            store=store,
            provider=provider,
            terms=LaunchTerms("http://127.0.0.1:1", str),
            right=TerminationPermission(provider.prove_end, LEASE_S, clock.now_s),
            leader_lease=LeaseHolder(
                "hops", store.holder(), "here", clock, provider.lease_register
            ),
        ),
        rendezvous=AlwaysThere(),
        decide=decide,
        limits=Limits(reaction_s=5.0),
        timeouts=Timeouts(
            register_s=600.0,
            lease_s=LEASE_S,
            reaction_s=5.0,
            standstill_s=60.0,
        ),
        max_failures=3,
    )
    return TrainingJob(store, clock, reconciler)


def steady_tick(folder: Path) -> Way:
    """The way of one tick of a job that is long under way."""
    job = training_job(folder)
    job.live(STEADY_S)
    decision = job.store.decisions.listed(limit=1)[0]
    assert decision.ticks > 1, f"not steady: {decision.plan.reason.text}"
    way = traced(job.tick)
    job.store.close()
    return way


def main() -> None:
    """Prints the table, and with --ways which file leads to which how often."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ways", action="store_true", help="print the moves by their two files")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        way = steady_tick(Path(folder))
    print("a steady tick of one job with one node")
    rows = {
        "files": len(set(way.files)),
        "functions": len(way.functions),
        "moves between files": way.moves,
        "runs of next_steps": len(way.inner),
        "returns of next_steps": way.returns,
    }
    for name, count in rows.items():
        print(f"{name:22} {count:4}")
    if arguments.ways:
        for (before, after), count in way.edges.most_common():
            print(f"{count:4}  {before} -> {after}")


if __name__ == "__main__":
    main()
