"""The daemon's settings.

The command line wins over ELASTICD_* variables, these over elasticd.toml, and that over defaults.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    FiniteFloat,
    ValidationError,
    ValidationInfo,
    field_validator,
)
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from elastic.calendar import zone_of
from elastic.durations import (
    COOLDOWN_S,
    DRAIN_GRACE_S,
    HEARTBEAT_S,
    LEASE_S,
    MINIMUM_BILLED_S,
    MINUTE_S,
    NOTICE_S,
    PRICE_MAX_AGE_S,
    REGISTER_S,
    SPOT_PRICE_MAX_AGE_S,
    STANDSTILL_S,
    SWITCH_PAUSE_PRIOR_S,
    TICK_S,
    WIND_DOWN_S,
)
from elastic.errors import InvalidInput, cannot_read
from elastic.faults import in_words, no_such
from elastic.trust import is_loopback

# Without SQLAlchemy, which takes 0.3 s to import: every command reads the settings.
_SQLITE = re.compile(r"sqlite(\+pysqlite)?:///(?!:memory:)[^?]+(\?.*)?")
_POSTGRESQL = re.compile(
    r"postgresql\+psycopg://([^:/]*(:[^@]*)?@)?(\[[^/?]+\]|[^/:?]+)?(:\d*)?(/[^?]*)?(\?.*)?"
)

# pydantic's own takes infinity, and a daemon whose leases never end is none.
PositiveFloat = Annotated[FiniteFloat, Field(gt=0)]

# Variables that say where a daemon and its settings are.
_VARIABLES = ("CA_FILE", "CONFIG", "TOKEN", "URL")
# Those that no person sets: nodes set them for a job's workers, whose script may ask the daemon;
# the others belong to our own tests, benchmarks and docker-compose.yml.
_PROGRAMS_VARIABLES = frozenset(
    {
        *("ARTIFACT_DIR", "BARRIER", "BATCH", "CERTIFICATE", "CHECKPOINT_DIR", "CLUSTER"),
        *("DATA_DIGEST", "DRAIN_FILE", "GENERATION", "INTERRUPTIONS_PER_H", "JOB_ID", "LOG"),
        *("MEETING", "NODE_ID", "OFFLINE", "PRECISION", "RDZV_ENDPOINT", "RDZV_ID", "ROUNDS"),
        *("SAVES", "SOCKET", "WHEEL", "WORKER_PID"),
        *("BENCH_DATA", "CRASH_PAIRS", "PUBLISHED_PORT"),
    }
)
_PROGRAMS_PREFIXES = ("SESSION_", "LAB")


def default_data_dir() -> Path:
    """The folder XDG gives to elasticd's data."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "elasticd"


def config_files() -> tuple[Path, ...]:
    """The files of settings, the user's own, then the working folder's; the later one wins."""
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    named = os.environ.get("ELASTICD_CONFIG")
    if named:
        return (Path(named),)
    return (home / "elasticd" / "elasticd.toml", Path("elasticd.toml"))


class LocalType(BaseModel):
    """One node type that this machine emulates."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]{0,62}$")
    # In cores; less than one is a share of a core.
    cpu: PositiveFloat
    memory_gib: PositiveFloat = 2.0
    usd_per_h: PositiveFloat


_DEFAULT_LOCAL_TYPES = (
    LocalType(name="local.quarter", cpu=0.25, usd_per_h=0.025),
    LocalType(name="local.half", cpu=0.5, usd_per_h=0.045),
    LocalType(name="local.full", cpu=1.0, usd_per_h=0.09),
)


class PolicySettings(BaseModel):
    """The limits of every decision; `elastic.model.Limits` says what each means."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    margin: FiniteFloat = Field(0.10, ge=0, lt=1)
    cooldown_s: FiniteFloat = Field(COOLDOWN_S, ge=0)
    trial_windows: int = Field(8, ge=2, le=64)
    trial_usd_share: FiniteFloat = Field(0.10, ge=0, le=1)
    trial_of_every: bool = False
    switch_pause_prior_s: FiniteFloat = Field(SWITCH_PAUSE_PRIOR_S, ge=0)
    boot_prior_s: FiniteFloat | None = Field(None, ge=0)
    wind_down_s: FiniteFloat = Field(WIND_DOWN_S, ge=0)
    price_max_age_s: FiniteFloat = Field(PRICE_MAX_AGE_S, gt=0)
    spot_price_max_age_s: FiniteFloat = Field(SPOT_PRICE_MAX_AGE_S, gt=0)


