"""The store: one repository for each subject, over one database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import uuid4

from sqlalchemy import Column, Connection, func, select, text

from elastic.store import schema
from elastic.store.alarms import StoredAlarms
from elastic.store.certificates import Certificates
from elastic.store.code import Archives
from elastic.store.decisions import Decisions
from elastic.store.engine import Database
from elastic.store.entries import Entries
from elastic.store.events import Events
from elastic.store.facts import Facts
from elastic.store.generations import Generations
from elastic.store.heartbeats import Heartbeats
from elastic.store.jobs import Jobs
from elastic.store.kept_secrets import Secrets
from elastic.store.ledger import Ledger
from elastic.store.measurements import Measurements
from elastic.store.nodes import Nodes
from elastic.store.notices import Notices
from elastic.store.notifications import Notifications
from elastic.store.overviews import Overviews
from elastic.store.past_prices import PastPrices
from elastic.store.pools import Pools
from elastic.store.presence import Presence
from elastic.store.prices import Prices
from elastic.store.progress import Progress
from elastic.store.records import Records
from elastic.store.resumes import Resumes
from elastic.store.rollup import Rollup

_ONLY_ID = 1


@dataclass(frozen=True, slots=True)
class Tallies:
    """All jobs by phase, all decisions by action (holds for one reason count once), all events by
    kind."""

    jobs: Mapping[str, int]
    decisions: Mapping[str, int]
    events: Mapping[str, int]


class Store:
    """Everything that must survive, by subject; threads may share it.

    Each method of a repository is one transaction, committed when it returns.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.jobs = Jobs(database)
        self.resumes = Resumes(database)
        self.code = Archives(database)
        self.certificates = Certificates(database)
        self.secrets = Secrets(database)
        self.nodes = Nodes(database)
        self.notices = Notices(database)
        self.pools = Pools(database)
        self.generations = Generations(database)
        self.heartbeats = Heartbeats(database)
        self.measurements = Measurements(database)
        self.progress = Progress(database)
        self.prices = Prices(database)
        self.past_prices = PastPrices(database)
        self.ledger = Ledger(database)
        self.decisions = Decisions(database)
        self.facts = Facts(database)
        self.overviews = Overviews(database)
        self.events = Events(database)
        self.entries = Entries(database)
        self.alarms = StoredAlarms(database)
        self.notifications = Notifications(database)
        self.presence = Presence(database)
        self.records = Records(database)
        self.rollup = Rollup(database)

    def close(self) -> None:
        self._database.close()

    def ping(self) -> None:
        """Returns if the database answers. Raises StoreUnavailable."""
        with self._database.read() as connection:
            # No table: the answer does not depend on the schema, and nothing is read from the disk.
            connection.execute(text("SELECT 1"))

    def hold(self) -> None:
        """Uses the session that writes, which a server ends if it is idle for long. Raises
        AlreadyRunning if another daemon has the database by now, StoreUnavailable."""
        self._database.own()

    def holder(self) -> str:
        """The name that this database's daemon holds its machines by: given once, and kept."""
        with self._database.write() as connection:
            found: str | None = connection.execute(
                select(schema.identity.c.holder)
            ).scalar_one_or_none()
            if found is None:
                found = uuid4().hex
                connection.execute(schema.identity.insert().values(id=_ONLY_ID, holder=found))
            return found

    def tallies(self) -> Tallies:
        """How many jobs, decisions and events there are of each kind, each counted by an index
        alone."""
        with self._database.read() as connection:
            return Tallies(
                jobs=_counted(connection, schema.jobs.c.phase),
                decisions=_counted(connection, schema.decisions.c.action),
                events=_counted(connection, schema.events.c.kind),
            )


def _counted(connection: Connection, column: Column[str]) -> dict[str, int]:
    rows = connection.execute(select(column, func.count()).group_by(column).order_by(column))
    return {str(kind): int(count) for kind, count in rows}
