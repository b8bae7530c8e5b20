"""What a daemon does whose database was lost: it holds the machines, says so, and waits for an
answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from elastic.errors import Conflict, NotFound
from elastic.figures import counted, instant, usd
from elastic.providers import Instance
from elastic.reconciler.job_records import JobRecords
from elastic.reconciler.machines import Machines
from elastic.store import JobRecord, Store, gap_usd


@dataclass(frozen=True, slots=True)
class HeldJob:
    """A job that the database does not know: its machines live, it is on record, or both."""

    job_id: str
    # None: nothing is on record of it, so it cannot be adopted.
    record: JobRecord | None
    machines: tuple[Instance, ...]
    # Whether its machines know this daemon's secret. Others cannot be reached, and end alone.
    is_heard: bool
    # When the last of its machines ends by itself at the latest; None if none lives.
    ends_by_s: float | None
    # What it had cost before, at least and at most, without the machines that live.
    gap_usd: tuple[float, float] | None

    @property
    def name(self) -> str:
        """What its user calls it, or else its id."""
        return self.job_id if self.record is None else self.record.name


@dataclass(frozen=True, slots=True)
class Adoption:
    """Takes jobs of a lost database over, or ends them, as a person decides."""

    store: Store
    machines: Machines
    records: JobRecords
    wake: Callable[[], None]

    def held(self, *, now_s: float) -> tuple[HeldJob, ...]:
        """The jobs that wait for an answer."""
        records = self.records.unknown
        ids = {each.job_id for each in self.machines.held} | records.keys()
        return tuple(
            self._held(each, records.get(each), now_s=now_s)
            for each in sorted(ids - self.machines.answered)
        )

    def adopt(self, name: str, *, now_s: float) -> str:
        """Goes on with a job, and gives its id.

        Raises NotFound if no such job is held, Conflict if it cannot go on yet, or ever.
        """
        job = self._find(name, now_s=now_s)
        record = job.record
        if record is None:
            raise Conflict(
                f"{job.job_id}: nothing is on record of it, so its machines can only be ended: "
                f"elasticd adopt {job.job_id} --end"
            )
        if job.machines and not job.is_heard:
            raise Conflict(
                f"job {job.name}: its machines know another secret than this daemon's, so it "
                "cannot speak with them. They save and end by themselves by "
                f"{instant(job.ends_by_s or now_s)}: adopt the job then, and it goes on from its "
                "newest checkpoint"
            )
        if record.sealed and not self.records.opens(record):
            raise Conflict(
                f"job {job.name}: its secrets ({', '.join(record.sealed)}) were sealed with "
                "another secret than this daemon's, so no node could have them. Give it up, and "
                f"submit it again: elasticd adopt {job.name} --end"
            )
        code = self.records.code_of(record)
        if code is not None and record.code is not None:
            self.store.code.put(record.code, code, now_s=now_s)
        least_usd, most_usd = job.gap_usd or (0.0, 0.0)
        self.store.records.adopt(
            record,
            [each.provider_id for each in job.machines],
            certificate=self.records.certificate_of(record),
            why=(
                f"job {job.name} adopted with {counted(len(job.machines), 'machine')}, as it was "
                f"at {instant(record.written_at_s)}; what it had cost before is between "
                f"{usd(least_usd)} and {usd(most_usd)}, and not in the ledger"
            ),
            now_s=now_s,
        )
        self.wake()
        return job.job_id

    def end(self, name: str, *, now_s: float) -> str:
        """Ends a job's machines, drops its record, and gives its id. Raises NotFound."""
        job = self._find(name, now_s=now_s)
        self.records.remove(job.job_id)
        self.machines.answer(job.job_id)
        text = f"job {job.name} is not adopted; its machines are ended"
        self.store.events.add("job_not_adopted", text, now_s=now_s)
        self.wake()
        return job.job_id

    def alarm(self, *, now_s: float) -> str | None:
        """What somebody must be told; None while no job is held."""
        jobs = self.held(now_s=now_s)
        if not jobs:
            return None
        names = ", ".join(each.name for each in jobs)
        machines = [each for job in jobs for each in job.machines]
        held = f"this database does not know {counted(len(jobs), 'job')} ({names})"
        if machines:
            until = instant(max(each.ends_by_s or now_s for each in jobs))
            held += (
                f", whose {counted(len(machines), 'machine')} it holds: none is ended and none "
                f"bought, and by {until} they save and end by themselves"
            )
        return f"{held}. Adopt them or end them: elasticd adopt"

    def _find(self, name: str, *, now_s: float) -> HeldJob:
        # Ids first: jobs of earlier versions may be named like another's id.
        for each in sorted(self.held(now_s=now_s), key=lambda job: job.job_id != name):
            if name in (each.job_id, each.name):
                return each
        raise NotFound(f"no job {name!r} is held; `elasticd adopt` lists those that are")

    def _held(self, job_id: str, record: JobRecord | None, *, now_s: float) -> HeldJob:
        machines = tuple(each for each in self.machines.held if each.job_id == job_id)
        return HeldJob(
            job_id,
            record,
            machines,
            is_heard=record is not None and self.records.opens(record),
            ends_by_s=max(map(self.machines.ends_by_s, machines), default=None),
            gap_usd=None
            if record is None
            else gap_usd(record, [each.provider_id for each in machines], now_s=now_s),
        )