class Ec2Requirements(BaseModel):
    """What EC2's node types must have to be candidates.

    `elastic.providers.ec2.parse_requirements` reads it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    cpu: str | None = Field(None, description="vCPUs: 4..8, 4 or 4..")
    memory: str | None = Field(None, description="Memory: 8GB.., 8GB..64GB.")
    gpu: str | None = Field(None, description="GPUs: T4:1, T4,A10G:1..4; none without it.")


# EC2 takes 50 of a machine, and elasticd's own are up to 10 (EC2 User Guide, "Tag restrictions").
_MOST_TAGS = 40


class Ec2Settings(BaseModel):
    """Where EC2's nodes are bought, what they run, and what else they cost."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # An account's machines belong to the daemon of the cluster that they are tagged with.
    cluster: str = Field("elasticd", pattern=r"^[a-z0-9][a-z0-9-]{0,31}$")
    region: str | None = None
    # Names of instance types, with wildcards; empty: all that meet the requirements.
    types: tuple[str, ...] = ()
    requirements: Ec2Requirements = Ec2Requirements()
    capacities: tuple[Literal["on-demand", "spot"], ...] = ("on-demand", "spot")
    # Empty: all of the region's zones, and each zone's default subnet.
    zones: tuple[str, ...] = ()
    subnets: tuple[str, ...] = ()
    instance_profile: str | None = None
    placement_group: str | None = None
    # Of all that is made on EC2, beside elasticd's own.
    tags: dict[str, Annotated[str, Field(max_length=256)]] = {}
    ami_parameter: str = "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64"
    ami_parameter_arm64: str = (
        "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-arm64"
    )
    ami_parameter_gpu: str = (
        "/aws/service/deeplearning/ami/x86_64/"
        "base-oss-nvidia-driver-gpu-amazon-linux-2023/latest/ami-id"
    )
    bootstrap: str | None = None
    package_index: str | None = Field(None, pattern=r"^https?://[^\s/]\S*$")
    package_index_gpu: str | None = Field(None, pattern=r"^https?://[^\s/]\S*$")
    volume_gib: int | None = Field(None, ge=8, le=16_384)
    volume_usd_per_gib_month: FiniteFloat = Field(0.08, ge=0)
    public_ipv4_usd_per_h: FiniteFloat = Field(0.005, ge=0)
    usd_per_gib_received: FiniteFloat = Field(0.0, ge=0)
    # A lab on a faster clock bills less.
    minimum_billed_s: FiniteFloat = Field(MINIMUM_BILLED_S, ge=0)
    spot_refresh_s: PositiveFloat = MINUTE_S
    # Three failures in a row leave no price too old.
    on_demand_refresh_s: PositiveFloat = PRICE_MAX_AGE_S / 4
    price_overrides: dict[str, PositiveFloat] = {}

    @field_validator("tags")
    @classmethod
    def _tags_may_be_given(cls, tags: dict[str, str]) -> dict[str, str]:
        if len(tags) > _MOST_TAGS:
            raise ValueError(
                f"wanted at most {_MOST_TAGS} tags, for EC2 takes 50 and some are elasticd's own; "
                f"got {len(tags)}"
            )
        for name in tags:
            if not 1 <= len(name) <= 128 or name.lower().startswith(("aws:", "elasticd:")):
                raise ValueError(
                    "wanted names of 1 to 128 characters that begin with neither aws: nor "
                    f"elasticd:, got {name!r}"
                )
        return tags

    @property
    def needs_wheel(self) -> bool:
        """Whether nodes install the elasticd that their daemon serves."""
        return self.bootstrap is None or "ELASTICD_WHEEL" in self.bootstrap


class TlsFiles(BaseModel):
    """The certificate that users and their browsers are shown, with its key, as PEM."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cert: Path = Field(description="The certificate, and below it those of its issuers.")
    key: Path = Field(description="Its private key.")


class PurseSettings(BaseModel):
    """The most that all jobs together may cost; absent is no such cap."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    usd_per_h: FiniteFloat | None = Field(None, gt=0)
    usd_per_day: FiniteFloat | None = Field(None, gt=0)
    usd_per_month: FiniteFloat | None = Field(None, gt=0)
    # Whose days and months they are.
    zone: str = "UTC"

    @field_validator("zone")
    @classmethod
    def _zone_is_known(cls, zone: str) -> str:
        try:
            zone_of(zone)
        except InvalidInput as error:
            raise ValueError(str(error)) from error
        return zone


