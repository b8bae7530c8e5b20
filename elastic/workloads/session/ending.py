"""How members end a job together: nobody leaves before the first rank has made the state durable."""

from __future__ import annotations

from collections.abc import Callable

from elastic.workloads.session.desk import SessionEnded
from elastic.workloads.session.gloo import GenerationLost
from elastic.workloads.session.membership import Membership


def has_kept(
    keep: Callable[[], None] | None,
    membership: Membership,
    *,
    meet: Callable[[], object],
    recover: Callable[[], object],
) -> bool:
    """Gives whether the state is kept: on the first rank by `keep`, on the others, who come with None, by its word.

    `meet` waits for all members, `recover` for a generation after one that was lost: then it is to be asked again, for
    some may lack the last step still.
    """
    try:
        if keep is not None:
            keep()
            # Before the others know: whoever loses the first rank from here on need not keep the state again.
            membership.finish()
        meet()
        return True
    except GenerationLost:
        return (keep is None and membership.is_finished()) or _is_complete_without(recover)


def _is_complete_without(recover: Callable[[], object]) -> bool:
    """Whether the others have ended the job meanwhile, of which this process was no member any more."""
    try:
        recover()
        return False
    except SessionEnded as ended:
        if not ended.is_complete:
            raise
        return True
