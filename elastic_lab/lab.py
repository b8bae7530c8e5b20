"""Assembles a lab, runs it, and removes all of it at the end."""

from __future__ import annotations

import json
import logging
import math
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from ipaddress import IPv4Network
from pathlib import Path
from typing import cast

from moto.moto_server.werkzeug_app import (
    DomainDispatcherApplication,
    MotoRequestHandler,
    create_backend_app,
)
from werkzeug.serving import BaseWSGIServer, make_server

from elastic.clock import Clock, SystemClock
from elastic.durations import NOTICE_S
from elastic.errors import Conflict, InvalidInput, NotFound
from elastic_lab.bill import Bill, Tariff, make_bill
from elastic_lab.callers import OwnCallers
from elastic_lab.cloud import Cloud
from elastic_lab.cloud_init import require_cloud_init
from elastic_lab.control import Control
from elastic_lab.fault_injector import FaultInjector
from elastic_lab.guests import Guest, Guests
from elastic_lab.launching import InstanceLauncher
from elastic_lab.middleware import Middleware
from elastic_lab.namespaces import TOOLS, NamespaceHypervisor, has_namespaces
from elastic_lab.plain import PlainHypervisor
from elastic_lab.prices import PriceBook
from elastic_lab.scenario import (
    CapacityWindow,
    GuestKind,
    InjectedFault,
    Outage,
    Scenario,
    UserData,
)
from elastic_lab.scenario_runner import ScenarioRunner
from elastic_lab.schedule import Schedule
from elastic_lab.sessions import write_plugin
from elastic_lab.slots import Slot, claim_slot
from elastic_lab.state import InstanceView, LabState, view
from elastic_lab.timeline import Timeline
from elastic_lab.wire import WsgiApp

log = logging.getLogger(__name__)
_one_at_a_time = threading.Lock()


