"""The part of `elasticd doctor` that checks an AWS account: EC2, its prices, the bucket."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING

from elastic.clock import Clock
from elastic.errors import ElasticError, InvalidInput
from elastic.figures import counted, usd
from elastic.finding import Finding

if TYPE_CHECKING:
    from elastic.config import Settings
    from elastic.model import Offering

_NAME = "aws prices"
# The region whose list prices are the settings' defaults.
_DEFAULTS_OF = "us-east-1"
_MOST_NAMED = 6
_MOST_CHARACTERS = 120


def findings_of_account(settings: Settings, clock: Clock, *, nodes: int) -> Iterator[Finding]:
    """Checks everything about the account that a job of so many nodes depends on."""
    from elastic.providers.ec2.account import account_findings, connect_account  # boto3 takes 0.3 s

    try:
        account = connect_account(settings.ec2.region)
    except ElasticError as error:
        yield Finding("aws identity", "error", str(error), "set ec2.region or AWS_REGION")
        return
    port = settings.port_of_nodes
    ports = (range(port, port + 1), settings.port_range)
    yield from account_findings(
        account, settings.ec2, host=settings.address_of_nodes, ports=ports, nodes=nodes, clock=clock
    )
    yield check_prices(settings, clock)
    yield judge_disk_price(settings, account.region)
    yield check_checkpoints(settings, endpoint_url=account.aws.endpoint_url)
    yield from check_region(settings, account.region)
    yield from check_artifacts(settings)


def check_checkpoints(settings: Settings, *, endpoint_url: str) -> Finding:
    """Writes, reads and removes an object in the bucket of checkpoints.

    Nodes do the same with their own role when they start.
    """
    from elastic.checkpoints import is_location, parse_location
    from elastic.checkpoints.s3 import Bucket, check_bucket, connect
    from elastic.providers.ec2 import here, reaches_no_bucket

    name = "aws checkpoints"
    root = settings.job_root
    # A folder works only if all nodes share it.
    if not is_location(root):
        found = f"in the folder {root}"
        advice = "set checkpoint_root = 's3://BUCKET/PREFIX'"
        if here(endpoint_url) is not None:
            return Finding(
                name, "ok", f"{found} of this machine, on which the local EC2 boots its machines"
            )
        if not settings.checkpoint_root:
            return Finding(
                name, "error", f"{found} on each node's own disk, which goes with it", advice
            )
        return Finding(
            name, "warning", found, f"{advice}, unless all nodes and the daemon share that folder"
        )
    advice = (
        "set ec2.instance_profile (docs/how-to/aws-account.md), unless ec2.bootstrap brings "
        "credentials"
    )
    # Nodes use their own role, which these credentials say nothing about.
    if reaches_no_bucket(settings, endpoint_url):
        return Finding(name, "error", f"nodes have no role to reach {root}", advice)
    try:
        check_bucket(
            Bucket(connect(region=settings.ec2.region, is_patient=False), parse_location(root))
        )
    except InvalidInput as error:
        return Finding(name, "error", str(error), "correct checkpoint_root")
    except ElasticError as error:
        role = (
            "nodes need the bucket, not the daemon: look at their role, `elasticd doctor "
            "--print-policy node`"
        )
        return Finding(name, "warning", f"could not be told by these credentials: {error}", role)
    if settings.ec2.instance_profile is None:
        return Finding(
            name, "warning", f"{root} takes objects, but nodes have no role to reach it", advice
        )
    return Finding(name, "ok", f"{root} takes objects and keeps a key that is taken")


def check_region(settings: Settings, region: str) -> Iterator[Finding]:
    """The bucket must be where nodes are: AWS charges what goes between regions by the GiB."""
    from elastic.checkpoints import is_location, parse_location
    from elastic.checkpoints.s3 import Bucket, connect

    root = settings.job_root
    if not is_location(root):
        return
    try:
        there = Bucket(connect(region=region, is_patient=False), parse_location(root)).region()
    except ElasticError:
        return  # the check of checkpoints says why
    name = "aws bucket region"
    if there == region:
        yield Finding(name, "ok", there)
    elif there is not None:
        yield Finding(
            name,
            "warning",
            f"{root} is in {there}, and nodes are in {region}: AWS charges each GiB between them, "
            "which is in no price and in no budget here",
            f"name a bucket in {region} (checkpoint_root)",
        )


def check_artifacts(settings: Settings) -> Iterator[Finding]:
    """Lists the bucket as the daemon does to show jobs' artifacts and outputs."""
    from elastic.checkpoints import is_location, parse_location
    from elastic.checkpoints.s3 import Bucket, connect

    if not is_location(settings.job_root):
        return
    name = "aws artifacts"
    try:
        bucket = Bucket(
            connect(region=settings.ec2.region, is_patient=False), parse_location(settings.job_root)
        )
        for kind in ("artifacts", "outputs"):
            # A name that no job has: only the permission is tried.
            bucket.entries(f"elasticd-doctor/{kind}/", most=1)
    except InvalidInput:
        return  # the check of checkpoints says why
    except ElasticError as error:
        advice = "attach what `elasticd doctor --print-policy daemon` prints; jobs run without it"
        yield Finding(
            name, "warning", f"jobs' artifacts and outputs cannot be listed: {error}", advice
        )
    else:
        yield Finding(name, "ok", f"may list what jobs leave in {settings.job_root}")


