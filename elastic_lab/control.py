"""The lab's own API under /_lab/, which shows the real state and causes faults."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Protocol

from elastic.durations import NOTICE_S
from elastic.errors import ElasticError, InvalidInput, NotFound
from elastic_lab.bill import Bill
from elastic_lab.price_list import json_answer
from elastic_lab.scenario import CapacityWindow, InjectedFault, Outage, parse_part
from elastic_lab.state import LabState
from elastic_lab.wire import Answer

PREFIX = "/_lab/"


class Controlled(Protocol):
    """What the API needs of a lab."""

    def bill(self) -> Bill: ...
    def state(self) -> LabState: ...
    def environment(self) -> Mapping[str, str]: ...
    def interrupt(
        self, instance_id: str, *, notice_s: float = NOTICE_S, rebalance_s: float | None = None
    ) -> None: ...
    def crash(self, instance_id: str) -> None: ...
    def cut_off(self, instance_id: str, *, is_cut: bool) -> None: ...
    def set_spot_price(
        self, node_type: str, usd_per_h: float, *, zone: str | None = None
    ) -> None: ...
    def add_trouble(self, what: InjectedFault | CapacityWindow | Outage) -> None: ...
    def log(self, instance_id: str) -> str: ...


class Control:
    """Answers requests to /_lab/ with JSON."""

    def __init__(self, lab: Controlled) -> None:
        self._lab = lab

    def answer(self, method: str, path: str, body: bytes) -> Answer:
        """Answers one request; a fault of it is described in `error`."""
        try:
            asked = json.loads(body or b"{}")
            if method == "GET":
                told = self._get(path)
            else:
                told = self._post(path, asked)
            return json_answer(told, kind="application/json")
        except NotFound as error:
            return json_answer(
                {"error": str(error)}, status="404 Not Found", kind="application/json"
            )
        except ElasticError as error:
            said = str(error)
        except (KeyError, TypeError, ValueError):
            found = body[:200].decode(errors="backslashreplace")
            said = f"{path}: wanted JSON with its fields in docs/reference/lab.md, found {found!r}"
        return json_answer({"error": said}, status="400 Bad Request", kind="application/json")

    def _get(self, path: str) -> Mapping[str, Any]:
        name, _, rest = path.removeprefix(PREFIX).partition("/")
        match name:
            case "bill":
                bill = self._lab.bill()
                lines = [{**asdict(line), "usd": line.usd} for line in bill.lines]
                return {"at_s": bill.at_s, "usd": bill.usd, "lines": lines}
            case "state":
                return asdict(self._lab.state())
            case "environment":
                return dict(self._lab.environment())
            case "log":
                return {"log": self._lab.log(rest)}
            case _:
                raise NotFound(f"{path}: wanted bill, state, environment or log/INSTANCE")

    def _post(self, path: str, asked: dict[str, Any]) -> Mapping[str, Any]:
        match path.removeprefix(PREFIX):
            case "interrupt":
                self._lab.interrupt(asked.pop("instance_id"), **asked)
            case "crash":
                self._lab.crash(**asked)
            case "partition":
                self._lab.cut_off(asked["instance_id"], is_cut=_flag(asked, "is_cut"))
            case "price":
                self._lab.set_spot_price(
                    asked.pop("node_type"), float(asked.pop("spot_usd_per_h")), **asked
                )
            case "fault":
                self._lab.add_trouble(parse_part(InjectedFault, asked, source="fault"))
            case "capacity":
                self._lab.add_trouble(parse_part(CapacityWindow, asked, source="capacity"))
            case "outage":
                self._lab.add_trouble(parse_part(Outage, asked, source="outage"))
            case _:
                raise NotFound(
                    f"{path}: wanted interrupt, crash, partition, price, fault, capacity or outage"
                )
        return {}


def _flag(asked: Mapping[str, Any], name: str) -> bool:
    if not isinstance(asked.get(name), bool):
        raise InvalidInput(f"{name}: wanted true or false, found {asked.get(name)!r}", field=name)
    return bool(asked[name])