RECIPIENT_PATTERN = r"^[a-z0-9][a-z0-9_-]{0,62}$"


class NotifySettings(BaseModel):
    """Messages to people: the recipients by name, and the topics."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # Each name with an address as Apprise writes it, or where that is: env:NAME or file:PATH.
    to: dict[str, Annotated[str, Field(min_length=1)]] = Field({}, repr=False)
    # The recipients of messages about the daemon, and about jobs that name no recipient; None: all.
    by_default: tuple[str, ...] | None = None
    # What messages are about (`elastic.model.Topic`); empty: everything.
    topics: tuple[str, ...] = ()
    # Once this share of a budget is spent, there is a message.
    budget_share: FiniteFloat = Field(0.8, gt=0, le=1)
    # Once a job has lost more nodes than that, there is a message.
    node_losses: int = Field(3, ge=0)

    @field_validator("to")
    @classmethod
    def _names_are_plain(cls, to: dict[str, str]) -> dict[str, str]:
        for name in to:
            if not re.match(RECIPIENT_PATTERN, name):
                raise ValueError(f"wanted names such as me or ops-slack, got {name!r}")
        return to

    @field_validator("by_default")
    @classmethod
    def _defaults_are_named(
        cls, names: tuple[str, ...] | None, told: ValidationInfo
    ) -> tuple[str, ...] | None:
        unknown = sorted(set(names or ()) - set(told.data.get("to", {})))
        if unknown:
            raise ValueError(f"wanted names of notify.to, got {', '.join(unknown)}")
        return names


class SshHost(BaseModel):
    """One host of the provider ssh; `elastic.providers.ssh.Host` says what each means."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    type: str | None = Field(None, pattern=r"^[a-z0-9][a-z0-9.-]{0,62}$")
    usd_per_h: FiniteFloat | None = Field(None, ge=0)
    slots: int | None = Field(None, ge=1)
    address: str | None = None
    folder: str | None = None
    python: str | None = None


class SshSettings(BaseModel):
    """Which machines of one's own there are, and how to reach them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # A YAML hosts file or an MPI hostfile.
    hosts_file: Path | None = None
    hosts: tuple[SshHost, ...] = ()
    # Of hosts that name no price of their own.
    usd_per_h: FiniteFloat = Field(0.0, ge=0)
    # OpenSSH's own file; None: ~/.ssh/config.
    config_file: Path | None = None
    # None: those that OpenSSH's configuration names, by default ~/.ssh/known_hosts.
    known_hosts: Path | None = None
    folder: str = ".elasticd"
    python: str | None = None
    package_index: str | None = Field(None, pattern=r"^https?://[^\s/]\S*$")


def _time_limit(text: str) -> str:
    if not re.fullmatch(r"(\d+-)?\d+(:\d+){0,2}|UNLIMITED|INFINITE", text):
        raise ValueError(f"wanted a time as sbatch takes it, such as 12:00:00, got {text!r}")
    return text


class SlurmType(BaseModel):
    """One node type of a Slurm cluster: what a job of one node asks for, and what it costs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]{0,62}$")
    partition: str
    # Cores of one node; None: the whole node.
    cpus: int | None = Field(None, ge=1)
    memory_gib: PositiveFloat | None = None
    # As sbatch takes them: gpu:a100:2, and "skylake&ssd".
    gres: str | None = None
    constraint: str | None = None
    # Where they differ from those of all types.
    account: str | None = None
    qos: str | None = None
    time_limit: Annotated[str, AfterValidator(_time_limit)] | None = None
    # USD an hour of one node; None: by billing units.
    usd_per_h: FiniteFloat | None = Field(None, ge=0)
    # None: as Slurm's own configuration says of the partition.
    preemptible: bool | None = None
    # Whether jobs wait in the queue while no node is idle; None: unless they can be preempted.
    waits: bool | None = None


