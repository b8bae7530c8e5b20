"""How a job that goes on is called, by what trains now and what was decided."""

from __future__ import annotations

from elastic.model import JobPhase, Plan
from elastic.reconciler.observe import training_group
from elastic.store import JobFacts

_TRYING = frozenset({"start", "trial", "phase", "measuring"})
"""Reasons of a job that trains in order to be measured."""


def phase_of(facts: JobFacts, plan: Plan) -> JobPhase:
    """Gives the phase of a job after this plan; one that has ended, or is ending, stays as it
    is."""
    job, current = facts.job, training_group(facts.generation, facts.nodes)
    if job.phase.is_final or job.phase is JobPhase.DRAINING or facts.target is None:
        return job.phase
    if current != facts.target and job.iteration > 0:
        return JobPhase.RESCALING
    return (
        JobPhase.PROFILING if current is None or plan.reason.code in _TRYING else JobPhase.RUNNING
    )
