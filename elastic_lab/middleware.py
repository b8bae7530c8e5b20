"""Stands in front of moto: does what EC2 does and moto does not, and passes the rest on."""

from __future__ import annotations

import io
import socket
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from elastic_lab.account import action_of, answer_account
from elastic_lab.catalogue import (
    describe_instance_type_offerings,
    describe_spot_price_history,
    only_types_on_sale,
)
from elastic_lab.console import console_output
from elastic_lab.control import PREFIX, Control
from elastic_lab.fleet import create_fleet
from elastic_lab.launching import InstanceLauncher
from elastic_lab.placement import PlacementGroups
from elastic_lab.price_list import TARGET, answer_price_list, json_answer
from elastic_lab.scenario import Effect, InjectedFault, Scenario
from elastic_lab.sessions import TARGET as SESSIONS
from elastic_lab.sessions import answer_session
from elastic_lab.tokens import ClientTokens
from elastic_lab.wire import (
    Answer,
    Ec2Call,
    Ec2Error,
    Environ,
    StartResponse,
    WsgiApp,
    read_ec2_call,
)


@dataclass(frozen=True, slots=True)
class Middleware:
    """The WSGI application with the account's whole cloud."""

    app: WsgiApp
    scenario: Scenario
    launcher: InstanceLauncher
    control: Control
    console: Callable[[str], str]
    # How a session enters an instance; None for one that does not run.
    door_of: Callable[[str], str | None]
    tokens: ClientTokens = field(default_factory=ClientTokens)
    groups: PlacementGroups = field(default_factory=PlacementGroups)
    purchases: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        # The lab's own controls answer during an outage, too: they are what ends it.
        if path.startswith(PREFIX):
            return self.control.answer(environ["REQUEST_METHOD"], path, _take_body(environ)).send(
                start_response
            )
        # During an outage the whole cloud hangs up.
        now_s = self.launcher.clock.now_s()
        after_s = self.launcher.timeline.after_s(now_s)
        if self.launcher.fault_injector.is_out(after_s=after_s):
            raise hang_up(environ)
        # The price list, EC2, and what moto answers: each with the faults of the scenario.
        target = environ.get("HTTP_X_AMZ_TARGET", "")
        if target.startswith(TARGET):
            action = target.removeprefix(TARGET)
            body = _take_body(environ)
            fault = self.launcher.fault_injector.take_fault(action, after_s=after_s)
            return self._price_list(environ, action, body, fault).send(start_response)
        if environ.get("CONTENT_TYPE", "").startswith("application/x-www-form-urlencoded"):
            call = read_ec2_call(environ, _take_body(environ))
            if call is not None:
                return self._meet(
                    call, self.launcher.fault_injector.take_fault(call.action, after_s=after_s)
                ).send(start_response)
        action = action_of(environ, _take_body(environ))
        body = _take_body(environ)
        fault = self.launcher.fault_injector.take_fault(action, after_s=after_s, is_named=True)
        answer = answer_account(environ, action, body, self.scenario, fault)
        if answer is None and target == f"{SESSIONS}{action}":
            answer = answer_session(action, body, self.door_of)
        if answer is None:
            return self.app(environ, start_response)
        return answer.send(start_response)

    def _price_list(
        self, environ: Environ, action: str, body: bytes, fault: InjectedFault | None
    ) -> Answer:
        if fault is None or fault.effect is Effect.DUPLICATE:
            return answer_price_list(action, body, self.scenario)
        if fault.effect is Effect.LOSE:
            raise hang_up(environ)
        if fault.effect is Effect.THROTTLE:
            code = "ThrottlingException"
        else:
            code = fault.code
        return json_answer({"__type": code, "Message": fault.message}, status="400 -")

    def _meet(self, call: Ec2Call, fault: InjectedFault | None) -> Answer:
        """Answers a call under the fault that it meets."""
        match None if fault is None else fault.effect:
            case Effect.THROTTLE:
                return call.answer(Ec2Error("RequestLimitExceeded", "Request limit exceeded."))
            case Effect.ERROR if fault is not None:
                return call.answer(Ec2Error(fault.code, fault.message))
            case Effect.LOSE:
                self._do(call)
                raise hang_up(call.environ)
            # What a network that repeats a request does: the second must change nothing.
            case Effect.DUPLICATE:
                self._do(call)
                return self._do(call)
            case _:
                return self._do(call)

    def _do(self, call: Ec2Call) -> Answer:
        try:
            return self._answer(call)
        except Ec2Error as error:
            return call.answer(error)

    def _answer(self, call: Ec2Call) -> Answer:
        match call.action:
            case "RunInstances":
                with self.purchases:
                    return self.tokens.once(call, lambda: self.launcher.run_instances(call))
            case "CreateFleet" if call.form.get("Type") == "instant":
                with self.purchases:
                    return self.tokens.once(call, lambda: create_fleet(call, self.launcher))
            case "CreateLaunchTemplateVersion":
                with self.purchases:
                    return self.tokens.once(call, lambda: (self._forward(call), ()))
            case "GetConsoleOutput":
                return console_output(call, self.console)
            case "DescribeSpotPriceHistory":
                return describe_spot_price_history(
                    call, self.launcher.book, now_s=self.launcher.clock.now_s()
                )
            case "DescribeInstanceTypeOfferings":
                return describe_instance_type_offerings(call, self.scenario)
            case "DescribeInstanceTypes":
                return self._forward(only_types_on_sale(call, self.scenario))
            case "CreatePlacementGroup" | "DescribePlacementGroups" | "DeletePlacementGroup":
                return self.groups.answer(call)
            case _:
                return self._forward(call)

    def _forward(self, call: Ec2Call) -> Answer:
        with self.launcher.guests.lock:
            answer = call.forward(self.app)
            # What only reads changes no instance, and is most of what is called.
            if not call.action.startswith(("Describe", "Get")):
                self.launcher.guests.take_over()
            return answer


def hang_up(environ: Environ) -> ConnectionResetError:
    """Cuts the caller's connection; returns the error to raise, so that the server knows."""
    with suppress(OSError):
        environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
    return ConnectionResetError("cut by the scenario")


def _take_body(environ: Environ) -> bytes:
    """The body, which the next reader can read again."""
    body: bytes = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    environ["wsgi.input"] = io.BytesIO(body)
    return body
