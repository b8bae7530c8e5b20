"""How members end a job together: nobody leaves before the first rank has made the state durable."""

from __future__ import annotations

from collections.abc import Callable
from time import sleep

from elastic.workloads.session.desk import Desk, SessionEnded
from elastic.workloads.session.gloo import GenerationLost
from elastic.workloads.session.membership import Membership

LOOK_S = 0.01


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


def await_all(desk: Desk, membership: Membership) -> None:
    """Waits until the job is over for every member, for one that is in a turn still makes other sums: it hears that it
    is to end. Raises GenerationLost."""
    current = desk.current
    assert current is not None
    others = [name for rank, name in enumerate(current.members) if rank != current.rank]
    while True:
        heard = membership.links.heard()
        if all(name in heard and heard[name].ending == desk.ending for name in others):
            return
        if current.group is None or current.group.is_cut:
            raise GenerationLost("a member has not come to the job's end")
        sleep(LOOK_S)


def _is_complete_without(recover: Callable[[], object]) -> bool:
    """Whether the others have ended the job meanwhile, of which this process was no member any more."""
    try:
        recover()
        return False
    except SessionEnded as ended:
        if not ended.is_complete:
            raise
        return True
