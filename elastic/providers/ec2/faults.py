"""The table of EC2's error codes, and the errors that they mean here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    CredentialRetrievalError,
    NoCredentialsError,
    NoRegionError,
    ParamValidationError,
    PartialCredentialsError,
)
from botocore.parsers import ResponseParserError

from elastic.aws import NOT_ACCEPTED, beyond_own_policy, without_code
from elastic.errors import (
    CapacityUnavailable,
    Forbidden,
    ProviderError,
    ProviderUnavailable,
    QuotaReached,
)


class RefusalKind(StrEnum):
    """The kind of refusal that a code means."""

    CAPACITY = "no capacity"
    QUOTA = "a quota"
    PERMISSION = "a permission"
    CREDENTIALS = "credentials"
    ACCOUNT = "the account"
    THROTTLED = "throttled"
    UNANSWERED = "not answered"
    LATE = "not visible yet"
    REFUSED = "refused"


NO_GROUP = frozenset(
    {"InvalidGroup.NotFound", "InvalidGroupId.NotFound", "InvalidSecurityGroupID.NotFound"}
)

# Codes: "Error codes for the Amazon EC2 API" (Developer Guide) and CreateFleet's `Errors`.
FAULTS: Mapping[RefusalKind, frozenset[str]] = {
    RefusalKind.CAPACITY: frozenset(
        {
            "InsufficientAddressCapacity",
            "InsufficientCapacity",
            "InsufficientFreeAddressesInSubnet",
            "InsufficientHostCapacity",
            "InsufficientInstanceCapacity",
            "InsufficientReservedInstanceCapacity",
            "InsufficientVolumeCapacity",
            "SpotMaxPriceTooLow",
            "UnfulfillableCapacity",
            "Unsupported",
        }
    ),
    RefusalKind.QUOTA: frozenset(
        {
            "AddressLimitExceeded",
            "FleetLimitExceeded",
            "InstanceLimitExceeded",
            "LaunchTemplateLimitExceeded",
            "MaxIOPSLimitExceeded",
            "MaxSpotFleetRequestCountExceeded",
            "MaxSpotInstanceCountExceeded",
            "NetworkInterfaceLimitExceeded",
            "SecurityGroupLimitExceeded",
            "VcpuLimitExceeded",
            "VolumeLimitExceeded",
        }
    ),
    RefusalKind.PERMISSION: frozenset(
        {
            "AccessDenied",
            "AccessDeniedException",
            "AuthFailure.ServiceLinkedRoleCreationNotPermitted",
            "UnauthorizedOperation",
        }
    ),
    RefusalKind.CREDENTIALS: NOT_ACCEPTED,
    RefusalKind.ACCOUNT: frozenset(
        {
            "Blocked",
            "OptInRequired",
            "PendingVerification",
        }
    ),
    RefusalKind.THROTTLED: frozenset(
        {
            "BandwidthLimitExceeded",
            "EC2ThrottledException",
            "RequestLimitExceeded",
            "RequestThrottled",
            "RequestThrottledException",
            "SlowDown",
            "Throttling",
            "ThrottlingException",
            "ThrottledException",
            "TooManyRequestsException",
            # Of the Parameter Store, where two daemons write the leader lease at once.
            "TooManyUpdates",
        }
    ),
    RefusalKind.UNANSWERED: frozenset(
        {
            "InternalError",
            "InternalFailure",
            "InternalServerError",
            "RequestTimeout",
            "ServiceUnavailable",
            "Unavailable",
        }
    ),
    # Something that was made a moment ago is not visible everywhere yet.
    RefusalKind.LATE: frozenset(
        {
            *NO_GROUP,
            "InvalidLaunchTemplateId.NotFound",
            "InvalidLaunchTemplateId.VersionNotFound",
            "InvalidLaunchTemplateName.NotFoundException",
        }
    ),
}

NO_SPOT_ROLE = "AuthFailure.ServiceLinkedRoleCreationNotPermitted"
_SPOT_ROLE = (
    "the account has no service-linked role for spot yet, which these credentials should not be "
    "able to make; as an administrator: "
    "aws iam create-service-linked-role --aws-service-name spot.amazonaws.com"
)
_NOT_TAKEN = (
    "AWS does not accept these credentials: renew them if they have expired, and check that this "
    "machine's clock is right and that the account has opted in to the region. The daemon reads a "
    "file again, but variables only at its start: restart it if it has them from there"
)
# What EC2 says, by a code of wrong parameters, to accounts that have not chosen the paid plan.
_FREE_PLAN = "not eligible for Free Tier"
_UPGRADE = (
    "the account is on AWS's free plan, which has few types: upgrade it to the paid plan, or name "
    "types that it may have (ec2.types): "
    "aws ec2 describe-instance-types --filters Name=free-tier-eligible,Values=true"
)
_NOT_READY = (
    "the account is not ready for this, and no IAM policy fixes that: finish its verification or "
    "subscription, or ask AWS support"
)
_KINDS: Mapping[str, RefusalKind] = {
    code: fault for fault, codes in FAULTS.items() for code in codes
}
_NO_IDENTITY = (NoCredentialsError, PartialCredentialsError, CredentialRetrievalError)


def fault_of(code: str, *, message: str = "", status: int = 400) -> RefusalKind:
    """The kind of a code; an unknown one is a refusal, or with a status from 500 no answer.

    One message counts, since its code says nothing.

    >>> fault_of("InsufficientInstanceCapacity"), fault_of("Strange")
    (<RefusalKind.CAPACITY: 'no capacity'>, <RefusalKind.REFUSED: 'refused'>)
    >>> fault_of("Strange", status=503)
    <RefusalKind.UNANSWERED: 'not answered'>
    """
    if code in _KINDS:
        return _KINDS[code]
    if _FREE_PLAN in message:
        return RefusalKind.ACCOUNT
    if status >= 500:
        # It may have been done all the same, and is asked for again with its token.
        return RefusalKind.UNANSWERED
    return RefusalKind.REFUSED


def code_of(error: ClientError) -> str:
    """The error's code, as EC2 names it."""
    return str(error.response.get("Error", {}).get("Code", ""))


