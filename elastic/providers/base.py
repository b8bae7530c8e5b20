"""The port that every provider of machines implements; its docstrings are the contract."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from elastic.errors import InvalidInput
from elastic.model import NodeType, Offering, WayIn
from elastic.providers.blocks import Blocks
from elastic.providers.leader_lease import LeaseRegister


class InstanceState(StrEnum):
    """The state of a machine, as far as its provider knows."""

    PENDING = "pending"
    RUNNING = "running"
    STOPPING = "stopping"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """Machines of one offering to buy for one job: one for each of `node_ids`, all or none."""

    # The same token never buys a second time.
    token: str
    node_ids: tuple[str, ...]
    job_id: str
    offering: Offering
    daemon_url: str
    # Good for one registration of each of these nodes. It must not appear in any tag, argument list
    # or log.
    join_token: str
    # Where else nodes may find it, or one that took over.
    other_urls: tuple[str, ...] = ()
    # What nodes trust as the daemon's certificate, as PEM; empty only where they call loopback.
    daemon_certificate: str = ""
    # Added to the environment of everything that runs on the nodes.
    env: Mapping[str, str] = field(default_factory=dict)
    # Whether workers run in a container, for which not every machine has an engine.
    has_image: bool = False
    # The call that an earlier attempt with this token made, by any daemon; empty if none may have
    # bought. It matters to a provider with several calls to buy by, which do not know each other's
    # tokens.
    asked_by: str = field(default="", compare=False)
    # Records the call that is about to be made, or "" if it has certainly bought nothing. It is
    # durable when this returns.
    note_asked: Callable[[str], None] = field(default=lambda by: None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.node_ids:
            raise InvalidInput(f"{self.offering}: wanted at least one node to launch, got none")

    def agent_config(
        self, *, checkpoint_root: str, artifact_root: str, lease_s: float, **own: object
    ) -> dict[str, object]:
        """The configuration of a node's agent; `own` is what only its kind of machine has."""
        return {
            "daemon_url": self.daemon_url,
            "other_urls": list(self.other_urls),
            "daemon_certificate": self.daemon_certificate,
            "join_token": self.join_token,
            "checkpoint_root": checkpoint_root,
            "artifact_root": artifact_root,
            "lease_s": lease_s,
            "env": dict(self.env),
            **own,
        }


@dataclass(frozen=True, slots=True)
class Instance:
    """A machine as its provider sees it."""

    provider_id: str
    # Empty while the provider cannot tell which of the launch's nodes it is; then it never changes.
    node_id: str
    job_id: str
    # That of the launch that bought it.
    token: str
    offering: Offering
    state: InstanceState
    launched_at_s: float
    # When it was gone; None while it is not, or if the provider does not know.
    exited_at_s: float | None = None
    # Since when the machine, apart from its disk, is billed; None: since its launch.
    billed_from_s: float | None = None
    # It is not billed if it was gone before this; None: it is billed in any case.
    waived_before_s: float | None = None
    # True only for one that is gone and certainly never ran; then it is not billed either.
    never_ran: bool = False
    # Why it ends or has ended, in the provider's words. Empty while it lives, if its end was asked
    # for, or if the provider does not say.
    ended_because: str = ""
    # Whether it ends or has ended because its provider had no room for it any more, or at all. The
    # machine itself failed in nothing.
    was_taken: bool = False
    # What it was made from; None where there are no images.
    image: str | None = None
    # Whether it waits its turn in a queue, which may take hours and is no failure to boot.
    is_queued: bool = False


class Trouble(StrEnum):
    """A problem that a person has to fix, though no call fails because of it."""

    # Keep-alive tags cannot be renewed.
    CANNOT_KEEP_ALIVE = "cannot_keep_alive"
    # The settings name node types that are not sold.
    NOT_SOLD = "not_sold"
    # Hosts that somebody has cannot be used.
    HOSTS = "hosts"


class Provider(Protocol):
    """Buys and ends machines.

    Every call may be repeated without harm. None of them waits until a machine has booted or ended.
    """

    name: str
    # The least time that is billed for a machine.
    minimum_billed_s: float
    # What cannot be bought for a while. A provider that knows how long a refusal holds, or what
    # else it concerns, adds that before it raises. The caller adds the rest, and looks here before
    # every launch.
    blocks: Blocks

    @property
    def lease_register(self) -> LeaseRegister | None:
        """Where daemons agree which one acts on the machines; None if no other could see them."""
        ...

    def node_types(self) -> tuple[NodeType, ...]:
        """The kinds of machine on offer."""
        ...

    def offerings(self) -> tuple[Offering, ...]:
        """Every way to buy them, including those that are blocked."""
        ...

    def launch(self, request: LaunchRequest) -> tuple[Instance, ...]:
        """Buys the machines, or returns those that were bought before with the same token.

        They come in the order of the request's nodes, in whatever states they are. An error that
        `bought_nothing` is final for earlier calls with this token too. Any other error may come
        before the cloud was asked whether they bought.

        Raises:
            CapacityUnavailable: Not all of them are available; none is left.
            ProviderUnavailable: The outcome is unknown, or the call was throttled. Repeat it with
                the same request.
            Forbidden: The credentials do not permit it.
            ProviderError: Another attempt would fail too.
        """
        ...

    def instances(self) -> tuple[Instance, ...]:
        """Every machine of this cluster that may still cost money, and those that ended recently.

        Raises ProviderUnavailable if the list cannot be complete.
        """
        ...

    def keep_alive(self, provider_ids: Collection[str], *, now_s: float) -> None:
        """Renews the keep-alive tags of these machines, so that no reaper ends them.

        Unknown or gone machines are fine. Raises nothing; a failure is among the `troubles`.
        """
        ...

    def terminate(self, provider_id: str, *, now_s: float) -> None:
        """Asks for the machine's end and returns; `instances` shows when it is gone.

        Unknown or gone machines are fine.
        """
        ...

    def prove_end(self, provider_id: str) -> None:
        """Returns if `terminate` of this machine would be permitted now; ends nothing.

        Raises ProviderUnavailable without an answer, ProviderError if it would be refused.
        """
        ...

    def console(self, provider_id: str) -> str:
        """The last lines that the machine printed since it booted; empty if they are not available.

        Raises nothing.
        """
        ...

    def troubles(self) -> Mapping[Trouble, str]:
        """What a person has to fix, with causes, as far as other calls have shown."""
        ...

    def log_path(self, provider_id: str) -> str | None:
        """The folder that holds the machine's logs, if it can be read from here."""
        ...

    def way_in(self, provider_id: str, *, node_id: str) -> WayIn | None:
        """How a person enters the machine; None if nothing of it runs now.

        It asks neither a cloud nor a host. Raises ProviderError where there is no way in.
        """
        ...
