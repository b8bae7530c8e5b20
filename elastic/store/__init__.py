"""The database: everything that must survive, in SQLAlchemy Core tables, one repository for
each subject."""

from elastic.store.alarms import StoredAlarm
from elastic.store.backup import Backup, back_up, look_into, restore
from elastic.store.codec import from_text, to_text
from elastic.store.engine import Database
from elastic.store.events import Event
from elastic.store.facts import JobFacts
from elastic.store.heartbeats import HeartbeatFacts, HeartbeatReport
from elastic.store.inspection import TO_GO_BACK, StoreState, inspect_store
from elastic.store.ledger import LedgerSum
from elastic.store.measurements import StoredWindow, ThroughputPoint
from elastic.store.migrating import migrate, migration_config
from elastic.store.nodes import LaunchIntent
from elastic.store.notices import Interruptions
from elastic.store.notifications import AlarmRow, Delivery, Notification
from elastic.store.opening import database_folder, lock, open_store, read_store, shown
from elastic.store.overviews import JobOverview
from elastic.store.prices import PriceReport
from elastic.store.records import JobRecord, RecordMark, gap_usd
from elastic.store.store import Store, Tallies

__all__ = [
    "TO_GO_BACK",
    "AlarmRow",
    "Backup",
    "Database",
    "Delivery",
    "Event",
    "HeartbeatFacts",
    "HeartbeatReport",
    "Interruptions",
    "JobFacts",
    "JobOverview",
    "JobRecord",
    "LaunchIntent",
    "LedgerSum",
    "Notification",
    "PriceReport",
    "RecordMark",
    "Store",
    "StoreState",
    "StoredAlarm",
    "StoredWindow",
    "Tallies",
    "ThroughputPoint",
    "back_up",
    "database_folder",
    "from_text",
    "gap_usd",
    "inspect_store",
    "lock",
    "look_into",
    "migrate",
    "migration_config",
    "open_store",
    "read_store",
    "restore",
    "shown",
    "to_text",
]
