"""Held jobs on the wire."""

from __future__ import annotations

from pydantic import Field, FiniteFloat

from api.schemas.market import OfferingOut
from api.schemas.wire import Wire


class HeldMachine(Wire):
    """A machine of a job that the database does not know."""

    provider_id: str
    node_id: str
    offering: OfferingOut
    launched_at_s: FiniteFloat


class HeldJobOut(Wire):
    """A job that the database does not know; what is on record of it is null if nothing is."""

    job_id: str
    name: str
    is_on_record: bool = Field(description="Without a record it cannot be adopted.")
    is_heard: bool = Field(description="Whether its machines know this daemon's secret.")
    recorded_at_s: FiniteFloat | None
    iteration: int | None
    machines: list[HeldMachine]
    ends_by_s: FiniteFloat | None = Field(
        description="When its machines have saved and ended by themselves; null if none lives."
    )
    least_usd: FiniteFloat | None = Field(
        description="What it had cost, at least, beside the machines that live."
    )
    most_usd: FiniteFloat | None


class Settled(Wire):
    """The job that was adopted, or ended."""

    job_id: str
