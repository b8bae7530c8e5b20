"""The lab as a process of its own: it outlives every daemon, and its clock moves when it is told
to."""

from __future__ import annotations

import multiprocessing
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from moto.backends import get_backend

from elastic.clock import ManualClock
from elastic.providers.ec2 import tags
from elastic_lab import ACCOUNT_ID, Lab, parse_scenario, running_lab


@dataclass(frozen=True, slots=True)
class Sighting:
    """One instance as it really is: what bought it, and whether it lives."""

    instance_id: str
    node_type: str
    phase: str
    intent: str
    cluster: str


class Laboratory:
    """Speaks to the lab's process; `port` is where its API listens."""

    def __init__(self, scenario: Mapping[str, Any], *, started_at_s: float, port: int) -> None:
        self.port = port
        self._line, theirs = multiprocessing.Pipe()
        self._pid = os.fork()
        if self._pid == 0:
            self._line.close()  # else it would never hear that nobody is left who asks
            _run(scenario, ManualClock(started_at_s), port, theirs)
        theirs.close()
        self.environment: Mapping[str, str] = self._line.recv()

    def pass_by(self, duration_s: float) -> None:
        """Lets time pass, and all that falls due in it happen."""
        self._ask("pass_by", duration_s)

    def living(self) -> tuple[Sighting, ...]:
        return tuple(each for each in self.all() if each.phase in ("pending", "running"))

    def all(self) -> tuple[Sighting, ...]:
        """Every instance there ever was."""
        found: tuple[Sighting, ...] = self._ask("all")
        return found

    def show_after(self, delay_s: float) -> None:
        """New instances are listed so much later than they are bought, from now on."""
        self._ask("set_describe_delay", delay_s)

    def set_spot_price(self, node_type: str, usd_per_h: float) -> None:
        self._ask("set_spot_price", node_type, usd_per_h)

    def billed_usd(self) -> Mapping[str, float]:
        """What each instance has cost in truth, by its id."""
        found: Mapping[str, float] = self._ask("billed_usd")
        return found

    def end(self) -> None:
        self._line.send(None)
        os.waitpid(self._pid, 0)
        self._line.close()

    def _ask(self, what: str, *args: Any) -> Any:
        self._line.send((what, *args))
        return self._line.recv()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _run(scenario: Mapping[str, Any], clock: ManualClock, port: int, line: Connection) -> None:
    code = 1
    try:
        with running_lab(parse_scenario(scenario), clock=clock, port=port) as lab:
            said: dict[str, dict[str, str]] = {}
            line.send(dict(lab.environment()))
            while (request := line.recv()) is not None:
                line.send(_answer(lab, clock, said, *request))
        code = 0
    except EOFError:
        pass
    finally:
        os._exit(code)


def _answer(
    lab: Lab, clock: ManualClock, said: dict[str, dict[str, str]], what: str, *args: Any
) -> Any:
    match what:
        case "pass_by":
            return _pass_by(lab, clock, *args)
        case "all":
            return _sightings(lab, said)
        case "set_spot_price":
            return lab.set_spot_price(*args)
        case "set_describe_delay":
            return lab.set_describe_delay(*args)
        case _:
            return {line.instance_id: line.usd for line in lab.bill().lines}


def _pass_by(lab: Lab, clock: ManualClock, duration_s: float) -> None:
    """Stops wherever something happens, so that it happens at its own instant."""
    end_s = clock.now_s() + duration_s
    while (at_s := lab.next_at_s()) is not None and at_s < end_s:
        clock.advance(max(at_s - clock.now_s(), 0.0))
        lab.catch_up()
    clock.advance(end_s - clock.now_s())
    lab.catch_up()


def _sightings(lab: Lab, said: dict[str, dict[str, str]]) -> tuple[Sighting, ...]:
    """`said` keeps the tags, which an instance has from its creation on, listed or not."""
    backend = get_backend("ec2")[ACCOUNT_ID][lab.region]
    instances = lab.instances()
    for each in instances:
        if each.instance_id not in said:
            found = backend.describe_tags(filters={"resource-id": [each.instance_id]})
            said[each.instance_id] = {tag["key"]: tag["value"] for tag in found}
    return tuple(
        Sighting(
            each.instance_id,
            each.node_type,
            each.phase,
            said[each.instance_id].get(tags.INTENT, ""),
            said[each.instance_id].get(tags.CLUSTER, ""),
        )
        for each in instances
    )