def fault_in(error: ClientError) -> RefusalKind:
    """The kind of an error that a call raised."""
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 400)
    message = str(error.response.get("Error", {}).get("Message", ""))
    return fault_of(code_of(error), message=message, status=status)


def as_error(fault: RefusalKind, what: str, *, code: str, message: str) -> ProviderError:
    """The error to raise for a fault while doing `what`; it says what is missing and what to do."""
    said = f"EC2 says {code}: {without_code(message)}"
    match fault:
        case RefusalKind.CAPACITY:
            return CapacityUnavailable(f"{what}: not available now; {said}")
        case RefusalKind.QUOTA:
            return QuotaReached(
                f"{what}: the account's quota is used up; ask AWS to raise it ({said})"
            )
        case RefusalKind.PERMISSION:
            if code == NO_SPOT_ROLE:
                advice = _SPOT_ROLE
            else:
                own = "these credentials do not permit it; allow it in their IAM policy"
                advice = beyond_own_policy(message) or own
            return Forbidden(f"{what}: {advice} ({said})")
        case RefusalKind.CREDENTIALS:
            return Forbidden(f"{what}: {_NOT_TAKEN} ({said})")
        case RefusalKind.ACCOUNT:
            advice = _UPGRADE if _FREE_PLAN in message else _NOT_READY
            return Forbidden(f"{what}: {advice} ({said})")
        case RefusalKind.THROTTLED | RefusalKind.UNANSWERED | RefusalKind.LATE:
            return ProviderUnavailable(f"{what}: {fault}; it may be repeated ({said})")
        case RefusalKind.REFUSED:
            return ProviderError(f"{what}: refused; {said}")


@contextmanager
def translated(what: str, *, service: str = "ec2") -> Iterator[None]:
    """Turns botocore's errors into elasticd's, with `what` was being done."""
    try:
        yield
    except ClientError as error:
        message = str(error.response.get("Error", {}).get("Message", ""))
        what = f"{what} ({service}:{error.operation_name})"
        raise as_error(fault_in(error), what, code=code_of(error), message=message) from error
    except _NO_IDENTITY as error:
        raise ProviderError(
            f"{what}: wanted AWS credentials, found none that work: {error}"
        ) from error
    except (ParamValidationError, NoRegionError) as error:
        raise ProviderError(f"{what}: {error}") from error
    except (BotoCoreError, ResponseParserError) as error:
        # The second is raised if a proxy answers in place of AWS.
        raise ProviderUnavailable(f"{what}: EC2 did not answer: {error}") from error
