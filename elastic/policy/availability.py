"""What a group would still have to buy, and why that cannot be bought now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import assert_never

from elastic.figures import moment
from elastic.model import Group, NodePhase, Obstacle, Offering, Snapshot, Unavailable, longest_block
from elastic.policy.quotes import Quotes
from elastic.policy.words import offering_name, shortened

# Bought, and not on its way out.
_PRESENT = frozenset({NodePhase.BOOTING, NodePhase.JOINED})

# The code of a reason: what was wanted cannot be bought now.
UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True)
class Lack:
    """Why a node cannot be bought now."""

    # The reason, for a person.
    text: str
    # When it is tried again; None if that is not known.
    until_s: float | None = None


def lack_of(snapshot: Snapshot, group: Group, quotes: Quotes) -> Lack | None:
    """Why `group` cannot be completed now; None if all its nodes exist or can be bought.

    `quotes` are the fresh ones. Nodes that exist need neither capacity nor a price: neither a block
    nor a silent price feed ends them.
    """
    return next(_lacks(snapshot, group, quotes), None)


def needs_purchase(snapshot: Snapshot, group: Group) -> bool:
    """Whether some of the group's nodes still have to be bought."""
    return any(count > _present(snapshot, offering) for offering, count in group.members)


def combined(lacks: Iterable[Lack]) -> Lack:
    """Several lacks as one: each text once, the lack that ends first comes first."""
    ordered = sorted(
        set(lacks), key=lambda lack: (lack.until_s is None, lack.until_s or 0.0, lack.text)
    )
    return Lack("; ".join(shortened([lack.text for lack in ordered])), ordered[0].until_s)


def until(until_s: float | None) -> dict[str, float]:
    """The number that a reason stores about a lack."""
    if until_s is None:
        return {}
    return {"unavailable_until_s": until_s}


def _lacks(snapshot: Snapshot, group: Group, quotes: Quotes) -> Iterator[Lack]:
    for offering, count in group.members:
        missing = count - _present(snapshot, offering)
        if missing <= 0:
            continue
        block = longest_block(snapshot.unavailable, offering, missing, now_s=snapshot.now_s)
        if block is not None:
            yield Lack(
                f"{_in_words(block)} until {moment(block.until_s, snapshot.now_s)}", block.until_s
            )
        elif offering not in quotes:
            yield Lack(f"no fresh price for {offering_name(offering)}")


def _present(snapshot: Snapshot, offering: Offering) -> int:
    """How many nodes of an offering exist and will stay.

    A node that its cloud has announced to take back does not count.
    """
    own = [node for node in snapshot.nodes if node.offering == offering]
    bought = sum(node.phase in _PRESENT and node.leaves_at_s is None for node in own)
    if snapshot.current:
        # What trains counts too, even where its node rows are not known.
        trains = dict(snapshot.current.members).get(offering, 0)
    else:
        trains = 0
    return max(bought, trains - sum(node.leaves_at_s is not None for node in own))


def _in_words(block: Unavailable) -> str:
    sold = offering_name(block.offering)
    least = ""
    if block.nodes > 1:
        least = f"{block.nodes} or more new nodes of "
    match block.why:
        case Obstacle.CAPACITY:
            return f"no capacity for {least}{sold}"
        case Obstacle.QUOTA:
            return f"the account's quota leaves no room for {least}{sold}"
        case Obstacle.FORBIDDEN:
            return f"the credentials may not buy {sold}"
        case Obstacle.LAUNCH_FAILED:
            return f"launching {sold} failed: no new node"
        case Obstacle.INTERRUPTED:
            return f"a node of {sold} is being taken back: no new node"
        case Obstacle.FAILED_TO_JOIN:
            return f"a node of {sold} never joined: no new node"
        case _:
            assert_never(block.why)
