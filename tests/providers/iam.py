"""IAM's evaluation of a policy, as far as elasticd's own need it (IAM User Guide, "Policy
evaluation logic")."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Context = Mapping[str, str | Sequence[str]]


@dataclass(frozen=True, slots=True)
class Asked:
    """One action on one resource; an EC2 call is several of these, and all must be allowed."""

    action: str
    resource: str = "*"
    context: Context = field(default_factory=dict)


def is_allowed(policy: Mapping[str, Any], asked: Asked) -> bool:
    """Some statement allows it and none denies it."""
    effects = {each["Effect"] for each in policy["Statement"] if _speaks_of(each, asked)}
    return effects == {"Allow"}


def actions_of(policy: Mapping[str, Any]) -> set[str]:
    """Every action that some statement allows."""
    return {
        action
        for each in policy["Statement"]
        if each["Effect"] == "Allow"
        for action in _list(each["Action"])
    }


def _speaks_of(statement: Mapping[str, Any], asked: Asked) -> bool:
    return (
        any(fnmatch.fnmatchcase(asked.action, each) for each in _list(statement["Action"]))
        and any(fnmatch.fnmatchcase(asked.resource, each) for each in _list(statement["Resource"]))
        and all(
            _holds(
                operator, _list(asked.context.get(key, ())), [str(each) for each in _list(values)]
            )
            for operator, pairs in statement.get("Condition", {}).items()
            for key, values in pairs.items()
        )
    )


def _holds(operator: str, found: Sequence[str], wanted: Sequence[str]) -> bool:
    if operator.startswith("ForAllValues:"):
        return all(each in wanted for each in found)
    match operator:
        case "StringEquals" | "NumericEquals" | "Bool":
            return bool(found) and all(each in wanted for each in found)
        case "StringLike":
            return bool(found) and any(fnmatch.fnmatchcase(found[0], each) for each in wanted)
    raise AssertionError(f"this test knows nothing of {operator}")


def _list(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)