class SlurmSettings(BaseModel):
    """What elasticd asks Slurm for, and how."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # On a file system that all nodes share; they find what they run there.
    folder: Path = Path("~/.elasticd")
    python: str | None = None
    package_index: str | None = Field(None, pattern=r"^https?://[^\s/]\S*$")
    # Without types, each of these partitions is one; empty: all of them.
    partitions: tuple[str, ...] = ()
    types: tuple[SlurmType, ...] = ()
    account: str | None = None
    qos: str | None = None
    # As sbatch takes it, such as 12:00:00; None: the partition's own.
    time_limit: Annotated[str, AfterValidator(_time_limit)] | None = None
    # How long before its time limit a node begins to be replaced; at most half of the limit.
    notice_s: float = Field(NOTICE_S, ge=30, le=65_535)
    # USD for a billing unit and hour, of types that name no price.
    usd_per_billing_h: FiniteFloat = Field(0.0, ge=0)

    @field_validator("types")
    @classmethod
    def _names_are_unique(cls, types: tuple[SlurmType, ...]) -> tuple[SlurmType, ...]:
        names = [each.name for each in types]
        if len(set(names)) < len(names):
            raise ValueError(f"wanted each node type once, got {', '.join(names)}")
        return types


class Settings(BaseSettings):
    """Every setting of `elasticd serve`."""

    model_config = SettingsConfigDict(
        env_prefix="ELASTICD_",
        env_nested_delimiter="__",
        # A unit file may leave one empty, and an empty data_dir would be the working folder.
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
    )

    host: str = Field(
        "127.0.0.1", description="Address the API listens on; loopback unless you say otherwise."
    )
    port: int = Field(8470, ge=0, le=65535, description="Port the API listens on.")
    node_host: str | None = Field(
        None, description="Address that nodes call, always with TLS; host if absent."
    )
    node_port: int | None = Field(
        None, ge=0, le=65535, description="Port that nodes call; the one after port if absent."
    )
    tls: TlsFiles | None = Field(
        None, description="Certificate and key for users; else the daemon's own beyond loopback."
    )
    rendezvous_ports: str = Field(
        "8472-8970",
        pattern=r"^\d{1,5}-\d{1,5}$",
        description="Ports that jobs' rendezvous stores listen on; 0-0: any.",
    )
    checkpoint_root: str | None = Field(
        None,
        description="Folder, or s3://BUCKET/PREFIX, of checkpoints and artifacts as nodes see it.",
    )
    daemon_urls: tuple[str, ...] = Field(
        (),
        description="Every URL at which nodes may find this daemon or a standby; its own if empty.",
    )
    data_dir: Path = Field(
        default_factory=default_data_dir, description="Folder of the database, tokens and nodes."
    )
    database_url: str | None = Field(
        None, description="SQLAlchemy URL; SQLite in data_dir if absent."
    )
    provider: Literal["local", "ec2", "ssh", "slurm"] = Field(
        "local", description="Where nodes come from."
    )
    tick_s: PositiveFloat = Field(TICK_S, description="Seconds between two looks at the world.")
    heartbeat_s: PositiveFloat = Field(
        HEARTBEAT_S,
        description="Seconds between two heartbeats of a node. Each takes the daemon 2 to 3 ms of "
        "a core (`benchmarks/overload.py`): for more than 200 nodes, set 5.",
    )
    lease_s: PositiveFloat = Field(
        LEASE_S, description="Seconds a node lives on without an answered heartbeat."
    )
    register_timeout_s: PositiveFloat = Field(
        REGISTER_S, description="Seconds a node may take from launch to joining."
    )
    drain_grace_s: PositiveFloat = Field(
        DRAIN_GRACE_S, description="Seconds that workers may take to reach a safe point."
    )
    standstill_s: FiniteFloat = Field(
        STANDSTILL_S,
        ge=0,
        description="Seconds without a turn that raise an alarm, if three times a job's longest "
        "pause; 0: never.",
    )
    max_failures: int = Field(
        3, ge=1, description="Failures in a row, without progress, that fail a job."
    )
    local_types: tuple[LocalType, ...] = Field(
        _DEFAULT_LOCAL_TYPES, description="Node types this machine emulates."
    )
    price_trace: Path | None = Field(
        None, description="CSV or JSON of price changes to replay over the local prices."
    )
    price_source: str | None = Field(
        None,
        description="Where prices come from; else the price trace if there is one, or the "
        "provider's own.",
    )
    metrics_token_file: Path | None = Field(
        None, description="File of a token that opens /metrics alone; made if absent."
    )
    look_token_file: Path | None = Field(
        None, description="File of a token that opens what changes nothing; made if absent."
    )
    policy: PolicySettings = PolicySettings()
    ec2: Ec2Settings = Ec2Settings()
    notify: NotifySettings = NotifySettings()
    purse: PurseSettings = PurseSettings()
    ssh: SshSettings = SshSettings()
    slurm: SlurmSettings = SlurmSettings()
    allowed_hosts: tuple[str, ...] = Field(
        (), description="Host names, beside the loopback ones, that requests may name."
    )

    @field_validator(
        "data_dir", "price_trace", "metrics_token_file", "look_token_file", mode="before"
    )
    @classmethod
    def _paths_are_named(cls, path: object) -> object:
        # It would be the working folder, which no one means who leaves a variable of a shell empty.
        if path == "":
            raise ValueError("wanted a path, got an empty one; . is the working folder")
        return path

    @field_validator("local_types")
    @classmethod
    def _names_are_unique(cls, types: tuple[LocalType, ...]) -> tuple[LocalType, ...]:
        names = [each.name for each in types]
        if len(set(names)) < len(names):
            raise ValueError(f"wanted each local type once, got {', '.join(names)}")
        return types

    @field_validator("daemon_urls")
    @classmethod
    def _urls_are_whole(cls, urls: tuple[str, ...]) -> tuple[str, ...]:
        for each in urls:
            if not re.fullmatch(r"https://[^\s/]+/?", each):
                raise ValueError(
                    "wanted addresses of daemons' listeners for nodes, such as "
                    f"https://10.0.0.5:8471, got {each}"
                )
        return tuple(each.rstrip("/") for each in urls)

    @field_validator("price_trace")
    @classmethod
    def _traces_are_local(cls, trace: Path | None, told: ValidationInfo) -> Path | None:
        if trace is not None and told.data.get("provider") == "ec2":
            raise ValueError(
                "wanted none with provider ec2, whose prices come from EC2 "
                "(a lab's scenario sets its own prices: elasticd lab --scenario)"
            )
        return trace

    @field_validator("rendezvous_ports")
    @classmethod
    def _ports_are_a_range(cls, text: str) -> str:
        first, last = (int(each) for each in text.split("-"))
        if not (first == last == 0 or 0 < first <= last <= 65_535):
            raise ValueError("wanted FIRST-LAST of 1 to 65535, or 0-0 for any port")
        return text

    @property
    def port_range(self) -> range:
        """`rendezvous_ports` as numbers."""
        first, last = (int(each) for each in self.rendezvous_ports.split("-"))
        return range(first, last + 1)

    @property
    def address_of_nodes(self) -> str:
        """The address of the listener of nodes."""
        return self.node_host or self.host

    @property
    def port_of_nodes(self) -> int:
        """The port of the listener of nodes; 0 is any that is free."""
        if self.node_port is not None or not self.port:
            return self.node_port or 0
        return min(self.port + 1, 65_535)

    @property
    def is_encrypted_for_users(self) -> bool:
        """Whether users are answered with TLS: always, where others than this machine can ask."""
        return self.tls is not None or not is_loopback(self.host)

    @property
    def certificate_file(self) -> Path:
        """Where this machine's command line finds what the daemon's certificate is checked by."""
        return self.data_dir / "certificate.pem"

    @property
    def needs_wheel(self) -> bool:
        """Whether nodes install the elasticd of their daemon."""
        if self.provider == "ec2":
            return self.ec2.needs_wheel
        return self.provider == "ssh" or (self.provider == "slurm" and self.slurm.python is None)

    @property
    def url(self) -> str:
        """The database's SQLAlchemy URL."""
        return self.database_url or f"sqlite:///{self.data_dir / 'elasticd.db'}"

    @property
    def job_root(self) -> str:
        """Where nodes keep jobs' checkpoints and artifacts: an absolute folder, or s3://..."""
        root = (self.checkpoint_root or str(self.data_dir / "jobs")).rstrip("/")
        if root.startswith("s3://"):
            return root
        return str(Path(root).absolute())

    @property
    def job_folder(self) -> Path:
        """`job_root` if it is a folder, else the one in `data_dir`, which stays empty."""
        root = self.job_root
        if root.startswith("s3://"):
            return self.data_dir.absolute() / "jobs"
        return Path(root)

    @property
    def token_file(self) -> Path:
        """The file that holds the user's token."""
        return self.data_dir / "token"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        files = _Files(settings_cls, toml_file=_files_there())
        return init_settings, env_settings, files


