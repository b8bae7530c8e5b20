"""Placement groups, which moto does not have."""

from __future__ import annotations

import secrets
from typing import Any

from elastic_lab.wire import Answer, Ec2Call, Ec2Error


class PlacementGroups:
    """The account's placement groups; they do not affect the instances that name them."""

    def __init__(self) -> None:
        self._groups: dict[str, dict[str, Any]] = {}

    def answer(self, call: Ec2Call) -> Answer:
        """Creates, describes or deletes groups."""
        parameters = call.parameters
        name = str(parameters.get("GroupName", ""))
        match call.action:
            case "CreatePlacementGroup":
                return call.answer({"PlacementGroup": self._create(name, parameters)})
            case "DeletePlacementGroup":
                if self._groups.pop(name, None) is None:
                    raise Ec2Error(
                        "InvalidPlacementGroup.Unknown", f"The Placement Group '{name}' is unknown."
                    )
                return call.answer({})
            case _:
                return call.answer({"PlacementGroups": self._found(parameters)})

    def _create(self, name: str, parameters: dict[str, Any]) -> dict[str, Any]:
        if name in self._groups:
            raise Ec2Error(
                "InvalidPlacementGroup.Duplicate", f"The Placement Group '{name}' already exists."
            )
        tags = [
            tag for spec in parameters.get("TagSpecifications", ()) for tag in spec.get("Tags", ())
        ]
        self._groups[name] = {
            "GroupName": name,
            "GroupId": f"pg-{secrets.token_hex(8)}",
            "State": "available",
            "Strategy": parameters.get("Strategy", "cluster"),
            "Tags": tags,
        }
        return self._groups[name]

    def _found(self, parameters: dict[str, Any]) -> list[dict[str, Any]]:
        names = parameters.get("GroupNames", ())
        for name in names:
            if name not in self._groups:
                raise Ec2Error(
                    "InvalidPlacementGroup.Unknown", f"The Placement Group '{name}' is unknown."
                )
        return [group for name, group in self._groups.items() if not names or name in names]
