"""Which machine is which node's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from elastic.model import Node
from elastic.providers import Instance, InstanceState


def matched(known: Sequence[Node], instances: Sequence[Instance]) -> dict[str, Instance]:
    """The machine of each node that has one, by the node's id: the one on record, else the one
    bought for it."""
    by_id = {each.provider_id: each for each in instances}
    by_node = {(each.token, each.node_id): each for each in instances}
    found = {
        node.id: by_node.get((node.token, node.id))
        if node.provider_id is None
        else by_id.get(node.provider_id)
        for node in known
    }
    return {node_id: instance for node_id, instance in found.items() if instance is not None}


def orphans(
    known: Sequence[Node], found: Mapping[str, Instance], instances: Sequence[Instance]
) -> set[str]:
    """The machines that cost money and that no living node stands for."""
    own = {each.provider_id for each in found.values()}
    # A machine that cannot be told from its fellows yet may be any node of its launch that still
    # lacks one.
    lacking = {node.token for node in known if node.provider_id is None and node.id not in found}
    return {
        each.provider_id
        for each in instances
        if each.state is not InstanceState.GONE
        and each.provider_id not in own
        and not (each.token in lacking and not each.node_id)
    }
