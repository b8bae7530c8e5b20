"""How a generation's members find out who lacks the last step's sums, and who can hand them on."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import torch
from torch.distributed import HashStore  # type: ignore[attr-defined]  # torch forgets to export it

from elastic.workloads.session.buffers import Buffers
from elastic.workloads.session.generation import Generation
from elastic.workloads.session.gloo import GenerationLost, Gloo, Plug
from elastic.workloads.session.meeting import Meeting, TooOld

NEWEST, SUMS = 5, 7.0
Found = list[float] | type[GenerationLost] | None


def _meet(steps: Sequence[int], *, holders: Sequence[int]) -> list[Found]:
    """Has one rank for each of `steps` meet, of which `holders` computed their last step's sums themselves.

    Gives what each is handed, None for nothing, or what it raises.
    """
    store = HashStore()

    def rank(own: int) -> Found:
        buffers = Buffers([torch.zeros(4)], 0)
        if own in holders:
            buffers.fill([torch.full((4,), SUMS)], None, [0.0] * 2 * len(steps))
            buffers.keep(steps[own])
        group = Gloo(store, own, len(steps), Plug("127.0.0.1"), {}, timeout_s=20.0)
        generation = Generation(2, tuple("abc"[: len(steps)]), own, group)
        has_sums = buffers.holds(steps[own])
        try:
            is_behind = Meeting(generation, group, steps[own], is_torn=False, has_sums=has_sums).end(buffers)
        except GenerationLost as error:
            return type(error)
        return buffers.other().tolist() if is_behind else None

    with ThreadPoolExecutor(len(steps)) as pool:
        return list(pool.map(rank, range(len(steps))))


def test_a_newcomer_that_is_first_does_not_hand_on_what_it_never_had() -> None:
    assert _meet([NEWEST, NEWEST, NEWEST - 1], holders=[1, 2]) == [None, None, [SUMS] * 4]


def test_who_lacks_a_step_starts_over_where_nobody_is_left_who_summed_it() -> None:
    assert _meet([NEWEST, NEWEST - 1], holders=[1]) == [GenerationLost, TooOld]


def test_nobody_who_lacks_nothing_needs_anybody_s_sums() -> None:
    assert _meet([NEWEST, NEWEST], holders=[]) == [None, None]