class Lab:
    """A running cloud. It shows its real instances; the answers of its API may be late or lost."""

    def __init__(
        self,
        scenario: Scenario,
        hypervisor: NamespaceHypervisor | PlainHypervisor,
        *,
        port: int,
        clock: Clock,
    ) -> None:
        self.scenario = scenario
        self.gateway = hypervisor.address
        self._hypervisor = hypervisor
        self._clock = clock
        boots = scenario.machines is not GuestKind.NONE
        self._cloud = Cloud(scenario, network=hypervisor.network)
        self._timeline = Timeline(clock.now_s(), scenario.speed)
        self._book = PriceBook(scenario, started_at_s=self._timeline.started_at_s)
        self._fault_injector = FaultInjector(scenario)
        self._schedule = Schedule(clock)
        self._guests = Guests(
            scenario, self._cloud, hypervisor if boots else None, self._schedule, clock
        )
        self._play = ScenarioRunner(self._guests, self._schedule, self._timeline, clock)
        # Bound now and served later: port 0 becomes a number, which the endpoint's address needs.
        self._server = self._make_server(port)
        self.endpoint_url = f"http://{hypervisor.address}:{self._server.server_port}"
        hypervisor.endpoint_url = self.endpoint_url

    @property
    def region(self) -> str:
        return self.scenario.region

    @property
    def vpc_id(self) -> str:
        return self._cloud.vpc_id

    @property
    def subnets(self) -> Mapping[str, str]:
        """The subnet of each zone."""
        return self._cloud.subnets

    def environment(self) -> Mapping[str, str]:
        """The environment with which boto3, the AWS CLI and `elasticd` use this lab."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint_url,
            "AWS_ACCESS_KEY_ID": "lab",
            "AWS_SECRET_ACCESS_KEY": "lab",
            "AWS_REGION": self.region,
            "AWS_DEFAULT_REGION": self.region,
            # Machines use the lab's own elasticd, and can reach the lab's address.
            "ELASTICD_NODE_HOST": self.gateway,
            "ELASTICD_EC2__TYPES": json.dumps(list(self.scenario.node_types)),
            # The shell's `true`, a bootstrap that does nothing: elasticd is on this machine
            # already.
            "ELASTICD_EC2__BOOTSTRAP": "true",
            "ELASTICD_EC2__MINIMUM_BILLED_S": f"{self.scenario.minimum_billed_s:g}",
            "ELASTICD_LAB_GATEWAY": self.gateway,
            # With the program that carries sessions of Session Manager.
            "PATH": f"{write_plugin(self._hypervisor.folder / 'bin')}:{os.environ['PATH']}",
        }

    def door_of(self, instance_id: str) -> str | None:
        """How a session enters an instance; None if it does not run."""
        pid = self._guests.first_pid(instance_id)
        if pid is None:
            return None
        return f"lab://{pid}/{self._hypervisor.kind}"

    def bill(self) -> Bill:
        """What everything has really cost so far."""
        tariff = Tariff(
            self.scenario.ebs_usd_per_gib_month,
            self.scenario.public_ipv4_usd_per_h,
            self.scenario.minimum_billed_s,
        )
        usages = [guest.usage() for guest in self._guests.all()]
        return make_bill(usages, self._book, tariff, now_s=self._clock.now_s())

    def state(self) -> LabState:
        return LabState(
            name=self.scenario.name,
            machines=self._hypervisor.kind
            if self.scenario.machines is not GuestKind.NONE
            else "none",
            after_s=self._timeline.after_s(self._clock.now_s()),
            instances=self.instances(),
        )

    def instances(self) -> tuple[InstanceView, ...]:
        """Every instance there ever was, even if the API hides it or has forgotten it."""
        return tuple(view(guest) for guest in self._guests.all())

    def running(self) -> tuple[InstanceView, ...]:
        """Those that are not terminated."""
        return tuple(each for each in self.instances() if each.phase != "terminated")

    def interrupt(
        self, instance_id: str, *, notice_s: float = NOTICE_S, rebalance_s: float | None = None
    ) -> None:
        """Takes a spot instance back after a notice, or with `notice_s=0` without one."""
        self._play.interrupt(self._guest(instance_id), notice_s=notice_s, rebalance_s=rebalance_s)

    def crash(self, instance_id: str) -> None:
        """Makes the instance's host fail: it is gone without a notice."""
        self._guests.end(
            self._guest(instance_id), code="Server.InternalError", message="The host has failed"
        )

    def cut_off(self, instance_id: str, *, is_cut: bool) -> None:
        """Takes an instance off the network, or puts it back."""
        if not isinstance(self._hypervisor, NamespaceHypervisor):
            raise InvalidInput(
                "instances that are plain processes cannot be cut off: run the lab as root"
            )
        self._guests.cut_off(self._guest(instance_id), is_cut=is_cut)

    def set_spot_price(self, node_type: str, usd_per_h: float, *, zone: str | None = None) -> None:
        """Changes a spot price now, in one zone or all, and cancels its planned changes."""
        if node_type not in self.scenario.node_types or not usd_per_h > 0:
            raise InvalidInput(
                f"wanted a node type of the scenario and a positive price, found {node_type} "
                f"{usd_per_h}"
            )
        # From a whole second on, as in its history, so that bill and history agree.
        self._book.set_spot(node_type, usd_per_h, zone=zone, at_s=math.floor(self._clock.now_s()))

    def add_trouble(self, what: InjectedFault | CapacityWindow | Outage) -> None:
        """Adds a fault, a capacity window or an outage; its times count from the lab's start."""
        self._fault_injector.add(what)

    def set_describe_delay(self, delay_s: float) -> None:
        """Hides new instances for this time, except in their launch's answer."""
        self._guests.describe_delay_s = delay_s

    def next_at_s(self) -> float | None:
        """When something happens next by itself; a manual clock should stop there.

        If the clock is moved beyond it, it happens, and is billed, only then.
        """
        return self._schedule.next_at_s()

    def catch_up(self) -> None:
        """Returns once all that is due has happened; for manual clocks."""
        self._schedule.catch_up()

    def log(self, instance_id: str) -> str:
        """What an instance's user data has written."""
        self._guest(instance_id)
        path = self._folder(instance_id) / "console.log"
        if path.exists():
            return path.read_text(errors="replace")
        return ""

    def start(self) -> None:
        self._schedule.start()
        self._play.begin(self.scenario)
        threading.Thread(
            target=self._server.serve_forever, args=(0.05,), name="lab", daemon=True
        ).start()

    def end(self) -> None:
        """Terminates every instance, then stops answering."""
        # Instances first, while the cloud still answers them: their shutdown asks it.
        self._guests.end_all()
        self._server.shutdown()
        self._server.server_close()
        self._schedule.end()

    def _guest(self, instance_id: str) -> Guest:
        guest = self._guests.find(instance_id)
        if guest is None:
            raise NotFound(f"no instance {instance_id} in this lab")
        return guest

    def _folder(self, instance_id: str) -> Path:
        return self._hypervisor.folder / instance_id

    def _make_server(self, port: int) -> BaseWSGIServer:
        moto = cast(WsgiApp, DomainDispatcherApplication(create_backend_app))
        launcher = InstanceLauncher(
            app=moto,
            cloud=self._cloud,
            guests=self._guests,
            book=self._book,
            fault_injector=self._fault_injector,
            timeline=self._timeline,
            clock=self._clock,
        )
        middleware = Middleware(
            moto, self.scenario, launcher, Control(self), self.log, self.door_of
        )
        # Addresses that processes of this machine have are anybody's.
        network = None
        if isinstance(self._hypervisor, NamespaceHypervisor):
            network = IPv4Network(self._hypervisor.network)
        callers = OwnCallers(middleware, self.gateway, network)
        return make_server(
            self.gateway, port, callers, threaded=True, request_handler=_QuietHandler
        )


