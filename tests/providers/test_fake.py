import pytest

from elastic.clock import ManualClock
from elastic.errors import CapacityUnavailable, ProviderUnavailable
from elastic.model import Capacity, NodeType, Offering
from elastic.providers import FakeCloud, FakeProvider, InstanceState, Operation
from tests.providers.contract import ProviderContract, World, buy, request

SMALL, LARGE = NodeType("small", cpu=0.5, memory_gib=1), NodeType("large", cpu=2, memory_gib=8)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def cloud(clock: ManualClock) -> FakeCloud:
    return FakeCloud([SMALL, LARGE], clock=clock, boot_s=40, exit_s=20)


@pytest.fixture
def provider(cloud: FakeCloud) -> FakeProvider:
    return FakeProvider(cloud)


class TestFakeProvider(ProviderContract):
    @pytest.fixture
    def world(self, cloud: FakeCloud, clock: ManualClock) -> World:
        return World(
            connect=lambda: FakeProvider(cloud),
            clock=clock,
            pass_time=lambda: clock.advance(60),
            destroy=cloud.reclaim,
            limit=cloud.capacity.__setitem__,
        )


def test_a_machine_is_pending_while_it_boots_and_stopping_while_it_ends(
    provider: FakeProvider, clock: ManualClock
) -> None:
    machine = buy(provider, request(1, Offering("small")))
    states = [machine.state]
    clock.advance(40)
    states.append(provider.instances()[0].state)
    provider.terminate(machine.provider_id, now_s=clock.now_s())
    states.append(provider.instances()[0].state)
    clock.advance(20)
    gone = provider.instances()[0]
    assert states == [InstanceState.PENDING, InstanceState.RUNNING, InstanceState.STOPPING]
    assert (gone.state, gone.exited_at_s) == (InstanceState.GONE, clock.now_s())


def test_a_scripted_failure_stops_the_call_and_only_once(
    provider: FakeProvider, cloud: FakeCloud
) -> None:
    cloud.fail_next(Operation.LAUNCH, CapacityUnavailable("none"))
    with pytest.raises(CapacityUnavailable):
        buy(provider, request(1, Offering("small")))
    assert cloud.machines() == ()
    buy(provider, request(1, Offering("small")))
    assert len(cloud.machines()) == 1


def test_a_lost_answer_leaves_the_machine_behind_and_its_token_finds_it(
    provider: FakeProvider, cloud: FakeCloud
) -> None:
    cloud.fail_next(Operation.LAUNCH, ProviderUnavailable("timed out"), is_done=True)
    with pytest.raises(ProviderUnavailable):
        buy(provider, request(1, Offering("small")))
    (left_behind,) = cloud.machines()
    assert buy(provider, request(1, Offering("small"))).provider_id == left_behind.provider_id


def test_a_lost_answer_to_a_termination_ends_the_machine(
    provider: FakeProvider, cloud: FakeCloud, clock: ManualClock
) -> None:
    machine = buy(provider, request(1, Offering("small")))
    cloud.fail_next(Operation.TERMINATE, ProviderUnavailable("timed out"), is_done=True)
    with pytest.raises(ProviderUnavailable):
        provider.terminate(machine.provider_id, now_s=clock.now_s())
    clock.advance(20)
    assert provider.instances()[0].state is InstanceState.GONE


def test_a_failure_can_repeat(provider: FakeProvider, cloud: FakeCloud) -> None:
    cloud.fail_next(Operation.INSTANCES, ProviderUnavailable("timed out"), times=2)
    for _ in range(2):
        with pytest.raises(ProviderUnavailable):
            provider.instances()
    assert provider.instances() == ()


def test_throttling_refuses_every_call_until_it_ends(
    provider: FakeProvider, cloud: FakeCloud, clock: ManualClock
) -> None:
    cloud.throttled_until_s = clock.now_s() + 10
    with pytest.raises(ProviderUnavailable):
        provider.instances()
    with pytest.raises(ProviderUnavailable):
        buy(provider, request(1, Offering("small")))
    clock.advance(10)
    assert provider.instances() == ()


def test_capacity_bounds_the_living_machines_of_one_offering(
    provider: FakeProvider, cloud: FakeCloud, clock: ManualClock
) -> None:
    small = Offering("small")
    cloud.capacity[small] = 1
    first = buy(provider, request(1, small))
    with pytest.raises(CapacityUnavailable):
        buy(provider, request(2, small))
    buy(provider, request(3, Offering("large")))
    provider.terminate(first.provider_id, now_s=clock.now_s())
    clock.advance(20)
    buy(provider, request(2, small))


def test_a_new_machine_may_take_a_while_to_be_seen() -> None:
    clock = ManualClock()
    provider = FakeProvider(FakeCloud([SMALL], clock=clock, visible_after_s=5))
    buy(provider, request(1, Offering("small")))
    assert provider.instances() == ()
    clock.advance(5)
    assert len(provider.instances()) == 1


def test_sells_the_offerings_it_was_given() -> None:
    spot = Offering("small", Capacity.SPOT, "zone-a")
    provider = FakeProvider(FakeCloud([SMALL], clock=ManualClock(), offerings=[spot]))
    assert provider.offerings() == (spot,)
    assert buy(provider, request(1, spot)).offering == spot


def test_records_the_calls_in_order(
    provider: FakeProvider, cloud: FakeCloud, clock: ManualClock
) -> None:
    wanted = request(1, Offering("small"))
    machine = buy(provider, wanted)
    provider.instances()
    provider.terminate(machine.provider_id, now_s=clock.now_s())
    assert [call.operation for call in cloud.calls] == [
        Operation.LAUNCH,
        Operation.INSTANCES,
        Operation.TERMINATE,
    ]
    assert cloud.calls[0].request == wanted
    assert cloud.calls[2].provider_id == machine.provider_id


def test_keeps_only_the_latest_calls() -> None:
    cloud = FakeCloud([SMALL], clock=ManualClock(), calls_kept=3)
    for _ in range(5):
        FakeProvider(cloud).instances()
    assert len(cloud.calls) == 3
