"""Keeps a record of each job outside the database, so that a lost database costs no job."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import structlog

from elastic.checkpoints import Objects
from elastic.durations import COOLDOWN_S
from elastic.errors import InvalidInput, NotFound, StorageUnavailable
from elastic.rendezvous.certificate import sealed, unsealed
from elastic.store import JobRecord, RecordMark, Store, from_text, to_text

log = structlog.get_logger(__name__)

# An iteration that a script does not name is only counted: a lost database forgets so many seconds.
_FORGETS_S = COOLDOWN_S / 2

_JOBS = "jobs/"
_CODE = "code/"


@dataclass(slots=True)
class JobRecords:
    """The records of all jobs that are not over, with their code, in one place.

    `open_objects` opens that place, and `secret` is what tokens of nodes are made of. Only the
    ticker that writes and calls of `refresh` touch the place.
    """

    store: Store
    open_objects: Callable[[], Objects]
    secret: bytes = field(repr=False)
    # Why records cannot be kept; None while they can.
    failure: str | None = None
    # Jobs on record that the database does not know, by their ids.
    unknown: Mapping[str, JobRecord] = field(default_factory=dict)
    _objects: Objects | None = None
    _written: dict[str, tuple[RecordMark, float]] = field(default_factory=dict)
    _codes: set[str] = field(default_factory=set)
    _is_listed: bool = False

    def keep(self, *, is_lost: bool, now_s: float) -> None:
        """Writes the records of jobs that have changed, and removes those of jobs that are over.

        `is_lost` says that machines of unknown jobs live: then their records are looked for.
        """
        try:
            if is_lost or self.unknown or not self._is_listed:
                self.refresh()
            marks = self.store.records.marks()
            for job_id, mark in marks.items():
                self._keep(job_id, mark, now_s=now_s)
            self._forget(self._written.keys() - marks.keys(), marks)
        except StorageUnavailable as error:
            if self.failure is None:
                log.warning("records of jobs cannot be kept", error=str(error))
            self.failure = str(error)
        else:
            self.failure = None

    def refresh(self) -> None:
        """Looks for the records of unknown jobs. Raises StorageUnavailable."""
        objects = self._opened()
        names = {each.removeprefix(_JOBS).removesuffix(".json") for each in objects.names(_JOBS)}
        if not self._is_listed:
            self._codes = {each.removeprefix(_CODE) for each in objects.names(_CODE)}
            # Jobs of which an earlier daemon left a record. Those that are over are forgotten next.
            known = names - self.store.records.unknown(names)
            never = RecordMark(-1, "", None, 0, 0, 0, 0)
            self._written = dict.fromkeys(known, (never, 0.0)) | self._written
            self._is_listed = True
        found = {}
        for job_id in self.store.records.unknown(names):
            with suppress(NotFound):
                found[job_id] = self.unknown.get(job_id) or self._read(objects, job_id)
        self.unknown = {job_id: each for job_id, each in found.items() if each is not None}

    def code_of(self, record: JobRecord) -> bytes | None:
        """The archive of code that a job runs; None if it has none. Raises StorageUnavailable, and
        NotFound."""
        if record.code is None:
            return None
        _, pieces = self._opened().stream(f"{_CODE}{record.code}")
        return b"".join(pieces)

    def certificate_of(self, record: JobRecord) -> str | None:
        """A job's key and certificate; None if another secret would open them, or there are
        none."""
        return unsealed(record.certificate, self.secret)

    def opens(self, record: JobRecord) -> bool:
        """Whether this daemon's secret is the one that the job's nodes know."""
        return record.secret == self._fingerprint()

    def remove(self, job_id: str) -> None:
        """Removes the record of a job that is given up. Raises StorageUnavailable."""
        self._opened().delete([_name(job_id)])
        self.unknown = {each: found for each, found in self.unknown.items() if each != job_id}

    def _keep(self, job_id: str, mark: RecordMark, *, now_s: float) -> None:
        before, at_s = self._written.get(job_id, (None, 0.0))
        if before == mark and 0.0 <= now_s - at_s < _FORGETS_S:
            return
        with suppress(NotFound):  # it was removed, or is over, meanwhile
            record = self.store.records.of(job_id, now_s=now_s)
            if record.code is not None and record.code not in self._codes:
                self._put(f"{_CODE}{record.code}", self.store.code.get(record.code))
                self._codes.add(record.code)
            certificate = self.store.certificates.get(job_id)
            whole = replace(
                record,
                certificate=sealed(certificate, self.secret) if certificate else "",
                secret=self._fingerprint(),
            )
            self._put(_name(job_id), to_text(whole).encode())
            self._written[job_id] = mark, now_s

    def _forget(self, over: Iterable[str], marks: Mapping[str, RecordMark]) -> None:
        ids = list(over)
        if not ids:
            return
        needed = {each.code for each in marks.values()}
        needed |= {each.code for each in self.unknown.values()}
        codes = self._codes - needed
        self._opened().delete([_name(each) for each in ids] + [f"{_CODE}{each}" for each in codes])
        self._codes -= codes
        for each in ids:
            del self._written[each]

    def _read(self, objects: Objects, job_id: str) -> JobRecord | None:
        try:
            return from_text(JobRecord, objects.read(_name(job_id)))
        except ValueError as error:
            log.warning("the record of a job makes no sense", job=job_id, error=str(error)[:300])
            return None

    def _put(self, name: str, content: bytes) -> None:
        with tempfile.NamedTemporaryFile() as file:
            file.write(content)
            file.flush()
            self._opened().upload(Path(file.name), name)

    def _opened(self) -> Objects:
        if self._objects is None:
            self._objects = self.open_objects()
        return self._objects

    def _fingerprint(self) -> str:
        return hashlib.sha256(b"fingerprint:" + self.secret).hexdigest()


def _name(job_id: str) -> str:
    if not job_id or "/" in job_id:
        raise InvalidInput(f"wanted the id of a job, got {job_id!r}")
    return f"{_JOBS}{job_id}.json"
