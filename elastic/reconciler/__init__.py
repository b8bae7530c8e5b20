"""The loop: observe -> decide -> guard -> record -> act."""

from elastic.reconciler.adoption import Adoption, HeldJob
from elastic.reconciler.alarms import Alarm, AlarmKind, Alarms, shown
from elastic.reconciler.audit import Audit, AuditFinding, Difference, audit
from elastic.reconciler.group_liveness import GroupLiveness, Idle
from elastic.reconciler.job_records import JobRecords
from elastic.reconciler.leader_lease import LEASE_EXPIRES_S, LeaseHolder, place_of
from elastic.reconciler.loop import Reconciler
from elastic.reconciler.machines import LaunchTerms, Machines
from elastic.reconciler.observe import (
    KnownCatalog,
    observe,
    opens_at_s,
    read_catalog,
    training_group,
)
from elastic.reconciler.price_past import PricePast
from elastic.reconciler.price_records import offered_or_held
from elastic.reconciler.purse import Purse, purse_of, shares_of
from elastic.reconciler.rendezvous import Rendezvous, RendezvousStores
from elastic.reconciler.reply import JobFolders, reply_for
from elastic.reconciler.steps import (
    BeginEnding,
    DrainGeneration,
    EndGeneration,
    EndUnfit,
    FinishJob,
    GiveUp,
    LaunchNodes,
    StartGeneration,
    Step,
    TerminateNode,
    next_steps,
)
from elastic.reconciler.termination_permission import TerminationPermission
from elastic.reconciler.timekeeper import Timekeeper, continued_s
from elastic.reconciler.tokens import NodeTokens, kept_secret, renew_secret, secret_in
from elastic.reconciler.world import Timeouts, World

__all__ = [
    "LEASE_EXPIRES_S",
    "Adoption",
    "Alarm",
    "AlarmKind",
    "Alarms",
    "Audit",
    "AuditFinding",
    "BeginEnding",
    "Difference",
    "DrainGeneration",
    "EndGeneration",
    "EndUnfit",
    "FinishJob",
    "GiveUp",
    "GroupLiveness",
    "HeldJob",
    "Idle",
    "JobFolders",
    "JobRecords",
    "KnownCatalog",
    "LaunchNodes",
    "LaunchTerms",
    "LeaseHolder",
    "Machines",
    "NodeTokens",
    "PricePast",
    "Purse",
    "Reconciler",
    "Rendezvous",
    "RendezvousStores",
    "StartGeneration",
    "Step",
    "TerminateNode",
    "TerminationPermission",
    "Timekeeper",
    "Timeouts",
    "World",
    "audit",
    "continued_s",
    "kept_secret",
    "next_steps",
    "observe",
    "offered_or_held",
    "opens_at_s",
    "place_of",
    "purse_of",
    "read_catalog",
    "renew_secret",
    "reply_for",
    "secret_in",
    "shares_of",
    "shown",
    "training_group",
]
