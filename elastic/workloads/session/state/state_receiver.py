"""Receives the state as a newcomer, while the members' training changes it."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from functools import partial
from time import monotonic, sleep
from typing import Any

from torch import Tensor

from elastic.durations import ANSWER_TIMEOUT_S, GLANCE_S
from elastic.errors import InvalidInput
from elastic.rendezvous import CALL_TIMEOUT_S, Credential, family, halt, ours, patient
from elastic.workloads.arithmetic import arithmetic_of
from elastic.workloads.layout import dense_strides
from elastic.workloads.session.state.state import State
from elastic.workloads.session.state.terms import SessionTerms
from elastic.workloads.session.transfer import Room, TransferMessage, receive

MOST_STRANGERS = 16  # connections without that proof, at a time


class StateReceiver(threading.Thread):
    """The newcomer's side: it accepts one source at a time, and keeps the state up to date with it.

    The training thread, which waits to join, applies what arrives: it calls `move` once it
    `is_due`. So `apply` runs with all that the script has set for its thread, and what it raises
    ends the script.

    `units` are those that the present source has sent. `is_touched` says that some source has sent
    one. `is_torn` says that what this process has since then is not a state of the job.
    """

    def __init__(
        self,
        host: str,
        state: State,
        *,
        job: str,
        credential: Credential,
        terms: SessionTerms,
        changed: Callable[[], None],
        brought: int = 0,
    ) -> None:
        """`brought` are the steps of the whole state that this process comes with, and would
        lose."""
        super().__init__(name="session-inlet", daemon=True)
        self._listener = ours(socket.create_server((host, 0), family=family(host)))
        self.port: int = self._listener.getsockname()[1]
        self._state = state
        self._job = job
        self._terms = terms
        self._changed = changed
        self._credential = credential
        self._strides = [dense_strides(parameter) for parameter in state.parameters]
        self._brought = brought
        self.units = 0
        self.step = 0
        self.is_streaming = False
        self.is_touched = False
        self.is_torn = False
        self.misfit: InvalidInput | None = None
        self.ended_s = 0.0
        self.adopted: int | None = None
        self._connection: socket.socket | None = None
        self._strangers = threading.BoundedSemaphore(MOST_STRANGERS)
        self._choosing = threading.Lock()
        self._has_source = False
        self._is_closed = False
        self._due: Callable[[], None] | None = None
        self._moved = threading.Semaphore(0)

    @property
    def is_due(self) -> bool:
        """Whether something that arrived waits to be applied to the state."""
        return self._due is not None

    @property
    def is_complete(self) -> bool:
        return self.units == len(self._state.units)

    def move(self) -> None:
        """Applies what has arrived. Raises what `apply` raises: then the state is torn."""
        assert self._due is not None
        self._due()
        self._due = None
        self._moved.release()

    def close(self) -> None:
        """Accepts nothing more."""
        self._is_closed = True
        for each in (self._listener, self._connection):
            if each is not None:
                halt(each)
        self._listener.close()
        self._moved.release()

    def run(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            # That connection failed, or no descriptor is left: its source tries again.
            except OSError:
                if self._is_closed:
                    return
                sleep(GLANCE_S)
                continue
            if self._has_source or not self._strangers.acquire(blocking=False):
                connection.close()
                continue
            threading.Thread(
                target=self._hear, args=(connection,), name="session-taking", daemon=True
            ).start()

    def _hear(self, connection: socket.socket) -> None:
        """Receives the state from the other end, if that is of this job, and the only source."""
        try:
            connection.settimeout(CALL_TIMEOUT_S)
            proven = ours(self._credential.accepting(connection))
        except OSError:
            connection.close()
            return
        finally:
            self._strangers.release()
        with self._choosing:
            if self._has_source or self._is_closed:
                proven.close()
                return
            self._has_source = True
            self._connection = proven
        self._take_all(proven)

    def _take_all(self, connection: socket.socket) -> None:
        with connection:
            # A source that vanished is noticed sooner than one that is silent.
            patient(connection, for_s=CALL_TIMEOUT_S)
            with contextlib.suppress(OSError, ValueError, LookupError, TypeError):
                self._follow(connection)
        # A source that made this process a member was the last one.
        self._has_source = self.adopted is not None
        self.ended_s = monotonic()
        self.is_streaming = False
        self._changed()

    def _follow(self, connection: socket.socket) -> None:
        # A source sends at least one message a second, however long its steps are.
        connection.settimeout(ANSWER_TIMEOUT_S)
        hello = receive(connection, Room())
        if hello.kind != "hello" or hello.about.get("job") != self._job:
            return
        try:
            # Compare terms before any state is overwritten.
            self._terms.check(hello.about)
            self._check_ahead(hello.about["step"])
        except InvalidInput as error:
            self.misfit = error
            return
        self.units = 0
        self.is_streaming = True
        room = Room()
        arithmetic = arithmetic_of(self._state.device)
        while self.adopted is None:
            connection.sendall(b"%d %d %d\n" % (arithmetic, self.units, self.step))
            self._take(receive(connection, room))

    def _check_ahead(self, members: int) -> None:
        """Raises InvalidInput if this process has come further than the members: joining would undo
        that.

        One step does not matter: a checkpoint may hold one that the source has not committed yet.
        """
        if not self.is_touched and self._brought > members + 1:
            raise InvalidInput(
                f"step: wanted state that is not ahead of the session's members ({members} steps), "
                f"got one after {self._brought}, which would be lost; begin the session again from "
                "it, or start this process without it",
                field="step",
            )

    def _take(self, message: TransferMessage) -> None:
        about = message.about
        match message.kind:
            case "chunk":
                assert message.content is not None
                self.is_touched = True
                self._have_moved(
                    partial(self._state.unpack, about["first"], about["last"], message.content)
                )
                self.step = about["step"]
                self.units = about["last"]
                self.is_torn = not self.is_complete
            case "gradients":
                assert message.content is not None
                self._have_moved(partial(self._apply, message.content, about))
                self.step = about["step"] + 1
                self.is_torn = not self.is_complete
            case "adopt":
                if not self.is_complete:
                    raise ValueError(f"a newcomer with {self.units} units cannot be a member")
                self.adopted = about["number"]
        self._changed()

    def _have_moved(self, change: Callable[[], None]) -> None:
        """Waits until the state has been changed. Raises ConnectionAbortedError if it will not be
        any more."""
        self.is_torn = True
        self._due = change
        self._changed()
        self._moved.acquire()
        if self._due is not None:
            raise ConnectionAbortedError("nothing more is taken")

    def _apply(self, content: Tensor, about: dict[str, Any]) -> None:
        parameters = self._state.parameters
        # The message holds the gradients of the units received so far, one after the other.
        flat = content.view(parameters[0].dtype).to(parameters[0].device)
        gradients: list[Tensor | None] = [None] * len(parameters)
        offset = 0
        for index in range(about["units"]):
            parameter = parameters[index]
            gradients[index] = flat.as_strided(parameter.size(), self._strides[index], offset)
            offset += parameter.numel()
        self._state.move(gradients, about["step"], is_exact=about["is_exact"])
