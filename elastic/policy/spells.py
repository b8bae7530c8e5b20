"""What a job was decided to run on, change after change, and how long each of them trained."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from elastic.durations import WINDOW_S
from elastic.model import Change, Group, Snapshot
from elastic.policy.evaluation import Evaluations
from elastic.policy.switch_cost import transition_of

# A trial that was left for one of these trained until then. One that was left for another reason
# may have lost its nodes before.
_DELIBERATE = ("trial", "trial_over")


@dataclass(frozen=True, slots=True)
class Spell:
    """A change to a group, until the next change or until now."""

    change: Change
    group: Group
    ends_s: float
    # The code of the change that ended it; "" if none did.
    next_code: str

    def least_step_s(self, snapshot: Snapshot) -> float:
        """Seconds that an iteration takes at least, if this trial closed no window; 0 if not
        known."""
        if self.next_code not in ("", *_DELIBERATE) or (
            not self.next_code and snapshot.current != self.group
        ):
            return 0.0
        ended_s = [
            each.ended_at_s
            for each in snapshot.switches
            if each.to_group == self.group and self.change.at_s <= each.ended_at_s <= self.ends_s
        ]
        began_s = max(ended_s, default=None)
        if began_s is None:
            # No iteration has ended. A node that is new to the job may stand still for longer than
            # the latest changes did.
            way = transition_of(snapshot, None, self.group)
            start_s = self.change.at_s + way.boot_s
            if not self.next_code and snapshot.current_since_s is not None:
                # The old group may have trained on for long: it stops after a step.
                start_s = max(start_s, snapshot.current_since_s)
            began_s = start_s + max(way.pause_s, snapshot.limits.switch_pause_prior_s)
        # Two iterations would have been reported if they had ended: a cold one, and the first that
        # is timed. The report takes its own time, and so does the window that holds the second.
        limits = snapshot.limits
        reported_s = WINDOW_S + (limits.tick_s if limits.reaction_s is None else limits.reaction_s)
        return max(self.ends_s - began_s - reported_s, 0.0) / 2


def spells(snapshot: Snapshot) -> Iterator[Spell]:
    """The changes to a group, oldest first."""
    changes = sorted(snapshot.changes, key=lambda change: change.at_s)
    for change, following in zip_longest(changes, changes[1:]):
        if change.to_group is not None:
            ends_s, code = (
                (snapshot.now_s, "") if following is None else (following.at_s, following.code)
            )
            yield Spell(change, change.to_group, ends_s, code)


def begun_s(evaluations: Evaluations) -> float:
    """When the deciding training phase had begun for certain: at the last window of another
    phase."""
    return max(
        (
            series.samples[-1].ended_at_s
            for series in evaluations.snapshot.series
            if series.samples and series.training_phase != evaluations.focus.training_phase
        ),
        default=-math.inf,
    )