class _Files(TomlConfigSettingsSource):
    """Settings in files, which are named where they cannot be read."""

    def _read_file(self, file_path: Any) -> dict[str, Any]:
        try:
            return super()._read_file(file_path)
        except (OSError, ValueError) as error:
            raise _cannot_read(file_path, error) from error


def _files_there() -> list[Path]:
    """The files of settings that are there, the later one wins. Raises InvalidInput."""
    found = []
    for path in config_files():
        try:
            if path.is_file():
                found.append(path)
        except OSError as error:
            raise _cannot_read(path, error) from error
    return found


def _cannot_read(path: Path, error: Exception) -> InvalidInput:
    return cannot_read(
        path.absolute(),
        error,
        wanted="settings as TOML",
        advice="correct it, or name another file by ELASTICD_CONFIG",
    )


def load_settings(**overrides: Any) -> Settings:
    """Returns the settings in force. An override of None counts as not given.

    Raises InvalidInput.
    """
    given = {name: value for name, value in overrides.items() if value is not None}
    _refuse_unknown(os.environ)
    named = os.environ.get("ELASTICD_CONFIG")
    if named:
        _check_named(Path(named))
    try:
        settings = Settings(**given)
    except ValidationError as error:
        # The first fault is enough to go on with.
        first = error.errors()[0]
        *table, name = first["loc"]
        if first["type"] == "extra_forbidden":
            fault = no_such("setting", str(name), _settings_in(table))
        else:
            # The addresses of recipients may hold secrets.
            fault = in_words(first, is_secret=first["loc"][:2] == ("notify", "to"))
        raise _refusal(first["loc"], fault, given) from error
    except SettingsError as error:
        # Only these words of the library say which setting it is.
        name = "".join(re.findall(r'field "(\w+)"', str(error)))
        raise InvalidInput(
            f"{_variables(name)}: wanted JSON, as for every list and table in the environment",
            field=name,
        ) from error
    _refuse_contradictions(settings, given)
    return settings


