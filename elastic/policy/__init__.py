"""Which group should train next: pure functions from a snapshot to a plan with its reason."""

from elastic.policy.baseline import FixedChoice, fixed_choices
from elastic.policy.best_value import best_value
from elastic.policy.decide import POLICIES, Policy, decide
from elastic.policy.fixed import fixed
from elastic.policy.guard import guard
from elastic.policy.horizon import iterations_by_phase

__all__ = [
    "POLICIES",
    "FixedChoice",
    "Policy",
    "best_value",
    "decide",
    "fixed",
    "fixed_choices",
    "guard",
    "iterations_by_phase",
]
