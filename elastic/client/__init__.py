"""A daemon from Python: what scripts, notebooks and the command line ask it.

`connect` is for scripts and notebooks. HTTP is slow to import, so it is imported at the first call.
"""

from elastic.client.connection import Connection, connect, read_token
from elastic.client.paths import path_of

__all__ = [
    "Connection",
    "connect",
    "path_of",
    "read_token",
]