def _check_named(path: Path) -> None:
    """Raises InvalidInput unless the file that ELASTICD_CONFIG names can be read."""
    try:
        path.open("rb").close()
    except FileNotFoundError as error:
        raise InvalidInput(
            f"ELASTICD_CONFIG: wanted a file with settings, found none at {path}; write it, or "
            "unset the variable",
            field="ELASTICD_CONFIG",
        ) from error
    except OSError as error:
        raise cannot_read(
            f"ELASTICD_CONFIG: {path}",
            error,
            wanted="a file with settings",
            advice="name another, or unset the variable",
            field="ELASTICD_CONFIG",
        ) from error


def _refuse_unknown(environment: Mapping[str, str]) -> None:
    """Raises InvalidInput for a variable of elasticd's that is no setting.

    Pydantic ignores it, and knows only the names below a table of settings.
    """
    for variable in sorted(environment):
        name = variable.upper().removeprefix("ELASTICD_")
        # An empty variable counts as absent.
        if name == variable.upper() or not environment[variable]:
            continue
        setting = name.partition("__")[0].lower()
        if (
            setting not in Settings.model_fields
            and name not in _VARIABLES
            and name not in _PROGRAMS_VARIABLES
            and not name.startswith(_PROGRAMS_PREFIXES)
        ):
            known = (*Settings.model_fields, *map(str.lower, _VARIABLES))
            raise InvalidInput(f"{variable}: {no_such('setting', setting, known)}", field=setting)


def _refusal(path: Sequence[str | int], fault: str, given: Collection[str]) -> InvalidInput:
    """What to raise for a wrong setting; names the variable or the file that holds it.

    `given` are the settings that come from neither.
    """
    field = ".".join(map(str, path))
    holder = None
    if path[0] not in given:
        holder = _variable_of(path) or _file_of(str(path[0]))
    if holder is None:
        return InvalidInput(f"setting {field}: {fault}", field=field)
    return InvalidInput(f"{holder}: setting {field}: {fault}", field=field)


def _variable_of(path: Sequence[str | int]) -> str | None:
    """The variable that holds a setting, or a table or list around it."""
    told = {name.upper() for name, value in os.environ.items() if value}
    names = ("__".join(map(str, path[:end])) for end in range(len(path), 0, -1))
    return next((name for each in names if (name := f"ELASTICD_{each}".upper()) in told), None)


