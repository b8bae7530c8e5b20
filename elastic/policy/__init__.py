"""Which group should train next: pure functions from a snapshot to a plan with its reason."""

from elastic.policy.baseline import FixedChoice, fixed_choices
from elastic.policy.best_value import best_value
from elastic.policy.decide import POLICIES, Policy, decide
from elastic.policy.fixed import fixed
from elastic.policy.guard import guard
from elastic.policy.horizon import iterations_by_phase
from elastic.policy.precision import choose_precision
from elastic.policy.quotes import burn_usd_per_h, dearest_quotes, known_burn_usd_per_h

__all__ = [
    "POLICIES",
    "FixedChoice",
    "Policy",
    "best_value",
    "burn_usd_per_h",
    "choose_precision",
    "dearest_quotes",
    "decide",
    "fixed",
    "fixed_choices",
    "guard",
    "iterations_by_phase",
    "known_burn_usd_per_h",
]
