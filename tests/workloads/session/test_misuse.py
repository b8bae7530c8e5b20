"""What a script does wrong is said at once, in its own words, and nothing is trained with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
import torch
from torch import Tensor

from elastic.errors import InvalidInput
from elastic.workloads.adam import Adam
from elastic.workloads.session import Session, SessionSettings, SessionStep, optimizer_units
from tests.workloads.session.stores import serve_store, session_settings

GRADIENTS = (torch.ones(2, 3), torch.ones(2))


@pytest.fixture
def settings() -> Iterator[SessionSettings]:
    store = serve_store()
    yield session_settings(f"127.0.0.1:{store.port}", "job", silence_s=5.0)
    store.close()


class Descent:
    """Two parameters, moved against their gradients."""

    def __init__(self) -> None:
        self.parameters = [torch.zeros(2, 3), torch.zeros(2)]

    def units(self) -> list[tuple[Tensor, ...]]:
        return [(parameter,) for parameter in self.parameters]

    def apply(self, gradients: Sequence[Tensor | None], step: int) -> None:
        for parameter, gradient in zip(self.parameters, gradients, strict=True):
            if gradient is not None:
                parameter.sub_(gradient)


def _compute(turn: SessionStep) -> Sequence[Tensor]:
    return GRADIENTS


def test_apply_may_not_change_its_gradients_in_place(settings: SessionSettings) -> None:
    task = Descent()

    def decay(gradients: Sequence[Tensor | None], step: int) -> None:
        for parameter, gradient in zip(task.parameters, gradients, strict=True):
            if gradient is not None:
                gradient.add_(parameter, alpha=0.01)
        task.apply(gradients, step)

    with Session.join(task.units(), decay, batch=4, settings=settings) as session:
        with pytest.raises(
            InvalidInput, match="apply: wanted the gradients left as they are, found them changed"
        ):
            session.run(_compute)
        assert session.step == 0


def test_apply_may_not_change_its_gradients_behind_torch_s_back(settings: SessionSettings) -> None:
    task = Descent()

    def clip(gradients: Sequence[Tensor | None], step: int) -> None:
        for gradient in gradients:
            if gradient is not None:
                gradient.data.mul_(0.5)
        task.apply(gradients, step)

    with Session.join(task.units(), clip, batch=4, settings=settings) as session:
        with pytest.raises(
            InvalidInput,
            match=r"apply: wanted the gradients left as they are, .* nor gradient.data",
        ):
            session.run(_compute)
        assert session.step == 0


@pytest.mark.parametrize("way", ["zeroed", "added to by a backward pass"])
def test_gradients_may_not_be_changed_after_apply_either(
    settings: SessionSettings, way: str
) -> None:
    weight = torch.zeros(3, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)

    def apply(gradients: Sequence[Tensor | None], step: int) -> None:
        weight.grad = gradients[0]
        optimizer.step()

    def compute(turn: SessionStep) -> Sequence[Tensor | None]:
        if way == "zeroed":
            optimizer.zero_grad(set_to_none=False)
        weight.sum().backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
        return [weight.grad]

    units = optimizer_units(optimizer)
    with Session.join(units, apply, batch=4, settings=settings) as session:
        session.run(compute)
        # A newcomer may not have been sent them yet.
        for _ in range(2):
            with pytest.raises(
                InvalidInput, match=r"apply: .* found them changed in place after it; .*zero_grad"
            ):
                session.run(compute)
        assert session.step == 1


@pytest.mark.parametrize("is_ours", [True, False])
@pytest.mark.parametrize("moves_first", [True, False])
def test_a_model_is_not_moved_in_memory_after_its_units_were_made(
    settings: SessionSettings, is_ours: bool, moves_first: bool
) -> None:
    model = torch.nn.Conv2d(2, 3, 3)
    if is_ours:
        units = Adam(list(model.parameters()), b1=0.9, b2=0.999).units()
    else:
        units = optimizer_units(torch.optim.AdamW(model.parameters()))

    def move() -> None:
        model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def train() -> None:
        with Session.join(units, lambda *_: None, batch=4, settings=settings) as session:
            assert not moves_first
            move()
            session.run(lambda turn: [None, None])

    if moves_first:
        move()
    with pytest.raises(InvalidInput, match=r"unit 0: .* moved since the units were made"):
        train()


def test_apply_may_work_on_new_tensors(settings: SessionSettings) -> None:
    task = Descent()

    def halve(gradients: Sequence[Tensor | None], step: int) -> None:
        task.apply([None if gradient is None else gradient * 0.5 for gradient in gradients], step)

    with Session.join(task.units(), halve, batch=4, settings=settings) as session:
        session.run(_compute)
    assert task.parameters[1].tolist() == [-0.5, -0.5]


@pytest.mark.parametrize(
    ("wrong", "wanted"),
    [
        ({"batch": 0}, "batch: wanted a whole number, 1 or more, got 0"),
        ({"batch": -4}, "batch: wanted a whole number, 1 or more, got -4"),
        ({"batch": 2.5}, "batch: wanted a whole number, 1 or more, got 2.5"),
        ({"step": -3}, "step: wanted a whole number, 0 or more, got -3"),
        ({"steps": 0}, "steps: wanted a whole number, 1 or more, got 0"),
        ({"numbers": -1}, "numbers: wanted a whole number, 0 or more, got -1"),
        (
            {"units": iter([(torch.zeros(2),)])},
            "units: wanted a sequence, .* got a list_iterator; give list",
        ),
        ({"units": None}, "units: wanted a sequence, .* got a NoneType"),
        ({"apply": None}, "apply: wanted a function that moves the units, got None"),
        ({"terms": 5}, "terms: wanted a text of at most 1000 characters, got a int; give a digest"),
        ({"terms": "a" * 1001}, "terms: wanted a text of at most 1000 characters, got one of 1001"),
        ({"units": []}, "units: wanted one for each parameter, got none"),
        (
            {"units": [torch.zeros(2, 3), torch.zeros(2)]},
            "unit 0: wanted a sequence of tensors, .* found a Tensor",
        ),
        ({"units": [(torch.zeros(2),), ()]}, "unit 1: wanted a sequence of tensors, .* found none"),
        (
            {"units": [(torch.zeros(2, dtype=torch.int64),)]},
            "unit 0: wanted .* floating point .* found torch.int64",
        ),
        (
            {"units": [(torch.zeros(2).to(torch.float8_e5m2),)]},
            "unit 0: wanted .* 2 bytes or more, found torch.float8",
        ),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_join_refuses_what_makes_no_sense(
    settings: SessionSettings, wrong: dict[str, Any], wanted: str
) -> None:
    task = Descent()
    given: dict[str, Any] = {"units": task.units(), "apply": task.apply, "batch": 4, **wrong}
    with pytest.raises(InvalidInput, match=wanted):
        Session.join(settings=settings, **given).close()


@pytest.mark.parametrize(
    ("gradients", "wanted"),
    [
        (
            [torch.tensor(1.0), torch.ones(2)],
            r"gradient 0: wanted .* shape \(2, 3\), or None for zeros, got \(\)",
        ),
        (
            [None, torch.ones(1)],
            r"gradient 1: wanted .* shape \(2,\), or None for zeros, got \(1,\)",
        ),
        (
            [torch.ones(3), torch.ones(2)],
            r"gradient 0: wanted .* shape \(2, 3\), or None for zeros, got \(3,\)",
        ),
        ([torch.ones(2, 3), 1.0], "gradient 1: wanted .* got a float"),
        ([torch.ones(2, 3)], "wanted 2 gradients, .* got 1"),
        ([None, None, None], "wanted 2 gradients, .* got 3"),
        (None, "wanted 2 gradients, .* got nothing"),
        (
            [None, torch.ones(2).to_sparse()],
            "gradient 1: wanted a dense one .* got .* torch.sparse_coo; .*to_dense",
        ),
        (
            [torch.ones(2, 3) * 1j, None],
            "gradient 0: wanted .* real numbers, got one of torch.complex64",
        ),
    ],
    ids=str,
)
def test_gradients_that_do_not_fit_are_told_by_number_and_shape(
    settings: SessionSettings, gradients: Any, wanted: str
) -> None:
    task = Descent()
    with Session.join(task.units(), task.apply, batch=4, settings=settings) as session:
        with pytest.raises(InvalidInput, match=f"compute: {wanted}"):
            session.run(lambda turn: gradients)
        assert session.step == 0 and not any(each.any() for each in task.parameters)


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        (
            torch.ones(3, dtype=torch.int16),
            "turn: wanted a dense tensor of float64, .* got one of torch.int16",
        ),
        (torch.ones(3, dtype=torch.bool), "turn: .* got one of torch.bool"),
        (torch.eye(2).to_sparse(), "turn: .* torch.sparse_coo"),
        (torch.ones(3, device="meta"), "turn: .* on cpu or cuda to sum, .* on meta"),
        (2.0, "turn: .* got a float"),
        (
            torch.ones(1).expand(3),
            r"turn.all_reduce: .* share no memory, .* strides \(0,\) of shape \(3,\)",
        ),
    ],
    ids=str,
)
def test_what_cannot_be_summed_is_told_before_there_is_anybody_to_sum_it_with(
    settings: SessionSettings, values: Any, wanted: str
) -> None:
    task = Descent()
    with Session.join(task.units(), task.apply, batch=4, settings=settings) as session:
        with pytest.raises(InvalidInput, match=wanted):
            session.run(lambda turn: [turn.all_reduce(values)])
        if not wanted.startswith("turn.all_reduce"):
            with pytest.raises(InvalidInput, match=wanted):
                session.run(lambda turn: [turn.summed(values)])
        assert session.step == 0


def test_a_sum_leaves_its_values_as_they_are_with_one_member_too(
    settings: SessionSettings,
) -> None:
    given = torch.full((2,), 6.0, requires_grad=True)

    def compute(turn: SessionStep) -> Sequence[Tensor]:
        mean = turn.summed(given).div_(turn.batch)
        assert mean.tolist() == [1.5, 1.5] and given.tolist() == [6.0, 6.0]
        return [torch.ones(2, 3), *torch.autograd.grad(mean.sum(), given)]

    task = Descent()
    with Session.join(task.units(), task.apply, batch=4, settings=settings) as session:
        session.run(compute)
    assert task.parameters[1].tolist() == [-0.25, -0.25]


@pytest.mark.parametrize(
    ("numbers", "given"), [(0, torch.ones(2)), (3, torch.ones(1)), (2, torch.ones(3)), (1, 3.0)]
)
def test_numbers_are_as_many_as_join_was_told(
    settings: SessionSettings, numbers: int, given: Any
) -> None:
    def compute(turn: SessionStep) -> Sequence[Tensor]:
        turn.numbers = given
        return GRADIENTS

    task = Descent()
    with (
        Session.join(
            task.units(), task.apply, batch=4, settings=settings, numbers=numbers
        ) as session,
        pytest.raises(
            InvalidInput, match=rf"turn.numbers: wanted a tensor of the shape \({numbers},\)"
        ),
    ):
        session.run(compute)


def test_one_number_may_come_without_dimensions(settings: SessionSettings) -> None:
    def compute(turn: SessionStep) -> Sequence[Tensor]:
        turn.numbers = torch.tensor(3.0)
        return GRADIENTS

    task = Descent()
    with Session.join(task.units(), task.apply, batch=4, settings=settings, numbers=1) as session:
        outcome = session.run(compute)
    assert outcome is not None and outcome.numbers.tolist() == [3.0]


def test_a_closed_session_trains_no_more(settings: SessionSettings) -> None:
    task = Descent()
    with Session.join(task.units(), task.apply, batch=4, settings=settings) as session:
        session.run(_compute)
    for use in (lambda: session.run(_compute), session.finish):
        with pytest.raises(InvalidInput, match="this session is closed"):
            use()
    assert session.step == 1


def test_a_turn_is_not_run_within_another(settings: SessionSettings) -> None:
    task = Descent()

    def compute(turn: SessionStep) -> Sequence[Tensor]:
        session.run(_compute)
        return GRADIENTS

    with Session.join(task.units(), task.apply, batch=4, settings=settings) as session:
        with pytest.raises(
            InvalidInput, match=r"compute: .* call run after compute, not inside it"
        ):
            session.run(compute)
        assert session.step == 1, "the inner one's"
        assert session.run(_compute) is not None


def test_a_job_that_is_complete_trains_no_more(settings: SessionSettings) -> None:
    task, kept = Descent(), []
    with Session.join(task.units(), task.apply, batch=4, settings=settings) as session:
        session.run(_compute)
        assert session.finish(lambda: kept.append(session.step))
        with pytest.raises(
            InvalidInput, match="this session's job is complete: after finish returns True"
        ):
            session.run(_compute)
        assert session.finish(lambda: kept.append(session.step)) and session.is_member
    assert session.step == 1 and kept == [1]
