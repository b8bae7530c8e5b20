"""A local EC2 whose instances really boot: moto with prices, capacity, faults and a bill."""

from elastic_lab.bill import Bill, BillLine
from elastic_lab.cloud import ACCOUNT_ID
from elastic_lab.lab import Lab, running_lab
from elastic_lab.namespaces import has_namespaces
from elastic_lab.scenario import (
    CapacityWindow,
    Effect,
    GuestKind,
    InjectedFault,
    Interruption,
    LabType,
    Outage,
    Partition,
    PriceChange,
    Scenario,
    ScriptedPrices,
    SlowNode,
    parse_scenario,
    read_scenario,
)
from elastic_lab.state import InstanceView, LabState

__all__ = [
    "ACCOUNT_ID",
    "Bill",
    "BillLine",
    "CapacityWindow",
    "Effect",
    "GuestKind",
    "InjectedFault",
    "InstanceView",
    "Interruption",
    "Lab",
    "LabState",
    "LabType",
    "Outage",
    "Partition",
    "PriceChange",
    "Scenario",
    "ScriptedPrices",
    "SlowNode",
    "has_namespaces",
    "parse_scenario",
    "read_scenario",
    "running_lab",
]
