"""Someone who is not of a job, and tries to have its members run code or take in a message.

Runs as a program of its own, as another user where the tests run as root. It knows all that a
process list, a port scan and a guess could tell: addresses, the job's name and its rendezvous' id.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import pickle
import pwd
import socket
import ssl
import struct
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elastic.rendezvous import Credential, write_credential

NOBODY = "nobody"
# What it proves with: nothing and plain bytes, nothing, another job's key, or the job's own, by
# which a test sees that the attack would succeed.
PLAIN, WITHOUT, ANOTHER, OWN = "plain", "without", "another", "own"

# A busy machine may take seconds over a handshake with the job's own key, by which a test sees
# that the attack would succeed. An answer comes at once or never.
PROOF_S, ANSWER_S = 30.0, 1.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an attack: the connections that were made, and those that got an answer."""

    connections: int
    answers: int


class Payload:
    """Leaves a file where it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self._mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self._mark),)


def attack(
    ports: Sequence[int],
    proof: str,
    *,
    job: str,
    rdzv_id: str,
    mark: Path,
    host: str = "127.0.0.1",
    command: Sequence[str] = (),
    key: str = "",
) -> Outcome:
    """Has a stranger try everything at each port; code that it gets run would make `mark`.

    `key` is the PEM that it holds, if its proof needs one. `command` starts it elsewhere.
    """
    order = {
        "host": host,
        "ports": list(ports),
        "proof": proof,
        "job": job,
        "rdzv_id": rdzv_id,
        "mark": str(mark),
        "key": key,
    }
    done = subprocess.run(
        [*command, sys.executable, "-m", "tests.rendezvous.stranger"],
        input=json.dumps(order),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return Outcome(**json.loads(done.stdout))


def main() -> None:
    order = json.load(sys.stdin)
    credential = Credential(order["key"]) if order["key"] else None
    "".encode("idna")  # which is loaded when it is first used, from where nobody else may read
    if os.geteuid() == 0:
        other = pwd.getpwnam(NOBODY)
        os.setgroups([])
        os.setgid(other.pw_gid)
        os.setuid(other.pw_uid)
    payload = pickle.dumps(Payload(Path(order["mark"])))
    messages = [
        *_of_torchs_store(order["rdzv_id"], payload),
        *_of_our_store(order["job"], order["rdzv_id"], payload),
        _of_a_link(order["job"]),
        _of_a_transfer(order["job"]),
    ]
    connections = answers = 0
    for port in order["ports"]:
        for message in messages:
            with contextlib.suppress(OSError), _connected(order, port, credential) as connection:
                connections += 1
                connection.sendall(message)
                connection.settimeout(ANSWER_S)
                answers += bool(connection.recv(4096))
    print(json.dumps({"connections": connections, "answers": answers}))


def _connected(order: dict[str, Any], port: int, credential: Credential | None) -> socket.socket:
    # What is no port of ours never answers a handshake.
    timeout_s = PROOF_S if order["proof"] == OWN else ANSWER_S
    plain = socket.create_connection((order["host"], port), timeout=timeout_s)
    if order["proof"] == PLAIN:
        return plain
    if order["proof"] == OWN:
        assert credential is not None
        return credential.connecting(plain)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE  # any answer is welcome
    if order["proof"] == ANOTHER:
        file = Path(f"/tmp/stranger-{os.getpid()}.pem")
        write_credential(file, order["key"])
        context.load_cert_chain(file)
        file.unlink()
    return context.wrap_socket(plain)


def _of_torchs_store(rdzv_id: str, payload: bytes) -> list[bytes]:
    """Writes torchrun's rendezvous state, as torch keeps it in a TCPStore."""
    key, value = f"/torch.rendezvous.{rdzv_id}".encode(), base64.b64encode(payload)
    greeting = struct.pack("=BI", 0, 0x3C85F7CE)
    told = struct.pack("=BQ", 1, len(key)) + key + struct.pack("=Q", len(value)) + value
    return [greeting + told + struct.pack("=BI", 13, 7)]  # a ping, which would be answered


def _of_our_store(job: str, rdzv_id: str, payload: bytes) -> list[bytes]:
    """Writes the records of both modes, as pickles."""
    value = base64.b64encode(payload).decode()
    keys = (f"torchrun/{rdzv_id}", f"{job}/members")
    return [_frame({"ask": "set", "keys": [key], "value": value}) for key in keys]


def _of_a_link(job: str) -> bytes:
    """Says that a member sees a much later round."""
    status = {"round": 99, "step": 99, "need": 99, "begun": 0, "ending": 99, "seen": 99}
    return json.dumps({"name": "m_1_1", "job": job, "status": status}).encode() + b"\n"


def _of_a_transfer(job: str) -> bytes:
    """Brings a newcomer a state."""
    return _frame({"kind": "hello", "about": {"job": job, "step": 99}, "bytes": 0})


def _frame(message: dict[str, Any]) -> bytes:
    content = json.dumps(message).encode()
    return len(content).to_bytes(4, "big") + content


if __name__ == "__main__":
    main()
