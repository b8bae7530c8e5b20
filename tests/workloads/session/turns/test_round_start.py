"""How a round's members find out who lacks the last step's sums, and who can hand them on."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch.distributed import HashStore  # type: ignore[attr-defined]  # torch forgets to export it

from elastic.workloads.session import SessionEnded
from elastic.workloads.session.rounds import Gloo, Plug, RoundLost
from elastic.workloads.session.turns import Buffers, Meeting, TooOld
from tests.workloads.session.meetings import met

NEWEST, SUMS = 5, 7.0
Found = list[float] | type[RoundLost | SessionEnded] | None


def _meet(steps: Sequence[int], *, holders: Sequence[int], torn: Sequence[int] = ()) -> list[Found]:
    """Has one rank for each of `steps` meet, of which `holders` computed their last step's sums
    themselves, and `torn` come with no whole state.

    Gives what each is handed, None for nothing, or what it raises.
    """
    store = HashStore()

    def rank(own: int) -> Found:
        buffers = Buffers([torch.zeros(4)], 0)
        if own in holders:
            buffers.fill([torch.full((4,), SUMS)], None, torch.zeros(2 * len(steps)))
            buffers.keep(steps[own])
        group = Gloo(store, own, len(steps), Plug("127.0.0.1"), {}, timeout_s=20.0)
        round_ = met(2, "abc"[: len(steps)], own, group=group)
        has_sums = buffers.holds(steps[own])
        try:
            meeting = Meeting(round_, group, steps[own], is_torn=own in torn, has_sums=has_sums)
            is_behind = meeting.end(buffers)
        except (RoundLost, SessionEnded) as error:
            return type(error)
        return buffers.other().tolist() if is_behind else None

    with ThreadPoolExecutor(len(steps)) as pool:
        return list(pool.map(rank, range(len(steps))))


def test_a_newcomer_that_is_first_does_not_hand_on_what_it_never_had() -> None:
    assert _meet([NEWEST, NEWEST, NEWEST - 1], holders=[1, 2]) == [None, None, [SUMS] * 4]


def test_who_lacks_a_step_starts_over_where_nobody_is_left_who_summed_it() -> None:
    assert _meet([NEWEST, NEWEST - 1], holders=[1]) == [RoundLost, TooOld]


def test_nobody_who_lacks_nothing_needs_anybody_s_sums() -> None:
    assert _meet([NEWEST, NEWEST], holders=[]) == [None, None]


@pytest.mark.parametrize("step", [0, NEWEST])
def test_members_none_of_whom_has_whole_state_end(step: int) -> None:
    assert _meet([step, step], holders=[0], torn=[0, 1]) == [SessionEnded] * 2


@pytest.mark.parametrize("step", [0, 1, NEWEST])
def test_who_comes_with_torn_state_starts_over_also_where_nobody_has_made_a_step(step: int) -> None:
    assert _meet([step, step], holders=[0], torn=[1]) == [RoundLost, TooOld]


def test_who_is_handed_the_last_step_applies_it_as_the_others_did() -> None:
    store = HashStore()

    def rank(own: int) -> bool:
        buffers = Buffers([torch.zeros(4)], 0)
        if own == 0:
            buffers.fill([torch.full((4,), SUMS)], None, torch.zeros(4))
            buffers.keep(NEWEST, is_exact=True)
        group = Gloo(store, own, 2, Plug("127.0.0.1"), {}, timeout_s=20.0)
        step = NEWEST - own
        round_, has_sums = met(2, "ab", own, group=group), buffers.holds(step)
        meeting = Meeting(
            round_, group, step, is_torn=False, has_sums=has_sums, is_exact=buffers.is_exact
        )
        return meeting.end(buffers) and meeting.is_exact

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(rank, range(2))) == [False, True]