def _file_of(name: str) -> Path | None:
    """The file of settings that holds the setting, or the table, of this name."""
    for file in reversed(_files_there()):
        if name in tomllib.loads(file.read_text(encoding="utf-8")):
            return file.absolute()
    return None


def _variables(name: str) -> str:
    """The variables that hold a setting or parts of it."""
    whole = f"ELASTICD_{name}".upper()
    told = (each.upper() for each, value in os.environ.items() if value)
    return " or ".join(sorted(each for each in told if f"{each}__".startswith(f"{whole}__")))


def _settings_in(table: Sequence[str | int]) -> Collection[str]:
    """The names of the settings in a table, by its path."""
    model: type[BaseModel] = Settings
    for part in table:
        if isinstance(part, str):  # a number is a place in a list
            model = _models_in(model.model_fields[part].annotation)[0]
    return model.model_fields


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    """The models that a type names, such as that of a list's entries."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for each in get_args(annotation) for model in _models_in(each)]


def _refuse_contradictions(settings: Settings, given: Collection[str]) -> None:
    """Raises InvalidInput for settings that contradict one another, or name no database."""
    if settings.database_url is not None:
        fault = _fault_of_database(settings.database_url)
        if fault is not None:
            raise _refusal(("database_url",), fault, given)
    policy = settings.policy
    # A stop is decided at a tick and reaches the node with a heartbeat. Then the workers may take
    # the drain's grace. The job pays for all three.
    least_s = settings.tick_s + settings.heartbeat_s + settings.drain_grace_s
    if policy.wind_down_s < least_s:
        raise InvalidInput(
            f"setting policy.wind_down_s: wanted at least {least_s:g} s, the sum of tick_s, "
            "heartbeat_s and drain_grace_s, or ending jobs exceed their budgets; got "
            f"{policy.wind_down_s:g}",
            field="policy.wind_down_s",
        )
    # A lease is renewed by the answer to a heartbeat, and the daemon must have looked before.
    slowest_s = max(settings.tick_s, settings.heartbeat_s)
    if settings.lease_s <= slowest_s:
        raise InvalidInput(
            f"setting lease_s: wanted more than {slowest_s:g} s, the longer of tick_s and "
            "heartbeat_s, or nodes end before their leases are renewed; got "
            f"{settings.lease_s:g}",
            field="lease_s",
        )
    if policy.boot_prior_s is not None and policy.boot_prior_s >= settings.register_timeout_s:
        raise InvalidInput(
            "setting policy.boot_prior_s: wanted less than register_timeout_s, "
            f"{settings.register_timeout_s:g} s, after which a booting node is given up; got "
            f"{policy.boot_prior_s:g}",
            field="policy.boot_prior_s",
        )
    if settings.provider == "ec2":
        _refuse_stale(
            policy.spot_price_max_age_s,
            settings.ec2.spot_refresh_s,
            "spot_price_max_age_s",
            "spot_refresh_s",
        )
        refresh_s = settings.ec2.on_demand_refresh_s
        _refuse_stale(policy.price_max_age_s, refresh_s, "price_max_age_s", "on_demand_refresh_s")


def _fault_of_database(url: str) -> str | None:
    """What is wrong with the URL of a database; None if elasticd can use it."""
    kind, is_url, _ = url.partition("://")
    backend = kind.partition("+")[0]
    # The URL itself may hold a password, so it is not shown.
    if not is_url:
        return "wanted sqlite or postgresql, got no URL"
    if backend not in ("sqlite", "postgresql"):
        return f"wanted sqlite or postgresql, got {backend}"
    if backend == "sqlite" and not _SQLITE.fullmatch(url):
        return "wanted sqlite with a file, such as sqlite:////srv/elasticd.db, got another form"
    if backend == "postgresql" and not _POSTGRESQL.fullmatch(url):
        return "wanted postgresql+psycopg://USER@HOST/DATABASE, got another form"
    return None


def _refuse_stale(max_age_s: float, refresh_s: float, age: str, refresh: str) -> None:
    if max_age_s <= refresh_s:
        raise InvalidInput(
            f"setting policy.{age}: wanted more than ec2.{refresh}, {refresh_s:g} s, or prices "
            f"become too old before they are read again; got {max_age_s:g}",
            field=f"policy.{age}",
        )
