"""Where the members of a job meet: a key-value store that only the job's own certificate opens."""

from elastic.rendezvous.client import CALL_TIMEOUT_S, StoreClient, StoreLost, place_of
from elastic.rendezvous.connections import (
    Address,
    OpenConnections,
    accepted,
    family,
    halt,
    ours,
    patient,
)
from elastic.rendezvous.credential import Credential, write_credential
from elastic.rendezvous.key_values import KeyValues, Missing, Values
from elastic.rendezvous.listening import listen
from elastic.rendezvous.local_user import listeners_at, user_of
from elastic.rendezvous.server import StoreServer

__all__ = [
    "CALL_TIMEOUT_S",
    "Address",
    "Credential",
    "KeyValues",
    "Missing",
    "OpenConnections",
    "StoreClient",
    "StoreLost",
    "StoreServer",
    "Values",
    "accepted",
    "family",
    "halt",
    "listen",
    "listeners_at",
    "ours",
    "patient",
    "place_of",
    "user_of",
    "write_credential",
]
