"""How processes find each other in the job's store, and what decides who is a member."""

from elastic.workloads.session.rendezvous.agreement import MAX_MEMBERS, MemberView, Move, decide
from elastic.workloads.session.rendezvous.joining import DONE, Entrance, alive, machine
from elastic.workloads.session.rendezvous.place import placed
from elastic.workloads.session.rendezvous.store_rendezvous import StoreRendezvous, View

__all__ = [
    "DONE",
    "MAX_MEMBERS",
    "Entrance",
    "MemberView",
    "Move",
    "StoreRendezvous",
    "View",
    "alive",
    "decide",
    "machine",
    "placed",
]
