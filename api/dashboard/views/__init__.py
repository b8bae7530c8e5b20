"""What each page shows, as frozen values made by pure functions from facts and a time."""

from api.dashboard.views.acting import (
    ChangeRow,
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
    CandidateRow,
    CandidateStanding,
    CandidateTable,
    candidate_table,
    standing_of,
)
from api.dashboard.views.comparison import Compared, comparison_view
from api.dashboard.views.costs import CostView, cost_view
from api.dashboard.views.decisions import DecisionItem, DecisionView, decision_items, decision_view
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
from api.dashboard.views.frontier import FrontierChart, frontier_chart
from api.dashboard.views.jobs import JobRow, JobView, job_head, job_row, job_view
from api.dashboard.views.nodes import NodeRow, node_rows
from api.dashboard.views.parts import Badge, Card, Instant, Number, Tone, instant, whole, words
from api.dashboard.views.prices import PriceRow, history_view, offer_rows, price_rows
from api.dashboard.views.timelines import (
    TimelineView,
    cost_timeline,
    throughput_timeline,
    value_timeline,
)

__all__ = [
    "Badge",
    "CandidateRow",
    "CandidateStanding",
    "CandidateTable",
    "Card",
    "ChangeRow",
    "ChangeView",
    "Choice",
    "Compared",
    "CostView",
    "DecisionItem",
    "DecisionView",
    "FrontierChart",
    "Instant",
    "JobExtras",
    "JobRow",
    "JobView",
    "NodeRow",
    "Number",
    "OutsetView",
    "PriceRow",
    "TimelineView",
    "Tone",
    "actions",
    "candidate_table",
    "change_view",
    "comparison_view",
    "cost_timeline",
    "cost_view",
    "decision_items",
    "decision_view",
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
