"""The port that every provider of machines implements; these docstrings are its contract."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from elastic.errors import InvalidInput
from elastic.model import NodeType, Offering
from elastic.providers.blocks import Blocks
from elastic.providers.leader_lease import LeaseRegister


class InstanceState(StrEnum):
    """What a provider knows of a machine."""

    PENDING = "pending"
    RUNNING = "running"
    STOPPING = "stopping"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """Machines of one offering to be bought for one job, one for each of `node_ids`: all of them or
    none.

    The same `token` never buys a second time. `join_token` is good for one registration of each of
    these nodes; it must appear in no tag, argument list or log. `env` is added to the environment
    of everything that runs on the nodes.

    A provider that has several calls to buy by, each with a memory of tokens of its own, gives
    `note_asked` the name of the one it is about to make, and "" where that has bought nothing for
    sure; it is on record when `note_asked` returns. A repeated request brings the last one noted as
    `asked_by`, another daemon's too.
    """

    token: str
    node_ids: tuple[str, ...]
    job_id: str
    offering: Offering
    daemon_url: str
    join_token: str
    env: Mapping[str, str] = field(default_factory=dict)
    asked_by: str = field(default="", compare=False)
    note_asked: Callable[[str], None] = field(default=lambda by: None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not self.node_ids:
            raise InvalidInput(f"{self.offering}: wanted at least one node to launch, got none")


@dataclass(frozen=True, slots=True)
class Instance:
    """A machine as its provider sees it. `token` is that of the launch that bought it.

    `node_id` is empty while the provider cannot tell which of that launch's nodes it is; it never
    changes afterwards. `exited_at_s` is when it was gone, if the provider can tell. `billed_from_s`
    is from when on the machine itself, apart from its disk, is billed (None: since its launch), as
    far as the provider can tell by now. If it was gone before `waived_before_s`, it was not billed
    at all (None: it was); nor was it if it `never_ran`, which a provider says of one that is gone,
    where it is certain. `ended_because` is why it ends or is gone, in its provider's words; empty
    while it lives, where its end was asked for, or nobody says. `image` is what it was made from,
    None where machines are made from none.
    """

    provider_id: str
    node_id: str
    job_id: str
    token: str
    offering: Offering
    state: InstanceState
    launched_at_s: float
    exited_at_s: float | None = None
    billed_from_s: float | None = None
    waived_before_s: float | None = None
    never_ran: bool = False
    ended_because: str = ""
    image: str | None = None


class Trouble(StrEnum):
    """What a person has to mend though no call fails for it: keep-alive tags that cannot be
    renewed, node types that the settings name and nobody sells."""

    CANNOT_KEEP_ALIVE = "cannot_keep_alive"
    NOT_SOLD = "not_sold"


class Provider(Protocol):
    """Buys and ends machines.

    Every call may be repeated without harm. None of them waits for a machine to boot or to be gone.
    `blocks` is what cannot be bought for a while: a provider that knows how long a refusal holds,
    or what else it concerns, adds to it before it raises; whoever buys adds the rest, and asks it
    before every launch.
    """

    name: str
    minimum_billed_s: float
    blocks: Blocks

    @property
    def lease_register(self) -> LeaseRegister | None:
        """Where daemons agree on who may act on the machines; None where no other one could see
        them."""
        ...

    def node_types(self) -> tuple[NodeType, ...]:
        """The kinds of machine on offer."""
        ...

    def offerings(self) -> tuple[Offering, ...]:
        """Every way to buy them, those that are blocked included."""
        ...

    def launch(self, request: LaunchRequest) -> tuple[Instance, ...]:
        """Buys the machines, or gives those already bought under the same token, whatever their
        states now.

        They come in the order of the request's nodes. Raises CapacityUnavailable if not all of them
        are to be had, and leaves none; ProviderUnavailable if the outcome is unknown or the call
        was throttled (repeat it, the same in every part), Forbidden if the credentials may not,
        ProviderError if asking again would not help. Only an error that `bought_nothing` says
        anything of earlier calls with this token: any other may come before the cloud was asked
        whether they bought.
        """
        ...

    def instances(self) -> tuple[Instance, ...]:
        """Every machine of this cluster that may still cost money, and recently gone ones.

        The list is complete; raises ProviderUnavailable if it cannot be.
        """
        ...

    def keep_alive(self, provider_ids: Collection[str], *, now_s: float) -> None:
        """Renews the keep-alive tags of these machines, so that nothing else ends them; no more
        than that.

        Unknown or gone machines are fine. Raises nothing: what keeps it from renewing is among the
        `troubles`.
        """
        ...

    def terminate(self, provider_id: str, *, now_s: float) -> None:
        """Asks for the machine's end and returns; `instances` shows when it is gone.

        Unknown or gone machines are fine.
        """
        ...

    def prove_end(self, provider_id: str) -> None:
        """Returns if `terminate` of this machine would be permitted now; ends nothing.

        Raises ProviderUnavailable if nobody answers, ProviderError if it would be refused.
        """
        ...

    def console(self, provider_id: str) -> str:
        """The last lines that the machine has printed since it booted; empty if they cannot be had.
        Raises nothing."""
        ...

    def troubles(self) -> Mapping[Trouble, str]:
        """What a person has to mend, as far as other calls have shown, each with its cause. Asks
        nobody."""
        ...

    def log_path(self, provider_id: str) -> str | None:
        """The folder that holds the machine's logs, if it can be read from here."""
        ...
