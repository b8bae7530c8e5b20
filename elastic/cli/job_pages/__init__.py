"""What the command line prints of jobs: one on one screen, many side by side."""

from elastic.cli.job_pages.candidates import candidate_table, tell_of_left_out
from elastic.cli.job_pages.comparing import comparison, ordered
from elastic.cli.job_pages.one_job import (
    limits,
    show_forecast,
    show_job,
    show_plan,
    show_report,
    show_scaling,
    wanted_nodes,
)

__all__ = [
    "candidate_table",
    "comparison",
    "limits",
    "ordered",
    "show_forecast",
    "show_job",
    "show_plan",
    "show_report",
    "show_scaling",
    "tell_of_left_out",
    "wanted_nodes",
]
