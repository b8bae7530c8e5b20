"""Answers calls about the account: its quotas, and a refusal to simulate policies."""

from __future__ import annotations

import json
import urllib.parse
from xml.sax.saxutils import escape

from elastic_lab.price_list import json_answer
from elastic_lab.s3 import s3_action_of, s3_refusal
from elastic_lab.scenario import Effect, InjectedFault, Scenario
from elastic_lab.wire import Answer, Environ

QUOTAS = "ServiceQuotasV20190624"
_POLICIES = frozenset({"SimulatePrincipalPolicy", "SimulateCustomPolicy"})


def action_of(environ: Environ, body: bytes) -> str:
    """The action of a call to any service; "" if neither its protocol nor S3's names one."""
    target = str(environ.get("HTTP_X_AMZ_TARGET", ""))
    if target:
        return target.rpartition(".")[2]
    if not environ.get("CONTENT_TYPE", "").startswith("application/x-www-form-urlencoded"):
        return s3_action_of(environ)
    return dict(urllib.parse.parse_qsl(body.decode("utf-8", "replace"))).get("Action", "")


def answer_account(
    environ: Environ, action: str, body: bytes, scenario: Scenario, fault: InjectedFault | None
) -> Answer | None:
    """The answer to one of these calls, or to a call that a fault refuses; None: moto answers."""
    if fault is not None and fault.effect in (Effect.ERROR, Effect.THROTTLE):
        # Each service has its own form for errors.
        if s3_action_of(environ):
            return s3_refusal(
                "SlowDown" if fault.effect is Effect.THROTTLE else fault.code, fault.message
            )
        if fault.effect is Effect.THROTTLE:
            code = "ThrottlingException"
        else:
            code = fault.code
        return _refusal(environ, code, fault.message)
    if action in _POLICIES:
        return _refusal(environ, "AccessDenied", "The lab does not simulate policies")
    if action == "GetServiceQuota" and QUOTAS in environ.get("HTTP_X_AMZ_TARGET", ""):
        asked = json.loads(body or b"{}")
        told = {
            "ServiceCode": asked.get("ServiceCode"),
            "QuotaCode": asked.get("QuotaCode"),
            "Unit": "None",
        }
        return json_answer({"Quota": {**told, "Value": scenario.vcpu_quota, "Adjustable": True}})
    return None


def _refusal(environ: Environ, code: str, message: str) -> Answer:
    if environ.get("HTTP_X_AMZ_TARGET"):
        return json_answer({"__type": code, "message": message}, status="400 -")
    error = (
        f"<Error><Type>Sender</Type><Code>{escape(code)}</Code>"
        f"<Message>{escape(message)}</Message></Error>"
    )
    body = f"<ErrorResponse>{error}<RequestId>lab</RequestId></ErrorResponse>".encode()
    return Answer("403 -", (("Content-Type", "text/xml"), ("Content-Length", str(len(body)))), body)