def check_prices(settings: Settings, clock: Clock) -> Finding:
    """Reads the prices of all offerings; one without a price is never launched."""
    from elastic.pricing.ec2 import connect_feeds, prove_prices
    from elastic.providers.ec2 import connect, read_catalog

    try:
        # Those that the settings leave: the price list has hundreds of other types.
        offerings = read_catalog(connect(settings.ec2.region), settings.ec2).offerings
        feeds = connect_feeds(settings.ec2.region)
        priced = prove_prices(settings.ec2, feeds, offerings, now_s=clock.now_s())
    except ElasticError as error:
        return Finding(_NAME, "error", f"could not be told: {error}", "fix that, and look again")
    return judge_prices(offerings, priced.offerings, failures=priced.failures)


def judge_disk_price(settings: Settings, region: str) -> Finding:
    """The price of disks is a setting, whose default is that of one region."""
    name = "aws disk price"
    told = f"{usd(settings.ec2.volume_usd_per_gib_month)} per GiB and month"
    if region == _DEFAULTS_OF or "volume_usd_per_gib_month" in settings.ec2.model_fields_set:
        return Finding(name, "ok", told)
    advice = (
        f"set ec2.volume_usd_per_gib_month to what gp3 costs in {region}: it is in every price and "
        "ledger row"
    )
    return Finding(name, "warning", f"{told} is that of {_DEFAULTS_OF}", advice)


def judge_prices(
    offerings: Sequence[Offering], priced: Set[Offering], *, failures: Sequence[str] = ()
) -> Finding:
    """No price at all is an error, an offering without one a warning."""
    missing = sorted(set(offerings) - priced)
    if not missing:
        return Finding(_NAME, "ok", f"of all {counted(len(offerings), 'offering')}")
    names = ", ".join(str(each) for each in missing[:_MOST_NAMED])
    more = ""
    if len(missing) > _MOST_NAMED:
        more = f" and {len(missing) - _MOST_NAMED} more"
    said = "".join(f"; {each[:_MOST_CHARACTERS]}" for each in failures)
    found = f"of {len(priced)} of {len(offerings)} offerings; none of {names}{more}{said}"
    if not priced:
        return Finding(
            _NAME, "error", found, "allow pricing:GetProducts and ec2:DescribeSpotPriceHistory"
        )
    return Finding(
        _NAME,
        "warning",
        found,
        "what has no price is not bought; name other types (ec2.types) or wait",
    )
