"""Whose workers are done, and whether a job is: in mode restart each node's workers speak only of
themselves."""

from __future__ import annotations

from collections.abc import Sequence

from elastic.model import Exit, Mode, Node, Outcome
from elastic.reconciler.world import World, lives


def exit_of(node: Node | None, number: int) -> Exit | None:
    """How this generation ended on a node, if it did."""
    return (
        node.exit
        if node is not None and node.exit is not None and node.exit.generation == number
        else None
    )


def is_done(world: World, members: Sequence[Node | None], exits: Sequence[Exit | None]) -> bool:
    """Whether the job is complete: any member of a session may say so; elsewhere each speaks only
    of its own workers.

    torchrun waits 300 s for other nodes' workers and then ends well, while the first rank may still
    judge or save.
    """
    if world.job.spec.mode is Mode.LIVE:
        return any(each is not None and each.outcome is Outcome.SUCCEEDED for each in exits)
    of_living = [each for node, each in zip(members, exits, strict=True) if node is not None]
    return bool(of_living) and all(
        each is not None and each.outcome is Outcome.SUCCEEDED for each in of_living
    )


def is_closing(world: World) -> bool:
    """Whether some members are done and the others can be: in another group all would do their work
    once more."""
    active = world.active
    if active is None or world.job.spec.mode is Mode.LIVE:
        return False
    rows = {node.id: node for node in world.nodes}
    members = [
        rows.get(node_id) for node_id in active.node_ids if node_id not in world.done_and_gone
    ]
    exits = [exit_of(node, active.number) for node in members]
    are_staying = all(node is not None and is_usable(node) for node in at_work(members, exits))
    outcomes = {each.outcome for each in exits if each is not None}
    return (
        are_staying
        and (bool(world.done_and_gone) or bool(outcomes))
        and outcomes <= {Outcome.SUCCEEDED}
    )


def at_work(members: Sequence[Node | None], exits: Sequence[Exit | None]) -> list[Node | None]:
    """The members whose workers have not ended."""
    return [node for node, each in zip(members, exits, strict=True) if each is None]


def is_usable(node: Node) -> bool:
    """Whether its machine lives and nobody has said that it is taken back."""
    return lives(node) and node.leaves_at_s is None