@contextmanager
def running_lab(scenario: Scenario, *, port: int = 0, clock: Clock | None = None) -> Iterator[Lab]:
    """Runs a lab in this process, one at a time; at the end nothing of it is left.

    First it removes what killed labs have left on this machine.
    """
    kind = _kind(scenario.machines)
    if scenario.user_data is UserData.CLOUD_INIT:
        require_cloud_init(scenario.root, has_namespaces=kind is GuestKind.NAMESPACES)
    clock = clock or SystemClock()
    # Refused and not waited for: a second lab would reset the first one's cloud.
    if not _one_at_a_time.acquire(blocking=False):
        raise Conflict("a lab runs in this process already: moto keeps one cloud a process")
    try:
        if has_namespaces():
            widest = GuestKind.NAMESPACES
        else:
            widest = GuestKind.PROCESSES
        # Clean up after killed labs with all that this machine allows, whatever this lab uses.
        slot = claim_slot(lambda dirty: _hypervisor(widest, dirty, clock).close())
        hypervisor = _hypervisor(kind, slot, clock)
        try:
            hypervisor.open()
            lab = Lab(scenario, hypervisor, port=port, clock=clock)
            lab.start()
            try:
                yield lab
            finally:
                lab.end()
        finally:
            hypervisor.close()
            slot.release()
    finally:
        _one_at_a_time.release()


class _QuietHandler(MotoRequestHandler):
    protocol_version = "HTTP/1.1"  # connections are kept, as by EC2

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        log.debug("%s %s", self.requestline, code)


def _kind(machines: GuestKind) -> GuestKind:
    if machines is GuestKind.AUTO:
        if has_namespaces():
            return GuestKind.NAMESPACES
        return GuestKind.PROCESSES
    if machines is GuestKind.NAMESPACES and not has_namespaces():
        raise InvalidInput(
            f"machines: namespaces need root and the commands {', '.join(TOOLS)}", field="machines"
        )
    return machines


def _hypervisor(kind: GuestKind, slot: Slot, clock: Clock) -> NamespaceHypervisor | PlainHypervisor:
    shape = NamespaceHypervisor if kind is GuestKind.NAMESPACES else PlainHypervisor
    return shape(name=slot.name, number=slot.number, folder=slot.folder, clock=clock)
