"""Assigns the machines of one launch to its nodes, since CreateFleet gives all the same tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from botocore.exceptions import BotoCoreError, ClientError

from elastic.providers.base import Instance, InstanceState
from elastic.providers.ec2 import tags
from elastic.providers.ec2.aws import Aws
from elastic.providers.ec2.machines import Ec2Machine

_MOST_NAMED_AT_ONCE = 50


def instances_of(machines: Iterable[Ec2Machine]) -> tuple[Instance, ...]:
    """Every machine as an instance, assigned to its node.

    A machine with a node's tag is that node; of several it is the first that lives. The launch's
    other machines are its other nodes, in the order of their ids, once all are visible. So every
    daemon finds the same result before anything is written. Until then they have no node. Machines
    that are left over get a token of no launch, so that they are ended as orphans.
    """
    launches: dict[str, list[Ec2Machine]] = {}
    for machine in machines:
        launches.setdefault(machine.instance.token, []).append(machine)
    instances = [instance for members in launches.values() for instance in _members(members)]
    return tuple(sorted(instances, key=lambda each: (each.launched_at_s, each.provider_id)))


def whole_launch(machines: Sequence[Ec2Machine]) -> tuple[Instance, ...]:
    """All machines of one launch in the order of its nodes; none until EC2 shows all of them."""
    node_ids = max((machine.launched_with for machine in machines), key=len, default=())
    found = {each.node_id: each for each in instances_of(machines)}
    if all(node_id in found for node_id in node_ids):
        return tuple(found[node_id] for node_id in node_ids)
    return ()


def name_members(aws: Aws, machines: Iterable[Ec2Machine], instances: Iterable[Instance]) -> None:
    """Tags living machines with their nodes, if these are known and not tagged yet.

    Raises nothing.
    """
    nameless = {each.instance.provider_id for each in machines if not each.instance.node_id}
    known = [
        each for each in instances if each.node_id and each.provider_id in nameless and _lives(each)
    ]
    with suppress(ClientError, BotoCoreError):
        for each in known[:_MOST_NAMED_AT_ONCE]:
            aws.endings.create_tags(
                Resources=[each.provider_id], Tags=tags.tag_list({tags.NODE: each.node_id})
            )


def _members(machines: list[Ec2Machine]) -> Iterator[Instance]:
    node_ids = max((machine.launched_with for machine in machines), key=len)
    machines = sorted(
        machines, key=lambda each: (not _lives(each.instance), each.instance.launched_at_s)
    )
    named: dict[str, Instance] = {}
    unnamed: list[Instance] = []
    for instance in (machine.instance for machine in machines):
        if not instance.node_id:
            unnamed.append(instance)
        elif instance.node_id in named:
            yield _stranger(instance)
        else:
            named[instance.node_id] = instance
    yield from named.values()
    if not node_ids:  # not bought by one of our launches
        yield from unnamed
        return
    free = [node_id for node_id in node_ids if node_id not in named]
    if len(unnamed) < len(free):
        yield from unnamed
        return
    yield from (_stranger(each) for each in unnamed[len(free) :])
    chosen = sorted(unnamed[: len(free)], key=lambda each: each.provider_id)
    yield from (replace(each, node_id=node_id) for each, node_id in zip(chosen, free, strict=True))


def _stranger(instance: Instance) -> Instance:
    return replace(instance, node_id="", token=f"{instance.token}:second:{instance.provider_id}")


def _lives(instance: Instance) -> bool:
    return instance.state is not InstanceState.GONE
