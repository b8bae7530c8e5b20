"""The provider of hosts that somebody has already, each reached by ssh and running one node."""

from __future__ import annotations

import shlex
import threading
from base64 import b64encode
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from elastic.clock import Clock
from elastic.distribution import Wheel
from elastic.durations import ANSWER_TIMEOUT_S, GONE_LISTED_S, TRANSFER_TIMEOUT_S
from elastic.errors import CapacityUnavailable, ProviderError, ProviderUnavailable
from elastic.model import Means, NodeType, Offering, WayIn
from elastic.providers.base import Instance, LaunchRequest, Trouble
from elastic.providers.blocks import Blocks
from elastic.providers.keeping import (
    ANSWER_S,
    LEAST_FREE_BYTES,
    REST_LOOK_S,
    Cluster,
    NodeTerms,
    disk_is_full,
)
from elastic.providers.ssh.connection import Access, HostLinks, HostRefused
from elastic.providers.ssh.hosts import Host
from elastic.providers.ssh.memory import HostMemory, Memories, provider_id, same_machine
from elastic.providers.ssh.node_types import node_type, price_of, types_of

Fields = Mapping[str, Any]


class SshProvider:
    """Starts a detached node on each host that is free, and knows it by files on that host.

    `folder` holds what is remembered of hosts that do not answer. All providers of one cluster see
    the same nodes. A host runs one node at a time, whichever cluster's it is.
    """

    name = "ssh"
    minimum_billed_s = 0.0
    # The lock of the data folder keeps other daemons of this cluster out.
    lease_register = None

    def __init__(
        self,
        hosts: Sequence[Host],
        *,
        access: Access,
        cluster: Cluster,
        folder: Path,
        terms: NodeTerms,
        clock: Clock,
        wheel: Wheel | None = None,
        least_free_bytes: int = LEAST_FREE_BYTES,
    ) -> None:
        self.blocks = Blocks()
        self._access = access
        self._cluster = cluster
        self._terms = terms
        self._clock = clock
        self._wheel = wheel
        self._least_free_bytes = least_free_bytes
        # In files of its own, since a provider does not know the database.
        self._memories = Memories(folder)
        before = self._memories.read()
        # A host that is no longer named, but may run a node, is still looked after.
        left = [each.host for each in before.values() if each.living]
        named = {each.name for each in hosts}
        self._offered = frozenset(named)
        known = {each.name: each for each in (*left, *hosts)}
        self._hosts: dict[str, HostMemory] = {
            name: replace(before.get(name) or HostMemory(host), host=host)
            for name, host in known.items()
        }
        self._links = HostLinks(tuple(known.values()), access)
        # Why a host cannot be used now.
        self._failures: dict[str, str] = {}
        self._looked_at_s: dict[str, float] = {}
        self._booted: dict[str, str] = {}
        self._machines: dict[str, list[str]] = {}
        # What keeps a host that answers from being used, and since when that is known.
        self._faults: dict[str, tuple[str, float]] = {}
        self._lock = threading.RLock()

    def node_types(self) -> tuple[NodeType, ...]:
        with self._lock:
            return tuple(node_type(name, each) for name, each in self._by_type().items())

    def offerings(self) -> tuple[Offering, ...]:
        with self._lock:
            return tuple(Offering(name) for name in self._by_type())

    def prices(self) -> Mapping[Offering, float]:
        """What each offering costs, USD an hour, as their owner says."""
        with self._lock:
            return {
                Offering(name): price_of(each[0].host) for name, each in self._by_type().items()
            }

    def launch(self, request: LaunchRequest) -> tuple[Instance, ...]:
        with self._lock:
            self._look(self._hosts)
            # After the look: a start whose answer was lost shows as a node that is there.
            found = self._bought(request.token)
            # The order of the first call: a repeated one may come with other ids.
            order = next((each["launched_with"] for each in found.values()), request.node_ids)
            missing = [each for each in order if each not in found]
            if missing:
                self._check_offered(request.offering)
                self._start_all(replace(request, node_ids=tuple(order)), missing, found)
            instances = {each.node_id: each for each in self._instances()}
            if not all(node_id in instances for node_id in order):
                raise ProviderUnavailable(
                    f"{request.offering}: not all of its nodes are seen yet; launch them again"
                )
            return tuple(instances[node_id] for node_id in order)

    def instances(self) -> tuple[Instance, ...]:
        with self._lock:
            now_s = self._clock.now_s()
            self._look([name for name in self._hosts if self._is_due(name, now_s)])
            self._end_what_waits()
            self._block_what_is_not_free(now_s)
            return tuple(
                each
                for each in self._instances()
                if each.exited_at_s is None or each.exited_at_s >= now_s - GONE_LISTED_S
            )

    def keep_alive(self, provider_ids: Collection[str], *, now_s: float) -> None:
        """Does nothing: no reaper ends nodes on hosts."""

    def terminate(self, provider_id: str, *, now_s: float) -> None:
        node_id, _, host = provider_id.partition("@")
        with self._lock:
            memory = self._hosts.get(host)
            if memory is None or not node_id:
                return
            # The host does not answer: its node ends when it does, at the latest when its lease is
            # over.
            if not self._end(host, node_id):
                ending = (*(each for each in memory.ending if each != node_id), node_id)
                self._remember(replace(memory, ending=ending))

    def prove_end(self, provider_id: str) -> None:
        """A user that may log in may end its own processes.

        A host that is away proves nothing, for or against: then another one that answers does.
        """
        host = provider_id.partition("@")[2]
        with self._lock:
            for name in sorted(self._hosts, key=lambda each: each != host):
                if name not in self._failures and name in self._looked_at_s:
                    return
            raise ProviderUnavailable(self._failures.get(host, f"{host}: was not asked yet"))

    def console(self, provider_id: str) -> str:
        node_id, _, host = provider_id.partition("@")
        with suppress(ProviderError):
            if host in self._hosts:
                answer = self._links.ask(host, {"do": "tail", "node_id": node_id})
                return str(answer["text"])
        return ""

    def troubles(self) -> Mapping[Trouble, str]:
        failures = self._failures
        if not failures:
            return {}
        told = "; ".join(failures[name] for name in sorted(failures))
        return {Trouble.HOSTS: f"a host cannot be used (elasticd host check): {told}"}

    def log_path(self, provider_id: str) -> str | None:
        return None

    def way_in(self, provider_id: str, *, node_id: str) -> WayIn | None:
        memory = self._hosts.get(provider_id.partition("@")[2])
        if memory is None:
            return None
        # The host itself says where a node that runs has its files.
        work = next((each.get("work") for each in memory.nodes if each["node_id"] == node_id), None)
        if work is None:
            return None
        return WayIn(
            Means.SSH,
            target=memory.host.name,
            folder=shlex.quote(work),
            # With these its keeper ends it as it does all of the node's processes.
            marks={"ELASTICD_NODE_ID": node_id, "ELASTICD_CLUSTER": self._cluster.name},
            ssh_config=str(self._access.config_file or ""),
            known_hosts=str(self._access.known_hosts or ""),
        )

    @property
    def calls(self) -> tuple[int, int]:
        """How many logins and requests were made."""
        return self._links.costs

    def close(self) -> None:
        """Ends the connections; nodes go on."""
        self._links.close()

    def _by_type(self) -> dict[str, list[HostMemory]]:
        """The hosts on offer of each type. Raises ProviderUnavailable if none was ever seen."""
        offered = [self._hosts[name] for name in self._hosts if name in self._offered]
        if any(each.facts is None for each in offered):
            self._look([each.host.name for each in offered if each.facts is None])
            offered = [self._hosts[each.host.name] for each in offered]
        types = types_of(offered)
        if not types:
            raise ProviderUnavailable(f"no host can be used: {'; '.join(self._failures.values())}")
        found: dict[str, list[HostMemory]] = {}
        for each in offered:
            if each.host.name in types:
                found.setdefault(types[each.host.name], []).append(each)
        return found

    def _look(self, names: Collection[str]) -> None:
        """Asks hosts for their nodes, and new ones for what they are."""
        now_s = self._clock.now_s()
        asked = {"do": "look", "cluster": self._cluster.name, "now_s": now_s}
        answers = self._links.ask_each({each: dict(asked) for each in names})
        new = []
        for name, answer in answers.items():
            self._note(name, answer)
            if isinstance(answer, ProviderError):
                continue
            # A host that has booted may have got other parts meanwhile.
            _, known_at_s = self._faults.get(name, ("", now_s))
            if self._booted.get(name) != answer["boot_id"] or now_s - known_at_s >= REST_LOOK_S:
                new.append(name)
        if new:
            self._find_out(new)

    def _find_out(self, names: Collection[str]) -> None:
        asked = {"do": "facts"}
        # The daemon has a folder of its own in that of checkpoints, unless it is a bucket.
        own = Path(self._terms.checkpoint_root, "daemon")
        if own.is_dir():
            asked["marker"] = str(own)
        answers = self._links.ask_each({each: dict(asked) for each in names}, timeout_s=ANSWER_S)
        for name, answer in answers.items():
            if isinstance(answer, ProviderError):
                self._note(name, answer)
                continue
            self._booted[name] = answer["boot_id"]
            if answer["wrong"]:
                # Without its GPUs, or the shared folder, it is not what its owner named.
                self._faults[name] = answer["wrong"], self._clock.now_s()
                self._failures = {**self._failures, name: f"{name}: {answer['wrong']}"}
            else:
                if self._faults.pop(name, None) is not None:
                    left = {each: why for each, why in self._failures.items() if each != name}
                    self._failures = left
                self._remember(replace(self._hosts[name], facts=answer))

    def _note(self, name: str, answer: Fields | ProviderError) -> None:
        """Takes in what a host has answered, or that it has not."""
        if isinstance(answer, ProviderError):
            self._failures = {**self._failures, name: str(answer)}
            return
        self._looked_at_s[name] = self._clock.now_s()
        in_use = {
            other: machine
            for other, machine in self._machines.items()
            if other in self._offered or self._hosts[other].living
        }
        twin = same_machine(name, answer, in_use)
        if twin:
            # Its nodes would be there twice, and the second one would be ended.
            self._failures = {**self._failures, name: f"{name}: {twin}"}
            return
        self._machines[name] = answer["machine"]
        self._remember(self._hosts[name].looked(answer))
        failures = {other: why for other, why in self._failures.items() if other != name}
        free = answer["disk_free_bytes"]
        if free < self._least_free_bytes:
            failures[name] = f"{name}: {disk_is_full(free, self._least_free_bytes)}"
        if name in self._faults:
            failures[name] = f"{name}: {self._faults[name][0]}"
        self._failures = failures

    def _remember(self, memory: HostMemory) -> None:
        self._hosts[memory.host.name] = memory
        self._memories.write(memory)

    def _is_due(self, name: str, now_s: float) -> bool:
        # A host that is free can wait. One that runs a node, or may be back, is asked at every
        # tick.
        if self._hosts[name].living or name in self._failures:
            return True
        return not 0 <= now_s - self._looked_at_s.get(name, -REST_LOOK_S) < REST_LOOK_S

    def _instances(self) -> Iterator[Instance]:
        for name, memory in self._hosts.items():
            yield from memory.instances(self._failures.get(name, ""))

    def _bought(self, token: str) -> dict[str, Fields]:
        """The nodes of an earlier call with this token. Raises ProviderUnavailable if unsure."""
        for name, memory in self._hosts.items():
            if any(each["token"] == token for each in memory.unsure):
                raise ProviderUnavailable(
                    f"whether a node was started is not known: {self._failures.get(name, name)}"
                )
        return {
            each["node_id"]: each
            for memory in self._hosts.values()
            for each in memory.nodes
            if each["token"] == token
        }

    def _check_offered(self, offering: Offering) -> None:
        if offering not in self.offerings():
            on_offer = ", ".join(each.node_type for each in self.offerings())
            raise ProviderError(
                f"{offering}: no host is of this type; the types are {on_offer}",
                bought_nothing=True,
            )

    def _free(self, name: str) -> list[str]:
        """The hosts of a node type that a node could be started on."""
        return [
            each.host.name
            for each in self._by_type().get(name, ())
            if each.host.name not in self._failures and each.claim is None and not each.living
        ]

    def _start_all(
        self, request: LaunchRequest, missing: Sequence[str], found: Mapping[str, Fields]
    ) -> None:
        free, refusals = self._able(request)
        started: list[str] = []
        # Too few are not even begun: to start some and to end them again would claim hosts for
        # nothing.
        if len(free) >= len(missing):
            for host in free:
                if len(started) == len(missing):
                    return
                try:
                    self._start(host, missing[len(started)], request)
                    started.append(host)
                except ProviderError as error:
                    # Whether it started is not known: another host in its place might be one node
                    # too many.
                    if self._hosts[host].unsure:
                        raise
                    refusals.append(str(error))
            if len(started) == len(missing):
                return
        # All or none.
        for name, memory in self._hosts.items():
            for each in memory.living:
                if each["token"] == request.token:
                    self._end(name, each["node_id"])
        raise CapacityUnavailable(
            self._why_too_few(request.offering, len(missing), len(free), refusals),
            bought_nothing=not found,
        )

    def _able(self, request: LaunchRequest) -> tuple[list[str], list[str]]:
        """The hosts that a node could be started on, and what others lack for a job's image.

        Where no host of the type has an engine, none is left out: a node there says so, and its job
        ends.
        """
        free = self._free(request.offering.node_type)
        if not request.has_image:
            return free, []
        # One may have been installed since.
        self._find_out([each for each in free if not self._hosts[each].has_engine])
        alike = self._by_type().get(request.offering.node_type, ())
        if not any(each.has_engine for each in alike):
            return free, []
        able = [each for each in free if self._hosts[each].has_engine]
        lacking = [
            f"{each}: the job's image wants a container engine, found "
            f"{(self._hosts[each].facts or {}).get('engine')}"
            for each in free
            if each not in able
        ]
        return able, lacking

    def _start(self, host: str, node_id: str, request: LaunchRequest) -> None:
        memory = self._hosts[host]
        now_s = self._clock.now_s()
        launch = {
            "node_id": node_id,
            "job_id": request.job_id,
            "token": request.token,
            "node_type": request.offering.node_type,
            "launched_with": list(request.node_ids),
            "launched_at_s": now_s,
            "cluster": self._cluster.name,
            "place": self._cluster.place,
        }
        asked = {
            "do": "launch",
            "cluster": self._cluster.name,
            "now_s": now_s,
            "least_free_bytes": self._least_free_bytes,
            "launch": launch,
            "agent": self._terms.agent_config(
                request,
                instance_id=provider_id(node_id, host),
                advertise_host=memory.host.address,
            ),
            "order": self._order(memory.host, request),
        }
        # On record before it is asked for: the answer may be lost.
        self._remember(replace(memory, unsure=({**launch, "state": "pending"},)))
        try:
            answer = self._links.ask(host, asked)
        except HostRefused:
            self._remember(memory)
            self._looked_at_s.pop(host, None)
            raise
        except ProviderUnavailable as error:
            self._note(host, error)
            raise
        self._note(host, answer)

    def _order(self, host: Host, request: LaunchRequest) -> Fields:
        """What the keeper is told."""
        wheel = ""
        environment = ""
        if host.python is None and self._terms.agent_command is None and self._wheel is not None:
            wheel = self._bring_wheel(host.name, self._wheel)
            environment = f"env/{self._wheel.sha256[:12]}"
        order = self._terms.order(request, python=host.python, wheel=wheel, environment=environment)
        return {**order, "program": self._links.program(host.name), "is_alone": True}

    def _bring_wheel(self, host: str, wheel: Wheel) -> str:
        asked = {"do": "put", "path": f"wheels/{wheel.sha256[:12]}/{wheel.name}"}
        answer = self._links.ask(host, asked)
        if not answer["is_there"]:
            content = b64encode(wheel.content).decode()
            answer = self._links.ask(
                host, {**asked, "content": content}, timeout_s=TRANSFER_TIMEOUT_S
            )
        return str(answer["path"])

    def _end(self, host: str, node_id: str) -> bool:
        """Ends a node; whether its host answered."""
        asked = {
            "do": "end",
            "node_id": node_id,
            "cluster": self._cluster.name,
            "now_s": self._clock.now_s(),
        }
        try:
            self._note(host, self._links.ask(host, asked, timeout_s=ANSWER_TIMEOUT_S))
        except HostRefused:
            return True
        except ProviderUnavailable as error:
            self._note(host, error)
            return False
        return True

    def _end_what_waits(self) -> None:
        for name, memory in list(self._hosts.items()):
            if name not in self._failures:
                for node_id in memory.ending:
                    self._end(name, node_id)

    def _block_what_is_not_free(self, now_s: float) -> None:
        """Tells policies how many more nodes of each type there can be."""
        with suppress(ProviderUnavailable):
            for name in self._by_type():
                free = len(self._free(name))
                self.blocks.limit(Offering(name), free, for_s=REST_LOOK_S, now_s=now_s)

    def _why_too_few(
        self, offering: Offering, wanted: int, free: int, refusals: Sequence[str]
    ) -> str:
        why = list(refusals)
        alike = {each.host.name for each in self._by_type().get(offering.node_type, ())}
        for name, each in self._hosts.items():
            claim = each.claim
            # What a host that never answered would be is not known.
            if name in self._failures and (name in alike or each.facts is None):
                why.append(self._failures[name])
            elif name in alike and claim is not None and claim["cluster"] != self._cluster.name:
                why.append(f"{name}: claimed by cluster {claim['cluster']} ({claim['place']})")
        told = f": {'; '.join(why)}" if why else ""
        return f"{offering.node_type}: free hosts wanted {wanted}, found {free}{told}"
