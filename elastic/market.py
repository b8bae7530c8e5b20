"""Makes the provider and the source of prices that the settings name."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from elastic.clock import Clock, SteadyClock
from elastic.config import Settings
from elastic.distribution import Wheel
from elastic.durations import BOOT_PRIOR_S
from elastic.errors import InvalidInput
from elastic.model import Limits, NodeType, Offering
from elastic.pricing import PRICE_ARCHIVES, PRICE_SOURCES, PriceSetup, PriceSource
from elastic.providers import Provider, precisions_here
from elastic.providers.keeping import Cluster, NodeTerms
from elastic.providers.local import LocalProvider, find_cpu_cgroups
from elastic.providers.slurm import SlurmCommands, SlurmProvider
from elastic.reconciler import PricePast, offered_or_held, place_of
from elastic.store import Store


def market(
    settings: Settings, clock: Clock, store: Store, wheel: Wheel | None
) -> tuple[Provider, PriceSource, PricePast | None]:
    """Makes the provider, the source of its prices, and that of past prices (None: there is none).

    The setting `provider` chooses.
    """
    name = _price_source(settings)
    setup = PriceSetup(
        started_at_s=_first_start_s(settings.data_dir, settings.price_trace, clock.now_s()),
        trace=settings.price_trace,
        observed_to_s=store.prices.observed_to_s,
    )
    provider, setup = _MARKETS[settings.provider](settings, clock, setup, wheel, store)
    setup = replace(setup, offerings=offered_or_held(setup.offerings, store))
    archive = PRICE_ARCHIVES.get(name)
    past = archive and PricePast(store, lambda: archive(setup))
    return provider, PRICE_SOURCES[name](setup), past


def limits(settings: Settings, provider: Provider, *, reaction_s: float | None = None) -> Limits:
    """The limits of every decision, by the settings and the provider."""
    policy = settings.policy.model_dump()
    if policy["boot_prior_s"] is None:
        # The default bootstrap installs torch, which takes longer than the boot itself.
        installs = settings.provider == "ec2" and settings.ec2.bootstrap is None
        policy["boot_prior_s"] = _INSTALL_PRIOR_S if installs else BOOT_PRIOR_S
    return Limits(
        **policy,
        minimum_billed_s=provider.minimum_billed_s,
        reaction_s=reaction_s,
        tick_s=settings.tick_s,
        usd_per_gib_received=settings.ec2.usd_per_gib_received
        if settings.provider == "ec2"
        else 0.0,
    )


def _price_source(settings: Settings) -> str:
    """Which of `PRICE_SOURCES` the settings name. Raises InvalidInput."""
    if settings.price_trace is not None:
        of_provider = "trace"
    elif settings.provider == "local":
        of_provider = "static"
    else:
        of_provider = settings.provider
    name = settings.price_source or of_provider
    if name not in PRICE_SOURCES:
        known = ", ".join(PRICE_SOURCES)
        text = f"setting price_source: wanted one of {known}, got {name!r}"
        raise InvalidInput(text, field="price_source")
    if settings.price_trace is not None and name != "trace":
        raise InvalidInput(
            f"setting price_source: wanted trace beside a price_trace, got {name!r}; leave one out",
            field="price_source",
        )
    return name


def _first_start_s(data_dir: Path, trace: Path | None, now_s: float) -> float:
    """When this data folder was first served with this trace of prices."""
    # A replay continues where an earlier daemon left it; a trace that is new here begins now.
    path = data_dir / "started"
    wanted = None if trace is None else str(trace.absolute())
    try:
        told = json.loads(path.read_text())
        if told["price_trace"] == wanted:
            return float(told["at_s"])
    except (FileNotFoundError, ValueError, TypeError, KeyError):
        pass
    path.write_text(json.dumps({"price_trace": wanted, "at_s": now_s}))
    return now_s


def _local(
    settings: Settings, clock: Clock, setup: PriceSetup, wheel: Wheel | None, store: Store
) -> tuple[Provider, PriceSetup]:
    precisions = precisions_here()
    cores = len(os.sched_getaffinity(0))
    types = [
        NodeType(
            each.name,
            each.cpu,
            each.memory_gib,
            # A type may claim more cores than this machine has. More threads would only wait.
            physical_cores=min(each.cpu, cores),
            precisions=precisions,
        )
        for each in settings.local_types
    ]
    provider = LocalProvider(
        settings.data_dir.absolute() / "local",
        types,
        clock=clock,
        cgroups=find_cpu_cgroups(),
        checkpoint_root=settings.job_root,
        artifact_root=settings.job_root,
        lease_s=settings.lease_s,
    )
    return provider, replace(
        setup, usd_per_h={Offering(each.name): each.usd_per_h for each in settings.local_types}
    )


def _ec2(
    settings: Settings, clock: Clock, setup: PriceSetup, wheel: Wheel | None, store: Store
) -> tuple[Provider, PriceSetup]:
    # Imported here, since boto3 is slow to import and other providers do not need it.
    from elastic.providers.ec2 import Ec2Provider, Paths, connect

    provider = Ec2Provider(
        settings.ec2,
        aws=connect(settings.ec2.region, clock.told if isinstance(clock, SteadyClock) else None),
        clock=clock,
        paths=Paths(checkpoint_root=settings.job_root, artifact_root=settings.job_root),
        lease_s=settings.lease_s,
        register_s=settings.register_timeout_s,
        wheel=wheel,
    )
    # An offering that is not bought for a while still needs a price: its machines may run.
    market = replace(
        setup,
        ec2=settings.ec2,
        offerings=lambda: provider.catalog().offerings,
        public_zones=lambda: provider.catalog().public_zones,
        disk_gib=provider.disk_gib,
    )
    return provider, market


def _ssh(
    settings: Settings, clock: Clock, setup: PriceSetup, wheel: Wheel | None, store: Store
) -> tuple[Provider, PriceSetup]:
    # Imported here, since asyncssh is slow to import and other providers do not need it.
    from elastic.providers.ssh import Access, SshProvider, read_hosts

    provider = SshProvider(
        read_hosts(settings.ssh),
        access=Access(settings.ssh.config_file, settings.ssh.known_hosts),
        cluster=_cluster(settings, store),
        folder=settings.data_dir.absolute() / "ssh",
        terms=_node_terms(settings, settings.ssh.package_index),
        clock=clock,
        wheel=wheel,
    )
    return provider, replace(setup, owned=provider.prices, offerings=provider.offerings)


def _slurm(
    settings: Settings, clock: Clock, setup: PriceSetup, wheel: Wheel | None, store: Store
) -> tuple[Provider, PriceSetup]:
    provider = SlurmProvider(
        settings.slurm,
        commands=SlurmCommands(),
        cluster=_cluster(settings, store),
        memory=settings.data_dir.absolute() / "slurm.json",
        terms=_node_terms(settings, settings.slurm.package_index),
        clock=clock,
        wheel=wheel,
    )
    return provider, replace(setup, owned=provider.prices, offerings=provider.offerings)


def _cluster(settings: Settings, store: Store) -> Cluster:
    """What tells this daemon's machines from those of another one."""
    return Cluster(store.holder(), place_of(settings.data_dir.absolute()))


def _node_terms(settings: Settings, package_index: str | None) -> NodeTerms:
    return NodeTerms(
        checkpoint_root=settings.job_root,
        artifact_root=settings.job_root,
        lease_s=settings.lease_s,
        register_s=settings.register_timeout_s,
        package_index=package_index,
    )


# What each value of the setting `provider` makes: the provider, and what its prices depend on.
_MARKETS: Mapping[
    str, Callable[[Settings, Clock, PriceSetup, Wheel | None, Store], tuple[Provider, PriceSetup]]
] = {
    "local": _local,
    "ec2": _ec2,
    "ssh": _ssh,
    "slurm": _slurm,
}

# How long a boot takes until one was measured, with the default bootstrap, which installs torch.
# Measured on two cores: 17 s for the CPU build (tests/e2e/test_bootstrap.py), 85 s for the CUDA
# build by pip. Half a minute is for EC2 itself, which was not measured.
_INSTALL_PRIOR_S = 120.0
