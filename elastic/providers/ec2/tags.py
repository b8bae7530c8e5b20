"""The tags by which elasticd knows what it owns: whoever holds none of its files can still find and end it all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

CLUSTER = "elasticd:cluster"
JOB = "elasticd:job"
NODE = "elasticd:node"
INTENT = "elasticd:intent"
ATTENDED = "elasticd:attended"
"""When a daemon last stood for the machine, in Unix seconds; `elasticd gc` ends what nobody stands for."""


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
    """Tags for resources of these kinds, given at their creation."""
    return [{"ResourceType": kind, "Tags": tag_list(tags)} for kind in kinds]
