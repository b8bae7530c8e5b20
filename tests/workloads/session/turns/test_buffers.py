"""The buffers of a turn's sums."""

from __future__ import annotations

import pytest
import torch

from elastic.errors import InvalidInput
from elastic.workloads.session.rendezvous import MAX_MEMBERS
from elastic.workloads.session.turns import Buffers

NOTHING = torch.zeros(2)


def _buffers(*, numbers: int = 1) -> Buffers:
    return Buffers([torch.zeros(2, 2), torch.zeros(3)], numbers)


def test_a_message_holds_gradients_then_numbers_then_control() -> None:
    message = _buffers().fill(
        [torch.ones(2, 2), torch.full((3,), 2.0)], torch.tensor([5.0]), torch.tensor([7.0, 0.25])
    )

    assert message.whole.tolist() == [1.0] * 4 + [2.0] * 3 + [5.0, 7.0, 0.25]


def test_its_control_are_those_that_were_summed() -> None:
    message = _buffers().fill([torch.ones(2, 2), torch.ones(3)], None, torch.tensor([1.0, 0.5]))
    message.whole.mul_(2)

    assert message.control.tolist() == [2.0, 1.0]


def test_control_that_go_aside_leave_gradients_and_numbers_to_themselves() -> None:
    control = torch.tensor([7.0, 0.25], dtype=torch.float64)
    message = _buffers().fill(
        [torch.ones(2, 2), torch.ones(3)], torch.tensor([5.0]), control, is_aside=True
    )

    assert message.whole.tolist() == [1.0] * 7 + [5.0]
    assert message.aside is message.control and message.control.tolist() == [7.0, 0.25]
    message.control.mul_(2)
    assert control.tolist() == [7.0, 0.25], "they are given anew for each sum"


def test_control_follow_the_number_of_ranks() -> None:
    buffers, gradients = _buffers(), [torch.ones(2, 2), torch.ones(3)]

    for control in ([1.0, 2.0], [1.0, 2.0, 3.0, 4.0], [6.0, 5.0]):
        assert buffers.fill(gradients, None, torch.tensor(control)).whole[8:].tolist() == control


def test_no_gradient_is_zeros_even_where_there_is_none_at_all() -> None:
    buffers = _buffers()
    for _ in range(2):  # both buffers hold something
        buffers.fill(
            [torch.ones(2, 2), torch.ones(3)], torch.tensor([5.0]), torch.tensor([1.0, 1.0])
        )
        buffers.keep(1)

    assert buffers.fill([None, torch.ones(3)], None, NOTHING).whole[:8].tolist() == [0.0] * 4 + [
        1.0
    ] * 3 + [0.0]
    assert not buffers.fill([None, None], None, NOTHING).whole.any()


def test_the_last_sums_outlive_the_next_fill() -> None:
    buffers = _buffers()
    buffers.fill([torch.ones(2, 2), torch.ones(3)], torch.tensor([5.0]), NOTHING)
    buffers.keep(1)
    told = buffers.own_numbers()
    buffers.fill([torch.zeros(2, 2), torch.zeros(3)], torch.tensor([6.0]), NOTHING)

    assert buffers.flat().tolist() == [1.0] * 7 + [5.0]
    buffers.keep(2)
    assert (told.tolist(), buffers.own_numbers().tolist()) == ([5.0], [6.0])


def test_knows_by_which_step_s_sums_the_state_came_about() -> None:
    buffers = _buffers()
    assert not buffers.holds(0), "a founder's and a newcomer's state came otherwise"
    buffers.fill([None, None], None, NOTHING)
    buffers.keep(5)
    assert (buffers.holds(5), buffers.holds(6)) == (True, False)


def test_a_parameter_s_layout_moves_no_gradient() -> None:
    plain = torch.arange(120.0).reshape(2, 3, 4, 5)
    parameters = [
        plain[:, :, :, :2],
        plain[0, 0].t(),
        plain.to(memory_format=torch.channels_last),
        torch.zeros(3),
    ]
    gradients = [torch.arange(each.numel()).reshape(each.shape) + 0.5 for each in parameters]
    buffers = Buffers(parameters, 0)
    buffers.fill(gradients, None, NOTHING)
    buffers.keep(1)

    assert all(
        torch.equal(summed, given)
        for summed, given in zip(buffers.summed(), gradients, strict=True)
    )
    assert sorted(buffers.flat().tolist()) == sorted(
        torch.cat([each.reshape(-1) for each in gradients]).tolist()
    )


def test_refuses_a_parameter_whose_values_share_memory() -> None:
    with pytest.raises(InvalidInput, match=r"unit 1: .*strides \(0, 1\) of shape \(4, 3\)"):
        Buffers([torch.zeros(2), torch.zeros(3).expand(4, 3)], 0)


def test_has_room_for_as_many_members_as_a_round_may_have() -> None:
    control = [1.0] * 3 * MAX_MEMBERS
    assert _buffers().fill([None, None], None, torch.tensor(control)).control.tolist() == control
