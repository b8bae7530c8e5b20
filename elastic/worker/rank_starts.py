"""Whether all ranks begin at one step: they compare where each of them does before any of them
trains."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass

from elastic.worker.agreement import KeyValueStore
from elastic.worker.replicas import Replica

# In lockstep all ranks come to their first step at once. A rank that makes no steps of its own must
# not hold up the others for long.
WAIT_S = 5.0
_PAUSE_S = 0.002


@dataclass(frozen=True, slots=True)
class RankStart:
    """Where a rank begins; `read_from` is the file that told, None if it has read none that the job
    saved."""

    iteration: int
    read_from: str | None


@dataclass(frozen=True, slots=True)
class RankComparison:
    """What the ranks found. `why_apart` says why they must not train together, None if they may.

    `iteration` is where those begin that have read a file; None if none has, or if not all have
    come in time.
    """

    why_apart: str | None = None
    iteration: int | None = None


def compare(
    own: RankStart,
    store: KeyValueStore,
    *,
    rank: int,
    world_size: int,
    meeting: str,
    replica: Callable[[], Replica] = Replica,
    wait_s: float = WAIT_S,
) -> RankComparison:
    """Compares where all ranks begin.

    A rank may read nothing and get its weights from the others. One that has not got the file that
    another has read looked for it and did not find it. Only that rank can tell, so it tells the
    others. Where some have read a file and some have not, all also compare what they hold;
    `replica` is asked for it only then. `meeting` is what ranks have in common that compare the
    same thing. Raises what the store raises when it is gone.
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
    missed = _missed(own, readers) or ""
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
    """What each rank says, in their order; nothing where not all of them have come in time."""
    keys = [f"elasticd/begin/{meeting}/{each}" for each in range(world_size)]
    store.set(keys[rank], own)
    until_s = time.monotonic() + wait_s
    while not store.check(keys):
        if time.monotonic() > until_s:
            return []
        time.sleep(_PAUSE_S)
    return [store.get(key).decode() for key in keys]


def _difference(readers: Mapping[int, RankStart]) -> str | None:
    if len({each.iteration for each in readers.values()}) < 2:
        return None
    places = [
        f"rank {rank} at {each.iteration} ({each.read_from})" for rank, each in _telling(readers)
    ]
    return f"ranks begin at different iterations: {' and '.join(places)}"


def _missed(own: RankStart, readers: Mapping[int, RankStart]) -> str | None:
    """Which file another rank has read that this rank's node lacks; None if this rank has read one
    itself."""
    missed = [
        (rank, each) for rank, each in readers.items() if not os.path.exists(each.read_from or "")
    ]
    if own.read_from is not None or not missed:
        return None
    rank, each = missed[0]
    return (
        f"ranks begin at different iterations: rank {rank} at {each.iteration}, for it has read "
        f"{each.read_from}, "
        "which another rank's node does not have: save it beside the script, or in "
        "ELASTICD_CHECKPOINT_DIR"
    )


def _unlike(readers: Mapping[int, RankStart], replicas: Mapping[int, Replica]) -> str | None:
    """How a rank that has read nothing differs from one that has; None where no difference is
    certain."""
    reader, beginning = next(iter(readers.items()))
    for rank, replica in replicas.items():
        if rank in readers:
            continue
        reads = replicas[reader]
        if _differ(replica.optimizer, reads.optimizer):
            differs = f"its optimizer has {replica.optimizer} and rank {reader}'s {reads.optimizer}"
        elif _differ(replica.weights, reads.weights):
            differs = f"its weights differ from rank {reader}'s"
        else:
            continue
        return (
            f"ranks begin at different iterations: rank {reader} at {beginning.iteration}, for it "
            "has read "
            f"{beginning.read_from}; rank {rank} has read no file that the job saved, and "
            f"{differs}. Let rank 0 save, "
            "and every rank load that one file: what other ranks save stays on their nodes"
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
