"""Every error elasticd raises on purpose, as one tree.

- ElasticError: an error that elasticd names; its text is fit to show a user.
  - InvalidInput: the caller sent something wrong; says what was wanted, found, and what to do.
  - NotFound: no such job, node, decision ...
  - Conflict: the request contradicts what is there (a stopped job, a reused key).
  - Unauthorized: no token, or a token that does not permit this.
  - StoreUnavailable: the database cannot be read or written; no launches until it can.
  - AlreadyRunning: another daemon owns this database, or this cluster's machines.
    - LeaseLost: a daemon that started later took them over; this one must not act any more.
  - DaemonUnreachable: no daemon answers at the address in force.
  - PriceUnavailable: no price in force for an offering that a launch needs.
  - StorageUnavailable: the bucket of checkpoints does not answer; the call may be repeated.
    - StorageForbidden: a bucket, a permission or credentials are missing; a person has to act.
  - PreparationFailed: a node could not install what its job needs, or could not be set up.
  - CheckpointDamaged: a checkpoint in a bucket is damaged, incomplete or not ours.
  - Superseded: a newer generation of the job has stored a checkpoint; this one's do not count.
  - ProviderError: a provider could not do what it was asked.
    - CapacityUnavailable: these machines are not available now; try another offering.
    - Forbidden: the credentials do not permit this; a person has to act.
    - QuotaReached: a quota of the account is used up; a person has to ask for more.
    - ProviderUnavailable: the provider does not answer, or throttles; the call may be repeated.
"""


class ElasticError(Exception):
    """Something elasticd names; its text is fit to show a user."""


class InvalidInput(ElasticError):
    """The caller sent something wrong.

    `field` is the path of the wrong part, None if it has none. `faults` lists (field, message)
    where one answer names several.
    """

    def __init__(
        self, message: str, *, field: str | None = None, faults: tuple[tuple[str, str], ...] = ()
    ) -> None:
        super().__init__(message)
        self.field = field
        self.faults = faults


def cannot_read(
    path: object, error: Exception, *, wanted: str, advice: str, field: str | None = None
) -> InvalidInput:
    """What to raise for a file that a person named and that cannot be read.

    >>> missing = FileNotFoundError(2, "No such file or directory")
    >>> print(cannot_read("job.yml", missing, wanted="a job's YAML", advice="name another with -f"))
    job.yml: wanted a job's YAML, found no such file: name another with -f
    """
    match error:
        case FileNotFoundError():
            found = "no such file"
        case IsADirectoryError():
            found = "a folder"
        case NotADirectoryError():
            found = "a file where its folder should be"
        case PermissionError():
            found = "a file that this user may not read"
        case UnicodeDecodeError():
            found = "what is no text in UTF-8"
        case OSError(strerror=str(strerror)):
            found = strerror
        case _:
            found = f"what cannot be read ({error})"
    return InvalidInput(f"{path}: wanted {wanted}, found {found}: {advice}", field=field)


def cannot_write(path: object, error: OSError, *, wanted: str, advice: str) -> InvalidInput:
    """What to raise for a file that a person named and that cannot be written.

    >>> full = OSError(28, "No space left on device")
    >>> print(cannot_write("/mnt/a.tar", full, wanted="a file to write", advice="name another"))
    /mnt/a.tar: wanted a file to write, it cannot be written (No space left on device): name another
    """
    reason = error.strerror or str(error)
    # A folder above it, perhaps.
    if error.filename is not None and str(error.filename) != str(path):
        reason += f": {error.filename}"
    return InvalidInput(f"{path}: wanted {wanted}, it cannot be written ({reason}): {advice}")


class NotFound(ElasticError):
    """No such thing."""


class Conflict(ElasticError):
    """The request contradicts what is already there."""


class Unauthorized(ElasticError):
    """No token, or a token that may not do this."""


class StoreUnavailable(ElasticError):
    """The database cannot be read or written."""


class AlreadyRunning(ElasticError):
    """Another daemon owns this database, or this cluster's machines."""


class LeaseLost(AlreadyRunning):
    """A daemon that started later took over this cluster's machines."""


class DaemonUnreachable(ElasticError):
    """No daemon answers at the address in force."""


class PriceUnavailable(ElasticError):
    """No price is in force for an offering that a launch needs."""


class StorageUnavailable(ElasticError):
    """The bucket of checkpoints does not answer, or refuses what was asked."""


class StorageForbidden(StorageUnavailable):
    """There is no such bucket, or the credentials do not permit this. A person has to act."""


class PreparationFailed(ElasticError):
    """A node could not install what its job needs. Another try would fail too."""


class CheckpointDamaged(ElasticError):
    """A checkpoint in a bucket is damaged, incomplete or not ours."""


class Superseded(ElasticError):
    """A newer generation of the job has stored a checkpoint."""


class ProviderError(ElasticError):
    """A provider could not do what it was asked.

    `bought_nothing` is true if the cloud has answered this very launch. Then earlier calls with
    its token bought nothing either.
    """

    def __init__(self, message: str = "", *, bought_nothing: bool = False) -> None:
        super().__init__(message)
        self.bought_nothing = bought_nothing


class CapacityUnavailable(ProviderError):
    """These machines are not available now; try another offering."""


class Forbidden(ProviderError):
    """The credentials do not permit this. A person has to act."""


class QuotaReached(ProviderError):
    """A quota of the account is used up. A person has to ask for more."""


class ProviderUnavailable(ProviderError):
    """The provider does not answer, or throttles. The same call may be repeated."""
