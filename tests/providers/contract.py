"""What every provider must do, whatever it sells: each implementation's tests inherit this
suite."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from elastic.clock import Clock
from elastic.errors import CapacityUnavailable, InvalidInput, ProviderError
from elastic.model import Offering
from elastic.providers import Instance, InstanceState, LaunchRequest, Provider


@dataclass(frozen=True, slots=True)
class World:
    """Where machines are: `connect` gives one more provider that looks at the same ones.

    `pass_time` gives machines the time that they need to come or to go; `destroy` ends one behind
    the provider's back. `limit` lets so many machines of an offering be had from now on; None where
    there is no bound. `minimum_billed_s` is the least that a launch is billed for.
    `dates_ends_anew`: what stands in for the cloud dates an end again at each call that asks for
    it, as no cloud does.
    """

    connect: Callable[[], Provider]
    clock: Clock
    pass_time: Callable[[], None]
    destroy: Callable[[str], None]
    limit: Callable[[Offering, int], None] | None = None
    minimum_billed_s: float = 60.0
    dates_ends_anew: bool = False

    def admit(self, offering: Offering, nodes: int) -> None:
        """Lets so many be had from now on; skips the test where nothing bounds them."""
        if self.limit is None:
            pytest.skip("there is no bound to what this provider sells")
        self.limit(offering, nodes)


def request(number: int, offering: Offering, *, count: int = 1) -> LaunchRequest:
    node_ids = [f"node-{number}", *(f"node-{number}-{member}" for member in range(2, count + 1))]
    return LaunchRequest(
        token=f"token-{number}",
        node_ids=tuple(node_ids),
        job_id="job-1",
        offering=offering,
        daemon_url="http://127.0.0.1:8470",
        join_token=f"secret-{number}",
        env={"GREETING": "hello"},
    )


class OnRecord:
    """A purchase as the store keeps it: each request brings what an earlier one had noted."""

    def __init__(self, wanted: LaunchRequest) -> None:
        self._wanted = wanted
        self._asked_by = ""

    def request(self) -> LaunchRequest:
        return replace(self._wanted, asked_by=self._asked_by, note_asked=self._note)

    def _note(self, by: str) -> None:
        self._asked_by = by


def buy(provider: Provider, wanted: LaunchRequest) -> Instance:
    """Launches one machine."""
    (instance,) = provider.launch(wanted)
    return instance


class ProviderContract:
    """Inherit it, and give a fixture `world`."""

    @pytest.fixture
    def provider(self, world: World) -> Provider:
        return world.connect()

    @pytest.fixture
    def offering(self, provider: Provider) -> Offering:
        return provider.offerings()[0]

    def test_every_offering_sells_a_node_type_on_offer(self, provider: Provider) -> None:
        assert provider.offerings()
        assert {o.node_type for o in provider.offerings()} <= {
            t.name for t in provider.node_types()
        }

    def test_has_a_name_and_a_minimum_that_it_bills(self, world: World, provider: Provider) -> None:
        assert provider.name
        assert provider.minimum_billed_s == world.minimum_billed_s

    def test_nothing_is_blocked_at_first_and_a_block_hides_nothing_from_the_offer(
        self, world: World, provider: Provider, offering: Offering
    ) -> None:
        now_s = world.clock.now_s()
        assert provider.blocks.listed(now_s=now_s) == ()
        provider.blocks.block(offering, now_s=now_s)
        assert offering in provider.offerings()

    def test_a_launch_gives_back_what_was_asked_for(
        self, world: World, provider: Provider, offering: Offering
    ) -> None:
        wanted = request(1, offering)
        earliest_s = world.clock.now_s()
        instance = buy(provider, wanted)
        assert (instance.node_id, instance.job_id, instance.token) == (
            *wanted.node_ids,
            wanted.job_id,
            wanted.token,
        )
        assert instance.offering == offering
        assert instance.state in (InstanceState.PENDING, InstanceState.RUNNING)
        # Some providers count in whole seconds.
        assert math.floor(earliest_s) <= instance.launched_at_s <= world.clock.now_s()
        assert instance.exited_at_s is None

    def test_the_same_token_never_buys_a_second_machine(
        self, provider: Provider, offering: Offering
    ) -> None:
        first = buy(provider, request(1, offering))
        second = buy(provider, request(1, offering))
        assert second.provider_id == first.provider_id
        assert second.launched_at_s == first.launched_at_s
        assert len(provider.instances()) == 1

    def test_the_token_counts_and_not_the_rest_of_the_request(
        self, provider: Provider, offering: Offering
    ) -> None:
        first = buy(provider, request(1, offering))
        second = buy(provider, replace(request(2, offering), token="token-1"))
        assert (second.provider_id, second.node_id) == (first.provider_id, first.node_id)
        assert len(provider.instances()) == 1

    def test_the_token_of_a_gone_machine_gives_the_gone_machine(
        self, world: World, provider: Provider, offering: Offering
    ) -> None:
        first = buy(provider, request(1, offering))
        _end(world, provider, first)
        again = buy(provider, request(1, offering))
        assert (again.provider_id, again.state) == (first.provider_id, InstanceState.GONE)

    def test_another_token_buys_another_machine(
        self, provider: Provider, offering: Offering
    ) -> None:
        ids = {buy(provider, request(number, offering)).provider_id for number in (1, 2)}
        assert len(ids) == 2
        assert {i.provider_id for i in provider.instances()} == ids

    def test_a_machine_comes_up(self, world: World, provider: Provider, offering: Offering) -> None:
        launched = buy(provider, request(1, offering))
        world.pass_time()
        assert _seen(provider, launched).state is InstanceState.RUNNING

    def test_what_is_not_sold_is_refused_and_buys_nothing(self, provider: Provider) -> None:
        with pytest.raises(ProviderError, match="no-such-type"):
            buy(provider, request(1, Offering("no-such-type")))
        assert provider.instances() == ()

    def test_instances_are_listed_without_being_changed(
        self, provider: Provider, offering: Offering
    ) -> None:
        assert provider.instances() == ()
        buy(provider, request(1, offering))
        assert (
            [i.node_id for i in provider.instances()]
            == [i.node_id for i in provider.instances()]
            == ["node-1"]
        )

    def test_terminating_one_machine_leaves_the_others_alone(
        self, world: World, provider: Provider, offering: Offering
    ) -> None:
        first, second = (buy(provider, request(number, offering)) for number in (1, 2))
        _end(world, provider, first)
        assert _seen(provider, first).state is InstanceState.GONE
        assert _seen(provider, second).state is InstanceState.RUNNING

    def test_a_terminated_machine_is_gone_for_good_from_one_instant_on(
        self, world: World, provider: Provider, offering: Offering
    ) -> None:
        launched = buy(provider, request(1, offering))
        _end(world, provider, launched)
        gone = _seen(provider, launched)
        assert gone.exited_at_s is not None
        assert launched.launched_at_s <= gone.exited_at_s <= world.clock.now_s()
        provider.terminate(launched.provider_id, now_s=world.clock.now_s())
        world.pass_time()
        again = _seen(provider, launched)
        assert (
            replace(again, exited_at_s=gone.exited_at_s) if world.dates_ends_anew else again
        ) == gone

    def test_proving_that_a_machine_can_be_ended_ends_nothing(
        self, world: World, provider: Provider, offering: Offering
    ) -> None:
        launched = buy(provider, request(1, offering))
        world.pass_time()
        provider.prove_end(launched.provider_id)
        world.pass_time()
        assert _seen(provider, launched).state is InstanceState.RUNNING
        _end(world, provider, launched)

    def test_a_machine_that_is_stood_for_is_the_machine_that_it_was(
        self, world: World, provider: Provider, offering: Offering
    ) -> None:
        launched = buy(provider, request(1, offering))
        world.pass_time()
        before = provider.instances()
        provider.keep_alive([launched.provider_id, "never-seen"], now_s=world.clock.now_s())
        assert provider.instances() == before

    def test_a_machine_on_its_way_out_is_never_called_running(
        self, world: World, provider: Provider, offering: Offering
    ) -> None:
        launched = buy(provider, request(1, offering))
        world.pass_time()
        provider.terminate(launched.provider_id, now_s=world.clock.now_s())
        assert _seen(provider, launched).state in (InstanceState.STOPPING, InstanceState.GONE)

    @pytest.mark.parametrize("provider_id", ["never-seen", "", "../../etc", "i-0123456789abcdef0"])
    def test_terminating_what_is_unknown_is_fine(
        self, world: World, provider: Provider, provider_id: str
    ) -> None:
        provider.terminate(provider_id, now_s=world.clock.now_s())
        assert provider.instances() == ()

    @pytest.mark.parametrize("provider_id", ["never-seen", "../../etc"])
    def test_what_is_unknown_has_no_logs(self, provider: Provider, provider_id: str) -> None:
        assert provider.log_path(provider_id) is None
        assert provider.console(provider_id) == ""

    def test_a_second_provider_sees_what_the_first_one_launched(
        self, world: World, offering: Offering
    ) -> None:
        launched = buy(world.connect(), request(1, offering))
        world.pass_time()
        (adopted,) = world.connect().instances()
        # Since when it is billed may be known only now, and a queue is left behind.
        expected = replace(
            launched,
            state=InstanceState.RUNNING,
            billed_from_s=adopted.billed_from_s,
            is_queued=False,
        )
        assert adopted == expected

    def test_a_second_provider_honours_the_tokens_of_the_first(
        self, world: World, offering: Offering
    ) -> None:
        first = buy(world.connect(), request(1, offering))
        other = world.connect()
        assert buy(other, request(1, offering)).provider_id == first.provider_id
        assert len(other.instances()) == 1

    def test_a_second_provider_ends_what_the_first_one_launched(
        self, world: World, offering: Offering
    ) -> None:
        first, second = world.connect(), world.connect()
        launched = buy(first, request(1, offering))
        _end(world, second, launched)
        assert _seen(first, launched) == _seen(second, launched)
        assert _seen(first, launched).state is InstanceState.GONE

    def test_a_machine_that_ends_by_itself_is_found_gone(
        self, world: World, provider: Provider, offering: Offering
    ) -> None:
        launched = buy(provider, request(1, offering))
        world.pass_time()
        world.destroy(launched.provider_id)
        gone = _seen(provider, launched)
        assert gone.state is InstanceState.GONE
        assert gone.exited_at_s is not None
        assert _seen(provider, launched) == gone

    def test_the_join_token_is_in_nothing_that_the_provider_shows(
        self, provider: Provider, offering: Offering
    ) -> None:
        instance = buy(provider, request(1, offering))
        assert "secret-1" not in repr(instance)
        assert "secret-1" not in repr(provider.instances())

    def test_a_group_comes_in_the_order_of_its_nodes(
        self, world: World, provider: Provider, offering: Offering
    ) -> None:
        wanted = request(1, offering, count=3)
        group = provider.launch(wanted)
        assert tuple(each.node_id for each in group) == wanted.node_ids
        assert len({each.provider_id for each in group}) == 3
        assert {(each.token, each.job_id, each.offering) for each in group} == {
            ("token-1", "job-1", offering)
        }
        world.pass_time()
        seen = {each.node_id: each.provider_id for each in provider.instances()}
        assert seen == {each.node_id: each.provider_id for each in group}

    def test_a_group_is_bought_once_and_any_provider_tells_it_apart_alike(
        self, world: World, offering: Offering
    ) -> None:
        group = world.connect().launch(request(1, offering, count=3))
        other = world.connect()
        again = other.launch(request(1, offering, count=3))
        assert [each.provider_id for each in again] == [each.provider_id for each in group]
        assert len(other.instances()) == 3

    def test_a_group_of_which_one_is_gone_is_not_bought_again(
        self, world: World, provider: Provider, offering: Offering
    ) -> None:
        group = provider.launch(request(1, offering, count=2))
        provider.instances()
        _end(world, provider, group[0])
        again = world.connect().launch(request(1, offering, count=2))
        assert [each.provider_id for each in again] == [each.provider_id for each in group]
        assert again[0].state is InstanceState.GONE
        assert _seen(provider, group[1]).state is InstanceState.RUNNING

    def test_a_group_that_is_not_to_be_had_whole_leaves_nothing(
        self, world: World, provider: Provider, offering: Offering
    ) -> None:
        world.admit(offering, 2)
        with pytest.raises(CapacityUnavailable):
            provider.launch(request(1, offering, count=3))
        world.pass_time()
        assert [each for each in provider.instances() if each.state is not InstanceState.GONE] == []
        world.admit(offering, 3)
        assert len(world.connect().launch(request(2, offering, count=3))) == 3

    def test_fewer_are_to_be_had_where_a_group_is_not(
        self, world: World, provider: Provider, offering: Offering
    ) -> None:
        world.admit(offering, 2)
        with pytest.raises(CapacityUnavailable):
            provider.launch(request(1, offering, count=4))
        assert len(provider.launch(request(2, offering, count=2))) == 2

    def test_no_group_is_empty(self, offering: Offering) -> None:
        with pytest.raises(InvalidInput, match="at least one node"):
            replace(request(1, offering), node_ids=())


def _end(world: World, provider: Provider, instance: Instance) -> None:
    provider.terminate(instance.provider_id, now_s=world.clock.now_s())
    world.pass_time()


def _seen(provider: Provider, wanted: Instance) -> Instance:
    (instance,) = (i for i in provider.instances() if i.provider_id == wanted.provider_id)
    return instance
