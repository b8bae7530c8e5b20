"""The EC2 provider; all that it must remember is in its instances' tags."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain

from botocore.exceptions import ClientError

from elastic.clock import Clock
from elastic.config import Ec2Settings
from elastic.distribution import Wheel
from elastic.durations import (
    HOUR_S,
    LEASE_S,
    LONGEST_BLOCK_S,
    LONGEST_RETRY_S,
    MINUTE_S,
    POOL_ASKED_AGAIN_S,
    REGISTER_S,
    RETRY_S,
)
from elastic.errors import CapacityUnavailable, InvalidInput, ProviderError, ProviderUnavailable
from elastic.figures import duration
from elastic.model import Means, NodeType, Obstacle, Offering, WayIn
from elastic.providers.base import Instance, InstanceState, LaunchRequest, Trouble
from elastic.providers.blocks import FIRST_S, Blocks
from elastic.providers.ec2 import tags
from elastic.providers.ec2.aws import Aws
from elastic.providers.ec2.buying import Buyer, Purchase, Refusal, error_of
from elastic.providers.ec2.cached import CachedValue
from elastic.providers.ec2.catalog import Catalog, Kind, check_choice, read_catalog
from elastic.providers.ec2.faults import FAULTS, NO_GROUP, RefusalKind, code_of
from elastic.providers.ec2.images import Image, Images
from elastic.providers.ec2.keep_alive_tags import KeepAliveTags
from elastic.providers.ec2.leader_lease import ParameterLeases, lease_name
from elastic.providers.ec2.machines import (
    Ec2Machine,
    console_tail,
    end_machine,
    prove_end,
    read_machines,
)
from elastic.providers.ec2.members import instances_of, name_members, whole_launch
from elastic.providers.ec2.network import ensure_group
from elastic.providers.ec2.pending import Pending
from elastic.providers.ec2.template import Template, launched_images, sweep_templates, template_name
from elastic.providers.ec2.user_data import (
    WORK_FOLDER,
    package_source,
    user_data,
    wheel_url,
)
from elastic.renewal import Renewal

# With these codes fewer machines would be refused as well.
_WHATEVER_THE_COUNT = frozenset({"SpotMaxPriceTooLow", "Unsupported"})


@dataclass(frozen=True, slots=True)
class Paths:
    """Where nodes keep checkpoints and artifacts: a folder that all share, or s3://..."""

    checkpoint_root: str
    artifact_root: str


