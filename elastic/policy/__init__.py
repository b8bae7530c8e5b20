"""Which group should train next: pure functions from a snapshot to a plan with its reason."""

from elastic.policy.baseline import FixedChoice, as_it_was, fixed_choices
from elastic.policy.best_value import best_value
from elastic.policy.budget import wind_down_s
from elastic.policy.decide import POLICIES, VERSIONS, decide
from elastic.policy.evaluation import bought_iterations
from elastic.policy.fixed import fixed
from elastic.policy.forecast import Finish, Forecast, Miss, forecast, misses
from elastic.policy.guard import contradictions, guard
from elastic.policy.holding import NOT_YET
from elastic.policy.horizon import iterations_by_phase, other_phases
from elastic.policy.precision import choose_precision
from elastic.policy.purse import PURSE, claim_of, divide, rate_usd_per_h
from elastic.policy.quotes import burn_usd_per_h, dearest_quotes, known_burn_usd_per_h
from elastic.policy.safety_net import can_be_met
from elastic.policy.shortlist import shortlist
from elastic.policy.uses import Use, uses
from elastic.policy.what_if import Lever, Threshold, WinsIf, what_if

__all__ = [
    "NOT_YET",
    "POLICIES",
    "PURSE",
    "VERSIONS",
    "Finish",
    "FixedChoice",
    "Forecast",
    "Lever",
    "Miss",
    "Threshold",
    "Use",
    "WinsIf",
    "as_it_was",
    "best_value",
    "bought_iterations",
    "burn_usd_per_h",
    "can_be_met",
    "choose_precision",
    "claim_of",
    "contradictions",
    "dearest_quotes",
    "decide",
    "divide",
    "fixed",
    "fixed_choices",
    "forecast",
    "guard",
    "iterations_by_phase",
    "known_burn_usd_per_h",
    "misses",
    "other_phases",
    "rate_usd_per_h",
    "shortlist",
    "uses",
    "what_if",
    "wind_down_s",
]
