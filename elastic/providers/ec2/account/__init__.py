"""Checks an AWS account: identity, permissions, and whether there is room for nodes."""

from elastic.providers.ec2.account.checks import account_findings
from elastic.providers.ec2.account.facts import Account, connect_account
from elastic.providers.ec2.account.permissions import PROBES
from elastic.providers.ec2.account.policies import POLICIES, Scope, policy

__all__ = [
    "POLICIES",
    "PROBES",
    "Account",
    "Scope",
    "account_findings",
    "connect_account",
    "policy",
]
