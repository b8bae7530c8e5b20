"""Policies of an account, simulated."""

from __future__ import annotations

import functools
from typing import Any

from elastic.clock import SystemClock
from elastic.config import Ec2Settings
from elastic.finding import Finding
from elastic.providers.ec2.account import Account, account_findings, connect_account
from tests.providers.ec2_endpoint import Endpoint
from tests.providers.ec2_world import PLAIN, REGION

HOST = "172.31.0.10"  # An address in moto's default VPC.


PORTS = (range(8470, 8471), range(8471, 8971))


@functools.cache
def account_at(url: str) -> Account:
    return connect_account(REGION)


def proved(
    endpoint: Endpoint, settings: Ec2Settings = PLAIN, *, clock: Any = None, **more: Any
) -> list[Finding]:
    asked = {"host": HOST, "ports": PORTS, "nodes": 1, **more}
    return list(
        account_findings(account_at(endpoint.url), settings, clock=clock or SystemClock(), **asked)
    )


def of(found: list[Finding], name: str) -> list[tuple[str, str]]:
    return [(each.level, each.found) for each in found if each.name == name]


def simulated(decision: str) -> str:
    member = f"<member><EvalActionName>a</EvalActionName><EvalDecision>{decision}</EvalDecision></member>"
    results = f"<EvaluationResults>{member}</EvaluationResults><IsTruncated>false</IsTruncated>"
    return f"<SimulatePrincipalPolicyResult>{results}</SimulatePrincipalPolicyResult>"
