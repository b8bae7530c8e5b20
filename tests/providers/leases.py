"""What every register of leader leases must do: each implementation's tests inherit this suite."""

from __future__ import annotations

from dataclasses import replace

import pytest

from elastic.providers import LeaderLease, LeaseRegister

MINE = LeaderLease("mine", "run-1", "here", epoch=1, since_s=1000.5, seen_at_s=0.0)
OTHERS = replace(MINE, holder="others", run="run-2", epoch=2)


class LeaseContract:
    """Inherit it, and give a fixture `register` that nobody has written to."""

    def test_nobody_has_what_nobody_took(self, register: LeaseRegister) -> None:
        assert register.read() == (0, None)

    def test_a_lease_is_read_as_it_was_written(self, register: LeaseRegister) -> None:
        assert register.write(MINE, after=0)
        version, lease = register.read()
        assert lease is not None
        assert (version, replace(lease, seen_at_s=0.0)) == (1, MINE)
        assert lease.seen_at_s > 0.0

    def test_of_two_that_saw_the_same_the_first_to_write_has_it(
        self, register: LeaseRegister
    ) -> None:
        assert register.write(MINE, after=0)
        assert not register.write(OTHERS, after=0)
        version, lease = register.read()
        assert (version, lease and lease.holder) == (2, "mine")

    def test_a_write_after_one_that_lost_counts_again(self, register: LeaseRegister) -> None:
        register.write(MINE, after=0)
        register.write(OTHERS, after=0)
        assert register.write(replace(OTHERS, is_over=True), after=2)
        version, lease = register.read()
        assert version == 3
        assert lease is not None
        assert (lease.holder, lease.is_over) == ("others", True)

    @pytest.mark.parametrize("losers", [1, 5])
    def test_any_number_of_losers_changes_nothing(
        self, register: LeaseRegister, losers: int
    ) -> None:
        register.write(MINE, after=0)
        assert [register.write(OTHERS, after=0) for _ in range(losers)] == [False] * losers
        version, lease = register.read()
        assert (version, lease and lease.run) == (1 + losers, "run-1")
