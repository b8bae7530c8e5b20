"""The page's way to train with torch.optim, in pieces and by a schedule, is training without a
session."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import torch
from torch.nn.functional import cross_entropy

from elastic.workloads.session import Session
from tests.docs.pages import blocks
from tests.workloads.session.running import assert_near
from tests.workloads.session.stores import serve_store, session_settings

BATCH, STEPS = 40, 20


def _script() -> dict[str, Any]:
    """Gives what the page's block defines."""
    names: dict[str, Any] = {}
    (block,) = [each for each in blocks("python") if "torch.optim" in each.text]
    exec(block.text, names)  # noqa: S102 (our own page)
    return names


def _plain(steps: int) -> list[torch.Tensor]:
    """Gives the weights that a plain loop comes to."""
    names = _script()
    model, inputs, labels = names["model"], names["inputs"], names["labels"]
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for step in range(steps):
        places = [place % len(inputs) for place in range(step * BATCH, (step + 1) * BATCH)]
        optimizer.zero_grad()
        cross_entropy(model(inputs[places]), labels[places]).backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        optimizer.step()
    return [each.detach() for each in model.parameters()]


def test_a_newcomer_and_a_member_train_what_a_plain_loop_trains() -> None:
    store = serve_store()
    settings = session_settings(f"127.0.0.1:{store.port}", "job", silence_s=5.0)
    both = threading.Barrier(2)

    def member(names: dict[str, Any]) -> tuple[int, str]:
        with Session.join(
            names["units"], names["apply"], batch=BATCH, settings=settings
        ) as session:
            while session.round.world_size == 1:
                session.run(names["compute"])
            both.wait(60)
            for _ in range(STEPS):
                session.run(names["compute"])
            assert session.finish(lambda: None)
            return session.step, session.digest()

    scripts = [_script(), _script()]
    with ThreadPoolExecutor(2) as pool:
        (step, digest), other = (
            each.result() for each in [pool.submit(member, script) for script in scripts]
        )
    assert (step, digest) == other
    found = [each.detach() for each in scripts[0]["model"].parameters()]
    assert_near(found, _plain(step), tolerance=1e-4)
