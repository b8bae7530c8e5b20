"""A round whose members find out, as they are about to meet, that they do not train the
same."""

from __future__ import annotations

import errno
import os
from dataclasses import replace

import pytest
import torch

from elastic.errors import InvalidInput
from elastic.workloads.session import SessionSettings
from elastic.workloads.session.membership.building import Builder
from elastic.workloads.session.rendezvous import View
from elastic.workloads.session.rounds import Gpu
from elastic.workloads.session.state import SessionTerms
from elastic.workloads.session.state.terms import PROTOCOL
from tests.workloads.session.stores import serve_store, session_settings

TIMEOUT_S = 30.0


def test_who_trains_on_other_terms_is_not_met() -> None:
    store = serve_store()
    settings = session_settings(f"127.0.0.1:{store.port}", "job", host="127.0.0.1")
    view = View(2, ("a", "b"), (), is_closed=False)
    builders = [
        _builder(view, name, settings, batch=batch) for name, batch in (("a", 12), ("b", 24))
    ]
    for each in builders:
        each.start()
    for each in builders:
        each.join(timeout=TIMEOUT_S)
    assert [(each.result, each.has_failed) for each in builders] == [(None, True)] * 2
    assert str(builders[1].misfit).startswith(
        "batch: wanted 12, as the session's members have it, got 24"
    )


def test_a_member_of_another_elasticd_is_told_so_and_not_by_what_comes_of_it() -> None:
    own = SessionTerms(24, None, 1, "s")
    with pytest.raises(
        InvalidInput,
        match=f"speak protocol {PROTOCOL + 1}, like the members', got one of protocol",
    ):
        own.check(replace(own, protocol=PROTOCOL + 1).as_dict())
    before = own.as_dict()
    del before["protocol"]
    with pytest.raises(InvalidInput, match="run the same elasticd on all nodes"):
        own.check(before)


def test_a_process_without_descriptors_fails_to_build_and_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def dup(descriptor: int) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    store = serve_store()
    settings = session_settings(f"127.0.0.1:{store.port}", "job", host="127.0.0.1")
    monkeypatch.setattr(os, "dup", dup)
    builder = _builder(View(2, ("a", "b"), (), is_closed=False), "a", settings)
    builder.start()
    builder.join(timeout=TIMEOUT_S)
    assert (builder.result, builder.has_failed) == (None, True)
    assert "cannot meet the others of round 2: [Errno 24]" in capsys.readouterr().err


def _builder(view: View, name: str, settings: SessionSettings, *, batch: int = 12) -> Builder:
    return Builder(
        view,
        name,
        settings=settings,
        terms=SessionTerms(batch, None, 0, "shape"),
        gpu=Gpu(torch.device("cpu")),
        cost=0.0,
        is_new=name == "b",
        changed=lambda: None,
    )
