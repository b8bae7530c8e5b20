"""Stands in for AWS's command line where the documents use it: `SERVICE OPERATION --option value
...`, by botocore."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import boto3
import jmespath
from botocore import xform_name
from botocore.exceptions import ClientError


def main(arguments: list[str]) -> int:
    service, operation, *rest = arguments
    client = boto3.client({"s3api": "s3"}.get(service, service))  # type: ignore[call-overload]
    method = operation.replace("-", "_")
    (name,) = (
        each for each in client.meta.service_model.operation_names if xform_name(each) == method
    )
    members = client.meta.service_model.operation_model(name).input_shape.members
    by_option = {xform_name(each).replace("_", "-"): each for each in members}
    given, query = {}, None
    while rest:
        option = rest.pop(0).removeprefix("--")
        values = [rest.pop(0)]
        while rest and not rest[0].startswith("--"):
            values.append(rest.pop(0))
        if option == "query":
            query = values[0]
        elif option != "output":
            parameter = by_option[option]
            given[parameter] = _value(members[parameter].type_name, values)
    try:
        told = getattr(client, method)(**given)
    except ClientError as error:
        print(error, file=sys.stderr)
        return 254
    print(_text(jmespath.search(query, told)) if query else json.dumps(told, default=str))
    return 0


def _value(kind: str, values: list[str]) -> Any:
    first = values[0]
    if first.startswith("file://"):
        return Path(first.removeprefix("file://")).read_text()
    if kind in ("structure", "list", "map"):
        if first.lstrip()[0] in "[{":
            return json.loads(first)
        return [_shorthand(each) for each in values] if kind == "list" else _shorthand(first)
    return int(first) if kind == "integer" else first


def _shorthand(text: str) -> dict[str, Any]:
    """`Name=x,Values=y,z` and `A=true,B=false`: whoever has a plural name gets a list."""
    found: dict[str, Any] = {}
    for key, value in re.findall(r"([A-Z]\w*)=(.*?)(?:,(?=[A-Z]\w*=)|$)", text):
        found[key] = (
            value.split(",")
            if key == "Values"
            else {"true": True, "false": False}.get(value, value)
        )
    return found


def _text(value: Any) -> str:
    return "\t".join(map(str, value)) if isinstance(value, list) else str(value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
