"""The tables. Instants are Unix seconds; groups, specs and plans are JSON text, snapshots are
compressed JSON."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
)

from elastic.model import JobPhase

# The newest revision in `migrations/`, which makes these tables: a database that is at it is not
# migrated.
REVISION = "0020"

# What the column `phase` of a job holds that has ended.
DONE = tuple(phase.value for phase in JobPhase if phase.is_final)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _id() -> Column[int]:
    return Column("id", Integer, primary_key=True, autoincrement=True)


def _offering() -> tuple[Column[str], Column[str], Column[str]]:
    return (
        Column("node_type", String(64), nullable=False),
        Column("capacity", String(16), nullable=False),
        Column("zone", String(32), nullable=False),
    )


def _instant(name: str, *, nullable: bool = False) -> Column[float]:
    return Column(name, Float(53), nullable=nullable)


jobs = Table(
    "jobs",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("id", String(32), nullable=False, unique=True),
    Column("name", String(64), nullable=False, index=True),
    Column("spec", Text, nullable=False),
    Column("phase", String(24), nullable=False, index=True),
    _instant("submitted_at_s"),
    Column("version", Integer, nullable=False, default=0),
    Column("iteration", BigInteger, nullable=False, default=0),
    Column("progress_generation", Integer, nullable=False, default=0),
    Column("newest_round", BigInteger, nullable=False, default=0),
    Column("registered_round", BigInteger, nullable=False, default=0),
    Column("training_phase", String(64)),
    _instant("finished_at_s", nullable=True),
    Column("ending", String(24)),
    Column("message", Text),
    Column("target", Text),
    Column("code", String(64)),
    Column("failures", Integer, nullable=False, default=0),
    Column("failed_iteration", BigInteger, nullable=False, default=-1),
    Column("error", Text),
    Column("longest_pause_s", Float(53)),
    Column("redone", BigInteger, nullable=False, server_default="0"),
    Column("kept_iteration", BigInteger),
    Column("restarts_at_zero", Boolean, nullable=False, server_default=false()),
    Column("stops_when_asked", Boolean),
    Column("batch", String(8)),
    Column("saves", Text),
    # Of a job that was adopted: what it had cost before, which the ledger does not have.
    Column("unknown_least_usd", Float(53)),
    Column("unknown_most_usd", Float(53)),
    Column("idempotency_key", String(255), unique=True),
    Column("request_hash", String(64), nullable=False),
)

resumes = Table(
    "resumes",
    metadata,
    Column("job_id", String(32), ForeignKey("jobs.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    _instant("ended_at_s"),
    Column("ending", String(24), nullable=False),
    _instant("resumed_at_s"),
)

code = Table(
    "code",
    metadata,
    Column("sha256", String(64), primary_key=True),
    Column("content", LargeBinary, nullable=False),
    _instant("stored_at_s"),
)

nodes = Table(
    "nodes",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("id", String(32), nullable=False, unique=True),
    Column("job_id", String(32), ForeignKey("jobs.id"), nullable=False, index=True),
    *_offering(),
    Column("phase", String(16), nullable=False, index=True),
    Column("token", String(64), nullable=False, index=True),
    _instant("intended_at_s"),
    Column("provider_id", String(128)),
    _instant("launched_at_s", nullable=True),
    _instant("joined_at_s", nullable=True),
    _instant("heartbeat_at_s", nullable=True),
    _instant("terminated_at_s", nullable=True),
    Column("report", Text),
    Column("exit", Text),
    Column("acked_seq", BigInteger, nullable=False, default=0),
    Column("reason", Text, nullable=False, default=""),
    Column("notice_kind", String(16)),
    Column("notice_action", String(32)),
    _instant("notice_at_s", nullable=True),
    _instant("noticed_at_s", nullable=True),
    _instant("stopping_at_s", nullable=True),
    Column("failures", Integer, nullable=False, default=0),
    Column("extras_usd_per_h", Float(53)),
    Column("minimum_billed_s", Float(53), nullable=False, default=0.0),
    _instant("billed_from_s", nullable=True),
    Column("is_waived", Boolean, nullable=False, default=False),
    Column("processes", Integer, nullable=False, server_default="1"),
    Column("threads", Integer, nullable=False, server_default="1"),
    Column("image", String(64)),
    Column("setup_s", Float(53)),
    Column("setup_bytes", BigInteger),
    _instant("prepared_at_s", nullable=True),
)

intents = Table(
    "intents",
    metadata,
    _id(),
    Column("token", String(64), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("node_id", String(32), nullable=False, index=True),
    Column("request_hash", String(64), nullable=False),
    Column("asked_by", String(32), nullable=False, default=""),
    _instant("created_at_s"),
    _instant("done_at_s", nullable=True),
    Column("outcome", Text),
    UniqueConstraint("token", "kind", "node_id"),
)

generations = Table(
    "generations",
    metadata,
    Column("job_id", String(32), ForeignKey("jobs.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("node_ids", Text, nullable=False),
    Column("members", Text, nullable=False),
    Column("rdzv_endpoint", String(128), nullable=False),
    _instant("started_at_s"),
    _instant("drain_at_s", nullable=True),
    _instant("ended_at_s", nullable=True),
    _instant("first_step_at_s", nullable=True),
    _instant("last_step_at_s", nullable=True),
    Column("hangs", Boolean, nullable=False, default=False),
    Column("world_size", Integer, nullable=False, server_default="1"),
)

prices = Table(
    "prices",
    metadata,
    _id(),
    *_offering(),
    Column("usd_per_h", Float(53), nullable=False),
    Column("extras_usd_per_h", Float(53), nullable=False, default=0.0),
    _instant("valid_from_s"),
    _instant("observed_at_s"),
    Column("source", String(64), nullable=False),
    Index(None, "node_type", "capacity", "zone", "valid_from_s"),
)

past_prices = Table(
    "past_prices",
    metadata,
    Column("node_type", String(64), primary_key=True),
    Column("capacity", String(16), primary_key=True),
    Column("zone", String(32), primary_key=True),
    Column("valid_from_s", Float(53), primary_key=True),
    Column("usd_per_h", Float(53), nullable=False),
    Column("extras_usd_per_h", Float(53), nullable=False),
    _instant("observed_at_s"),
    Column("source", String(64), nullable=False),
)

series = Table(
    "series",
    metadata,
    _id(),
    Column("job_id", String(32), ForeignKey("jobs.id"), nullable=False),
    Column("members", Text, nullable=False),
    Column("training_phase", String(64), nullable=False),
    Column("iterations", BigInteger, nullable=False, server_default="0"),
    Column("elapsed_s", Float(53), nullable=False, server_default="0"),
    UniqueConstraint("job_id", "members", "training_phase"),
)

windows = Table(
    "windows",
    metadata,
    # A job has two a second. SQLite numbers rows by 64 bits if their column is an INTEGER.
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("series_id", Integer, ForeignKey("series.id"), nullable=False),
    Column("job_id", String(32), nullable=False),
    Column("node_id", String(32), nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("generation", Integer, nullable=False),
    Column("world_size", Integer, nullable=False),
    Column("iteration", BigInteger),
    Column("iterations", BigInteger, nullable=False),
    Column("elapsed_s", Float(53), nullable=False),
    Column("is_cold", Boolean, nullable=False),
    _instant("ended_at_s"),
    UniqueConstraint("node_id", "seq"),
    Index(None, "series_id", "is_cold", "id"),
    Index(None, "job_id", "id"),
)

buckets = Table(
    "buckets",
    metadata,
    Column("job_id", String(32), ForeignKey("jobs.id"), primary_key=True),
    Column("at_s", BigInteger, primary_key=True),
    Column("training_phase", String(64), primary_key=True),
    Column("iterations", Float(53), nullable=False),
    Column("width_s", Integer, nullable=False, server_default="5"),
)

decisions = Table(
    "decisions",
    metadata,
    _id(),
    Column("job_id", String(32), ForeignKey("jobs.id"), nullable=False),
    _instant("at_s"),
    _instant("last_at_s"),
    _instant("weighed_at_s", nullable=True),
    Column("ticks", Integer, nullable=False),
    Column("policy", String(64), nullable=False),
    Column("version", Integer, nullable=False, server_default="1"),
    Column("action", String(16), nullable=False, index=True),
    Column("code", String(64), nullable=False),
    Column("from_group", Text),
    Column("to_group", Text),
    Column("plan", Text, nullable=False),
    Column("snapshot", LargeBinary, nullable=False),
    Index(None, "job_id", "id"),
    Index(None, "job_id", "action", "id"),
)

ledger = Table(
    "ledger",
    metadata,
    _id(),
    Column("job_id", String(32), ForeignKey("jobs.id"), nullable=False, index=True),
    Column("node_id", String(32), ForeignKey("nodes.id"), nullable=False, index=True),
    *_offering(),
    Column("price_id", Integer, ForeignKey("prices.id"), nullable=False),
    Column("usd_per_h", Float(53), nullable=False),
    _instant("from_s"),
    _instant("to_s", nullable=True),
    Column("minimum_s", Float(53), nullable=False),
    Column("extras_usd_per_h", Float(53), nullable=False, default=0.0),
    Column("is_waived", Boolean, nullable=False, default=False),
)

events = Table(
    "events",
    metadata,
    _id(),
    _instant("at_s"),
    Column("job_id", String(32), index=True),
    Column("node_id", String(32)),
    Column("kind", String(32), nullable=False, index=True),
    Column("text", Text, nullable=False),
    Column("numbers", Text, nullable=False),
)

alarms = Table(
    "alarms",
    metadata,
    _id(),
    Column("kind", String(32), nullable=False),
    Column("job_id", String(32)),
    Column("node_id", String(32)),
    Column("text", Text, nullable=False),
    _instant("since_s"),
    Column("over_at_s", Float(53), index=True),
)

# Messages to people. `key` names the news: a recipient gets each key once.
notifications = Table(
    "notifications",
    metadata,
    _id(),
    Column("key", String(96), nullable=False),
    Column("topic", String(16), nullable=False),
    Column("recipient", String(64), nullable=False),
    Column("job_id", String(32)),
    Column("title", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("made_at_s", Float(53), nullable=False, index=True),
    Column("delivery", String(16), nullable=False, index=True),
    Column("tries", Integer, nullable=False),
    _instant("next_at_s"),
    _instant("sent_at_s", nullable=True),
    Column("error", Text),
    UniqueConstraint("key", "recipient"),
)

losses = Table(
    "losses",
    metadata,
    Column("event_id", Integer, ForeignKey("events.id"), primary_key=True, autoincrement=False),
    Column("job_id", String(32), ForeignKey("jobs.id"), nullable=False, index=True),
    _instant("from_s", nullable=True),
    _instant("to_s", nullable=True),
)

rollups = Table(
    "rollups",
    metadata,
    Column("job_id", String(32), ForeignKey("jobs.id"), primary_key=True),
    _instant("windows_to_s"),
)

pools = Table(
    "pools",
    metadata,
    Column("node_type", String(64), primary_key=True),
    Column("capacity", String(16), primary_key=True),
    Column("zone", String(32), primary_key=True),
    Column("history", Text, nullable=False),
)

# A secret: it is in no answer, snapshot or log.
certificates = Table(
    "certificates",
    metadata,
    Column("job_id", String(32), ForeignKey("jobs.id"), primary_key=True),
    Column("pem", Text, nullable=False),
    _instant("made_at_s"),
)

# What opens the daemon to its nodes and to its user. One that was replaced has no value any more.
secrets = Table(
    "secrets",
    metadata,
    Column("name", String(32), primary_key=True),
    Column("sha256", String(64), primary_key=True),
    Column("value", Text),
)

identity = Table(
    "identity",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("holder", String(32), nullable=False),
)
