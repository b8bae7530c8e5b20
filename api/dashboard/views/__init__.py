"""What each page shows, as frozen values made by pure functions from facts and a time."""

from api.dashboard.views.acting import (
    ChangeView,
    Choice,
    OutsetView,
    actions,
    change_view,
    node_counts,
    outset_view,
    pause_view,
    stop_view,
)
from api.dashboard.views.ahead import forecast_timeline
from api.dashboard.views.candidates import (
    CandidateStanding,
    candidate_table,
    standing_of,
)
from api.dashboard.views.comparison import Compared, comparison_view
from api.dashboard.views.costs import cost_view
from api.dashboard.views.decisions import decision_items, decision_view
from api.dashboard.views.extras import (
    JobExtras,
    event_rows,
    generation_rows,
    log_view,
    output_rows,
    pictures,
    report_view,
    spec_lines,
    use_parts,
)
from api.dashboard.views.frontier import frontier_chart
from api.dashboard.views.jobs import job_head, job_row, job_view
from api.dashboard.views.nodes import node_rows
from api.dashboard.views.parts import Tone, instant, whole, words
from api.dashboard.views.prices import disbelieved_rows, history_view, offer_rows, price_rows
from api.dashboard.views.timelines import (
    cost_timeline,
    throughput_timeline,
    value_timeline,
)

__all__ = [
    "CandidateStanding",
    "ChangeView",
    "Choice",
    "Compared",
    "JobExtras",
    "OutsetView",
    "Tone",
    "actions",
    "candidate_table",
    "change_view",
    "comparison_view",
    "cost_timeline",
    "cost_view",
    "decision_items",
    "decision_view",
    "disbelieved_rows",
    "event_rows",
    "forecast_timeline",
    "frontier_chart",
    "generation_rows",
    "history_view",
    "instant",
    "job_head",
    "job_row",
    "job_view",
    "log_view",
    "node_counts",
    "node_rows",
    "offer_rows",
    "output_rows",
    "outset_view",
    "pause_view",
    "pictures",
    "price_rows",
    "report_view",
    "spec_lines",
    "standing_of",
    "stop_view",
    "throughput_timeline",
    "use_parts",
    "value_timeline",
    "whole",
    "words",
]