class Ec2Provider:
    """Buys instances by CreateFleet, knows them by their tags, and ends them.

    Any number of providers with the same cluster name and region see the same instances, and the
    same leader lease.
    """

    name = "ec2"

    def __init__(
        self,
        settings: Ec2Settings,
        *,
        aws: Aws,
        clock: Clock,
        paths: Paths,
        lease_s: float = LEASE_S,
        register_s: float = REGISTER_S,
        wheel: Wheel | None = None,
    ) -> None:
        """Makes a provider; it makes no request yet.

        `wheel` is the elasticd that nodes install, if `settings.bootstrap` has them do so. Before
        its first lease a machine lives for `register_s`, or a lease if that is longer.
        """
        self.minimum_billed_s = settings.minimum_billed_s
        check_choice(settings)
        if settings.needs_wheel and wheel is None:
            raise InvalidInput(
                "ec2.bootstrap: wanted a wheel for nodes to install, or lines that need none, got "
                "neither"
            )
        self.blocks = Blocks()
        self.lease_register = ParameterLeases(aws, lease_name(settings.cluster))
        self._settings = settings
        self._aws = aws
        self._clock = clock
        self._paths = paths
        self._lease_s = lease_s
        self._register_s = register_s
        self._wheel = wheel
        self._catalog = CachedValue(lambda: read_catalog(aws, settings), clock)
        self._groups: dict[str, str] = {}
        self._images = Images(aws, settings, clock)
        self._buyer = Buyer(aws)
        self._pending = Pending()
        # EC2 refills its limits of requests each second, the slowest ones within a minute (EC2 API
        # Reference, "Request throttling").
        self._launches = Renewal(
            every_s=0.0, retry_s=RETRY_S, longest_retry_s=LONGEST_RETRY_S, is_scattered=True
        )
        self._marks = KeepAliveTags(aws)
        # When the end of each machine was asked for, of the last minute.
        self._ended_at_s: dict[str, float] = {}
        # The first sweep comes later, so that jobs that wait across a restart launch first.
        self._swept_at_s = clock.now_s()

    def node_types(self) -> tuple[NodeType, ...]:
        return tuple(
            replace(kind.node_type, image=self._image_id(kind))
            for kind in self.catalog().kinds.values()
        )

    def offerings(self) -> tuple[Offering, ...]:
        return self.catalog().offerings

    def catalog(self) -> Catalog:
        """All that EC2 sells here, read every 6 hours; an old one serves without an answer."""
        return self._catalog.get()

    def _image_id(self, kind: Kind) -> str | None:
        with suppress(ProviderError):
            return self._images.newest(kind).id
        return None

    def disk_gib(self, node_type: str) -> int:
        """The size of a machine's disk. Raises ProviderError while its image is unknown."""
        kinds = self.catalog().kinds
        # A type that is no longer sold is not bought any more, but its machines still have disks.
        # The size for any other kind is good enough for those.
        return self._images.disk_gib(kinds.get(node_type) or next(iter(kinds.values())))

    def launch(self, request: LaunchRequest) -> tuple[Instance, ...]:
        seen = self._seen(request)
        bought = whole_launch(seen)
        if bought:
            return bought
        now_s = self._clock.now_s()
        catalog = self.catalog()
        if request.offering not in catalog.offerings:
            raise ProviderError(
                f"{request.offering}: not sold here; on offer are "
                f"{', '.join(map(str, catalog.offerings))}"
            )
        # If some machines are seen, the launch was made, and the repeated call returns the others.
        if not seen:
            self._check_open(request, now_s)
        had_group = catalog.vpc_id in self._groups
        try:
            template = self._template(request, catalog)
            purchase = Purchase(request, template, catalog.subnets[request.offering.zone].id)
            outcome = self._buyer.buy(purchase)
        except ProviderUnavailable as error:
            code = _code_behind(error)
            self._pause_after(code, now_s)
            if code in NO_GROUP:
                self._groups.clear()
                # The group was removed meanwhile, and this launch names it. So this error is final,
                # and the next launch makes the group again.
                if had_group:
                    raise ProviderError(str(error)) from error
            raise
        if isinstance(outcome, Refusal):
            if outcome.code in NO_GROUP:
                self._groups.clear()
            self._note(request, outcome, now_s)
            vcpus = catalog.kinds[request.offering.node_type].node_type.cpu
            raise error_of(request.offering, outcome, count=len(request.node_ids), vcpus=vcpus)
        # The rest of an earlier launch does not wait for a pause, and does not end one.
        if not seen:
            self._launches.note_success(now_s=now_s)
        self.blocks.sold(request.offering, len(request.node_ids))
        return self._launched(outcome, request, template.image, now_s)

    def instances(self) -> tuple[Instance, ...]:
        machines = read_machines(self._aws, {tags.CLUSTER: self._settings.cluster})
        instances = self._pending.note(instances_of(machines), now_s=self._clock.now_s())
        alive = [each for each in instances if each.state is not InstanceState.GONE]
        name_members(self._aws, machines, alive)
        self._sweep({each.job_id for each in alive})
        return instances

    def keep_alive(self, provider_ids: Collection[str], *, now_s: float) -> None:
        self._marks.renew(provider_ids, now_s=now_s)

    def terminate(self, provider_id: str, *, now_s: float) -> None:
        """Asks EC2 once, and again if it is called more than a minute later.

        A machine is shutting down for minutes. The requests that EC2 takes in a second are few.
        """
        self._ended_at_s = {
            each: at_s for each, at_s in self._ended_at_s.items() if 0 <= now_s - at_s < MINUTE_S
        }
        if provider_id not in self._ended_at_s and end_machine(self._aws, provider_id):
            self._ended_at_s[provider_id] = now_s

    def prove_end(self, provider_id: str) -> None:
        prove_end(self._aws, provider_id)

    def console(self, provider_id: str) -> str:
        return console_tail(self._aws, provider_id)

    def troubles(self) -> Mapping[Trouble, str]:
        found = {}
        if self._marks.failure is not None:
            found[Trouble.CANNOT_KEEP_ALIVE] = (
                "keep-alive tags cannot be renewed, so `elasticd gc --terminate`, wherever it "
                f"runs, takes them for abandoned and ends them: {self._marks.failure}"
            )
        catalog = self._catalog.seen
        if catalog is not None and catalog.not_sold:
            found[Trouble.NOT_SOLD] = catalog.not_sold_text()
        return found

    def log_path(self, provider_id: str) -> str | None:
        return None

    def way_in(self, provider_id: str, *, node_id: str) -> WayIn | None:
        return WayIn(
            Means.SESSION_MANAGER,
            target=provider_id,
            folder=WORK_FOLDER,
            region=self._aws.reads.meta.region_name,
        )

    def _sweep(self, living_jobs: Collection[str]) -> None:
        """Removes unused templates every hour: left over, they cost nothing."""
        now_s = self._clock.now_s()
        if now_s - self._swept_at_s >= HOUR_S:
            self._swept_at_s = now_s
            sweep_templates(self._aws, self._settings.cluster, living_jobs=living_jobs, now_s=now_s)

    def _seen(self, request: LaunchRequest) -> tuple[Ec2Machine, ...]:
        """What the token bought before, as far as EC2 shows it.

        EC2's own memory of tokens may be short.
        """
        wanted = {tags.CLUSTER: self._settings.cluster, tags.INTENT: request.token}
        return read_machines(self._aws, wanted)

    def _check_open(self, request: LaunchRequest, now_s: float) -> None:
        block = self.blocks.of(request.offering, nodes=len(request.node_ids), now_s=now_s)
        if block is not None:
            least = ""
            if block.nodes > 1:
                least = f"{block.nodes} or more nodes were "
            raise CapacityUnavailable(
                f"{request.offering}: {least}refused recently, tried again in "
                f"{duration(block.until_s - now_s)}; try another offering"
            )
        if not self._launches.is_due(now_s=now_s):
            left_s = self._launches.wait_s(now_s=now_s)
            raise ProviderUnavailable(
                f"{request.offering}: EC2 throttles launches, the next one is due in "
                f"{duration(left_s)}"
            )

    def _template(self, request: LaunchRequest, catalog: Catalog) -> Template:
        kind = catalog.kinds[request.offering.node_type]
        if catalog.vpc_id not in self._groups:
            self._groups[catalog.vpc_id] = ensure_group(self._aws, self._settings, catalog.vpc_id)
        image = self._images.pinned(request.job_id, kind, self._images_in_use(request, catalog))
        return Template(
            name=template_name(self._settings.cluster, request.job_id),
            token=request.token,
            node_type=request.offering.node_type,
            image=image,
            user_data=user_data(
                request.agent_config(
                    checkpoint_root=self._paths.checkpoint_root,
                    artifact_root=self._paths.artifact_root,
                    lease_s=self._lease_s,
                    region=self._aws.reads.meta.region_name,
                    imds=True,
                ),
                bootstrap=self._settings.bootstrap,
                wheel=wheel_url(self._wheel, daemon_url=request.daemon_url) if self._wheel else "",
                packages=self._packages(kind),
                has_nvidia=kind.gpu_maker == "NVIDIA",
                lease_s=self._lease_s,
                boot_s=self._register_s,
            ),
            security_group=self._groups[catalog.vpc_id],
            volume_gib=self._images.disk_gib(kind),
            tags=self._tags(request),
            own_tags=self._settings.tags,
            instance_profile=self._settings.instance_profile,
            placement_group=self._settings.placement_group,
            is_burstable=kind.is_burstable,
        )

    def _packages(self, kind: Kind) -> str:
        has_gpu = kind.node_type.gpu_count > 0
        index = self._settings.package_index
        if has_gpu and self._settings.package_index_gpu is not None:
            index = self._settings.package_index_gpu
        return package_source(index, has_gpu=has_gpu)

    def _images_in_use(self, request: LaunchRequest, catalog: Catalog) -> Iterator[str]:
        """The images in the job's template, and if that is gone, those of its machines."""
        # A generator, since EC2 is asked only when needed: a job of a thousand machines would be
        # listed a thousand times.
        parameter = self._images.parameter(catalog.kinds[request.offering.node_type])
        for node_type, image_id in chain.from_iterable(self._launched_images(request.job_id)):
            kind = catalog.kinds.get(node_type)
            if kind is not None and self._images.parameter(kind) == parameter:
                yield image_id

    def _launched_images(self, job_id: str) -> Iterator[Iterable[tuple[str, str]]]:
        yield launched_images(self._aws, template_name(self._settings.cluster, job_id))
        machines = read_machines(
            self._aws, {tags.CLUSTER: self._settings.cluster, tags.JOB: job_id}
        )
        found = (machine.instance for machine in machines)
        yield ((each.offering.node_type, each.image) for each in found if each.image)

    def _tags(self, request: LaunchRequest) -> dict[str, str]:
        """The tags of a launch's machines."""
        name = request.node_ids[0] if len(request.node_ids) == 1 else request.job_id
        # No instant is among them, since a repeated request must be the same.
        return {
            "Name": f"elasticd {name}",
            **tags.common(self._settings),
            tags.JOB: request.job_id,
            tags.INTENT: request.token,
            **tags.node_tags(request.node_ids),
        }

    def _launched(
        self, bought: tuple[str, ...], request: LaunchRequest, image: Image, now_s: float
    ) -> tuple[Instance, ...]:
        # They are bought, even if they cannot be described yet.
        with suppress(ProviderError):
            seen = whole_launch(self._seen(request))
            if seen:
                return seen
        return tuple(
            Instance(
                provider_id=provider_id,
                node_id=node_id,
                job_id=request.job_id,
                token=request.token,
                offering=request.offering,
                state=InstanceState.PENDING,
                launched_at_s=now_s,
                image=image.id,
            )
            for provider_id, node_id in zip(bought, request.node_ids, strict=True)
        )

    def _note(self, request: LaunchRequest, refusal: Refusal, now_s: float) -> None:
        """Blocks what later launches would be refused too: the offering, or its whole market."""
        offering = request.offering
        if refusal.fault is RefusalKind.CAPACITY:
            first_s, longest_s = FIRST_S, POOL_ASKED_AGAIN_S
            if refusal.code == "Unsupported":
                # A type that a zone does not support now will not be supported in 3 minutes.
                first_s = longest_s = LONGEST_BLOCK_S
            nodes = 1 if refusal.code in _WHATEVER_THE_COUNT else len(request.node_ids)
            self.blocks.block(
                offering, nodes=nodes, first_s=first_s, longest_s=longest_s, now_s=now_s
            )
        elif refusal.fault is RefusalKind.QUOTA:
            # A quota is raised by a person, or freed by a machine that ends. Fewer may fit it.
            for each in self.catalog().offerings:
                if (each.node_type, each.capacity) == (offering.node_type, offering.capacity):
                    self.blocks.block(
                        each,
                        Obstacle.QUOTA,
                        nodes=len(request.node_ids),
                        first_s=POOL_ASKED_AGAIN_S,
                        now_s=now_s,
                    )
        else:
            self._pause_after(refusal.code, now_s)

    def _pause_after(self, code: str, now_s: float) -> None:
        """Delays launches that EC2 throttles, longer each time."""
        # What EC2 still answers is needed for terminations.
        if code in FAULTS[RefusalKind.THROTTLED]:
            self._launches.note_failure(now_s=now_s)


def _code_behind(error: ProviderError) -> str:
    cause = error.__cause__
    if isinstance(cause, ClientError):
        return code_of(cause)
    return ""
