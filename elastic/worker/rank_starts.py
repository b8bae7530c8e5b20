"""Ranks compare where each of them begins, before any of them trains."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass

from elastic.durations import ANSWER_TIMEOUT_S, SPIN_S
from elastic.worker.agreement import KeyValueStore
from elastic.worker.replicas import Replica


@dataclass(frozen=True, slots=True)
class RankStart:
    """Where a rank begins; `read_from` is the file that says so, None if it read none."""

    iteration: int
    read_from: str | None


@dataclass(frozen=True, slots=True)
class RankComparison:
    """What the ranks found. `why_apart` says why they must not train together, or is None."""

    why_apart: str | None = None
    # Where the ranks that read a file begin. None if none has, or if not all came in time.
    iteration: int | None = None


def compare(
    own: RankStart,
    store: KeyValueStore,
    *,
    rank: int,
    world_size: int,
    meeting: str,
    replica: Callable[[], Replica] = Replica,
    has: Callable[[str], bool] = os.path.exists,
    # A rank that makes no steps of its own must not hold up the others for long.
    wait_s: float = ANSWER_TIMEOUT_S,
) -> RankComparison:
    """Compares where all ranks begin.

    A rank may read no file and get its weights from the others. A rank that lacks the file which
    another rank read has looked for it without success. Only that rank can know, so it tells the
    others: `has` says whether this node has a file. If only some ranks read a file, all also
    compare what they hold; `replica` is called only then. `meeting` names the comparison that these
    ranks make together. Raises what the store raises when it is gone.
    """
    told = _exchanged(
        json.dumps([own.iteration, own.read_from]), store, rank, world_size, meeting, wait_s
    )
    all_ranks = {each: RankStart(*json.loads(text)) for each, text in enumerate(told)}
    readers = {
        each: beginning for each, beginning in all_ranks.items() if beginning.read_from is not None
    }
    why = _difference(readers)
    if why is not None or len(readers) in (0, len(all_ranks)):
        return RankComparison(why, next((each.iteration for each in readers.values()), None))
    # Some read a file and some did not: only now compare what they hold, which costs time.
    missed = _missed(own, readers, has) or ""
    found = json.dumps([missed, *astuple(replica())])
    answers = [
        json.loads(text)
        for text in _exchanged(found, store, rank, world_size, f"{meeting}/held", wait_s)
    ]
    why = next((each[0] for each in answers if each[0]), None)
    replicas = {each: Replica(*answer[1:]) for each, answer in enumerate(answers)}
    why = why or missed or _unlike(readers, replicas)
    return RankComparison(why, next(each.iteration for each in readers.values()))


def _exchanged(
    own: str, store: KeyValueStore, rank: int, world_size: int, meeting: str, wait_s: float
) -> list[str]:
    """What each rank sent, in order of rank; empty if not all came in time."""
    keys = [f"elasticd/begin/{meeting}/{each}" for each in range(world_size)]
    store.set(keys[rank], own)
    until_s = time.monotonic() + wait_s
    while not store.check(keys):
        if time.monotonic() > until_s:
            return []
        time.sleep(SPIN_S)
    return [store.get(key).decode() for key in keys]


def _difference(readers: Mapping[int, RankStart]) -> str | None:
    if len({each.iteration for each in readers.values()}) < 2:
        return None
    places = [
        f"rank {rank} at {each.iteration} ({each.read_from})" for rank, each in _telling(readers)
    ]
    return f"ranks begin at different iterations: {' and '.join(places)}"


def _missed(
    own: RankStart, readers: Mapping[int, RankStart], has: Callable[[str], bool]
) -> str | None:
    """Which file another rank read that this rank's node lacks; None if this rank read one."""
    missed = [(rank, each) for rank, each in readers.items() if not has(each.read_from or "")]
    if own.read_from is not None or not missed:
        return None
    rank, each = missed[0]
    return (
        f"ranks begin at different iterations: rank {rank} at {each.iteration}, because it read "
        f"{each.read_from}. Another rank's node does not have that file: save it beside the "
        "script, or in ELASTICD_CHECKPOINT_DIR"
    )


def _unlike(readers: Mapping[int, RankStart], replicas: Mapping[int, Replica]) -> str | None:
    """How a rank that read no file differs from one that did; None if nothing is certain."""
    reader, beginning = next(iter(readers.items()))
    for rank, replica in replicas.items():
        if rank in readers:
            continue
        reads = replicas[reader]
        if _differ(replica.optimizer, reads.optimizer):
            differs = (
                f"its optimizer has {replica.optimizer}, and rank {reader}'s has {reads.optimizer}"
            )
        elif _differ(replica.weights, reads.weights):
            differs = f"its weights differ from rank {reader}'s"
        else:
            continue
        return (
            f"ranks begin at different iterations: rank {reader} at {beginning.iteration}, because "
            f"it read {beginning.read_from}. Rank {rank} read no file that the job saved, and "
            f"{differs}. Let rank 0 save, and every rank load that one file: what other ranks save "
            "stays on their nodes"
        )
    return None


def _differ(own: str | None, other: str | None) -> bool:
    return own is not None and other is not None and own != other


def _telling(readers: Mapping[int, RankStart]) -> list[tuple[int, RankStart]]:
    """One rank of each place, the first places first."""
    firsts: dict[int, tuple[int, RankStart]] = {}
    for rank, each in readers.items():
        firsts.setdefault(each.iteration, (rank, each))
    return [firsts[iteration] for iteration in sorted(firsts)]
