"""Whether all ranks begin at one step: they compare where each of them does before any of them trains."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass

from elastic.worker.agreement import Store

# In lockstep all ranks come to their first step at once. A rank that makes no steps of its own must not hold up the
# others for long.
WAIT_S = 5.0
_PAUSE_S = 0.002


@dataclass(frozen=True, slots=True)
class Beginning:
    """Where a rank begins; `read_from` is the file that told, None if it has read none that the job saved."""

    iteration: int
    read_from: str | None


def why_apart(
    own: Beginning, store: Store, *, rank: int, world_size: int, meeting: str, wait_s: float = WAIT_S
) -> str | None:
    """Says why these ranks must not train together; None if they may, or if not all of them have come in time.

    A rank may read nothing and get its weights from the others. One that has not got the file that another has read
    looked for it and did not find it. Only that rank can tell, so it tells the others. `meeting` is what ranks have in
    common that compare the same thing. Raises what the store raises when it is gone.
    """
    told = _exchanged(json.dumps([own.iteration, own.read_from]), store, rank, world_size, meeting, wait_s)
    all_ranks = {each: Beginning(*json.loads(text)) for each, text in enumerate(told)}
    why = _difference(own, all_ranks)
    if len({each.read_from is None for each in all_ranks.values()}) < 2:
        return why
    return next(filter(None, _exchanged(why or "", store, rank, world_size, f"{meeting}/missed", wait_s)), why)


def _exchanged(own: str, store: Store, rank: int, world_size: int, meeting: str, wait_s: float) -> list[str]:
    """What each rank says, in their order; nothing where not all of them have come in time."""
    keys = [f"elasticd/begin/{meeting}/{each}" for each in range(world_size)]
    store.set(keys[rank], own)
    until_s = time.monotonic() + wait_s
    while not store.check(keys):
        if time.monotonic() > until_s:
            return []
        time.sleep(_PAUSE_S)
    return [store.get(key).decode() for key in keys]


def _difference(own: Beginning, all_ranks: Mapping[int, Beginning]) -> str | None:
    readers = {rank: each for rank, each in all_ranks.items() if each.read_from is not None}
    if len({each.iteration for each in readers.values()}) > 1:
        places = [f"rank {rank} at {each.iteration} ({each.read_from})" for rank, each in _telling(readers)]
        return f"ranks begin at different iterations: {' and '.join(places)}"
    missed = [(rank, each) for rank, each in readers.items() if not os.path.exists(each.read_from or "")]
    if own.read_from is None and missed:
        rank, each = missed[0]
        return (
            f"ranks begin at different iterations: rank {rank} at {each.iteration}, for it has read {each.read_from}, "
            "which another rank's node does not have: save it beside the script, or in ELASTICD_CHECKPOINT_DIR"
        )
    return None


def _telling(readers: Mapping[int, Beginning]) -> list[tuple[int, Beginning]]:
    """One rank of each place, the first places first."""
    firsts: dict[int, tuple[int, Beginning]] = {}
    for rank, each in readers.items():
        firsts.setdefault(each.iteration, (rank, each))
    return [firsts[iteration] for iteration in sorted(firsts)]
