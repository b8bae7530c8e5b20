"""The tags on all that elasticd owns, by which it can be found and ended without its files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from elastic.config import Ec2Settings

CLUSTER = "elasticd:cluster"
JOB = "elasticd:job"
# The node that a machine is. A machine that was bought with others gets it once it is assigned.
NODE = "elasticd:node"
# The nodes of the launch that bought the machine, set at its creation; more follow in
# `elasticd:nodes.2`.
NODES = "elasticd:nodes"
# The token of the launch that bought the machine.
INTENT = "elasticd:intent"
# The keep-alive tag: when a daemon last renewed it, in Unix seconds. `elasticd gc` ends machines
# whose tag was not renewed for long. Its name is older than the word. An earlier `elasticd gc` that
# still runs somewhere would end machines that have no tag of this name.
KEEP_ALIVE = "elasticd:attended"


# EC2 User Guide, "Tag restrictions".
_LONGEST_VALUE = 256


def common(settings: Ec2Settings) -> dict[str, str]:
    """The tags of everything that is made for the cluster."""
    return {**settings.tags, CLUSTER: settings.cluster}


def node_tags(node_ids: Sequence[str]) -> dict[str, str]:
    """The tags that name the nodes of a launch, set on its machines at their creation.

    >>> node_tags(["node-1"]), node_tags(["node-1", "node-2"])
    ({'elasticd:node': 'node-1'}, {'elasticd:nodes': 'node-1 node-2'})
    """
    if len(node_ids) == 1:
        return {NODE: node_ids[0]}
    values = [""]
    for node_id in node_ids:
        if len(values[-1]) + 1 + len(node_id) > _LONGEST_VALUE:
            values.append("")
        values[-1] = f"{values[-1]} {node_id}".strip()
    return {
        NODES if number == 1 else f"{NODES}.{number}": value
        for number, value in enumerate(values, start=1)
    }


def node_ids(tags: Mapping[str, str]) -> tuple[str, ...]:
    """The nodes of the launch that bought a machine with these tags.

    >>> node_ids({"elasticd:node": "node-2", "elasticd:nodes": "node-1 node-2"})
    ('node-1', 'node-2')
    """
    found = tags.get(NODES, tags.get(NODE, ""))
    number = 2
    while (more := tags.get(f"{NODES}.{number}")) is not None:
        found = f"{found} {more}"
        number += 1
    return tuple(found.split())


def tag_list(tags: Mapping[str, str]) -> list[dict[str, str]]:
    """Tags as EC2 takes them."""
    return [{"Key": key, "Value": value} for key, value in tags.items()]


def tags_of(resource: Mapping[str, Any]) -> dict[str, str]:
    """The tags of anything that EC2 described."""
    return {each["Key"]: each["Value"] for each in resource.get("Tags", [])}


def tagged(tags: Mapping[str, str]) -> list[dict[str, object]]:
    """A filter for what carries all of these tags."""
    return [{"Name": f"tag:{key}", "Values": [value]} for key, value in tags.items()]


def specifications(kinds: Iterable[str], tags: Mapping[str, str]) -> list[dict[str, object]]:
    """Tags for resources of these kinds, given at their creation; nothing without any tag."""
    return [{"ResourceType": kind, "Tags": tag_list(tags)} for kind in kinds if tags]
