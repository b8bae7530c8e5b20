"""Tags machines as kept alive by a daemon; a reaper may end machines without a recent tag."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import structlog
from botocore.exceptions import ClientError

from elastic.durations import ABANDONED_S, SELDOM_S
from elastic.errors import ProviderError, ProviderUnavailable
from elastic.providers.ec2 import tags
from elastic.providers.ec2.aws import Aws
from elastic.providers.ec2.faults import code_of, translated
from elastic.providers.ec2.machines import NOT_FOUND
from elastic.renewal import Renewal

log = structlog.get_logger(__name__)

# EC2 may throttle a renewal. Two that fail leave no machine abandoned.
_RENEW_S = ABANDONED_S / 3
# CreateTags takes no more resources.
_TAGS_A_CALL = 1000
_UNKNOWN = NOT_FOUND | {"InvalidID"}


class KeepAliveTags:
    """Renews the keep-alive tags of machines every few minutes."""

    def __init__(self, aws: Aws) -> None:
        # Why some machines are not tagged; None if all are, as far as is known.
        self.failure: ProviderError | None = None
        self._aws = aws
        self._renewed_at_s: dict[str, float] = {}
        self._calls = Renewal()

    def renew(self, provider_ids: Collection[str], *, now_s: float) -> None:
        """Renews the keep-alive tags that are due. Raises nothing."""
        # A new machine is due at once.
        self._renewed_at_s = {
            each: self._renewed_at_s.get(each, now_s - _RENEW_S) for each in provider_ids
        }
        if not self._older_than(_RENEW_S, now_s=now_s) or not self._calls.is_due(now_s=now_s):
            return
        self._calls.pause(SELDOM_S, now_s=now_s)
        # Those that are due soon are renewed too, which needs fewer calls.
        wanted = self._older_than(_RENEW_S / 2, now_s=now_s)
        error: ProviderError | None = None
        try:
            with translated("renewing the keep-alive tags of machines"):
                for start in range(0, len(wanted), _TAGS_A_CALL):
                    for each in self._mark(wanted[start : start + _TAGS_A_CALL], now_s=now_s):
                        self._renewed_at_s[each] = now_s
        except ProviderError as refused:
            error = refused
        self._note(error, now_s=now_s)

    def _mark(self, provider_ids: Sequence[str], *, now_s: float) -> Iterator[str]:
        """Tags these machines, and yields those that were tagged."""
        try:
            self._aws.endings.create_tags(
                Resources=list(provider_ids), Tags=tags.tag_list({tags.KEEP_ALIVE: f"{now_s:.0f}"})
            )
        except ClientError as error:
            if code_of(error) not in _UNKNOWN:
                raise
            # A call that names a machine which EC2 does not know (yet) tags none of them. So the
            # list is halved until the unknown ones are alone.
            half = len(provider_ids) // 2
            for part in (provider_ids[:half], provider_ids[half:]) if half else ():
                yield from self._mark(part, now_s=now_s)
        else:
            yield from provider_ids

    def _note(self, error: ProviderError | None, *, now_s: float) -> None:
        aged = self._older_than(ABANDONED_S, now_s=now_s)
        if aged and error is None:
            error = ProviderError(
                f"EC2 lists {', '.join(aged)}, but says that it does not know them when asked to "
                "tag them"
            )
        if error is None:
            self.failure = None
        # Without an answer, and with recent tags, nothing new is known.
        elif aged or not isinstance(error, ProviderUnavailable):
            if self.failure is None:
                log.error(
                    "keep-alive tags cannot be renewed; a reaper would end them",
                    error=str(error),
                )
            self.failure = error

    def _older_than(self, age_s: float, *, now_s: float) -> list[str]:
        """The machines whose tags are older, or from before the clock was set back."""
        return sorted(
            each for each, at_s in self._renewed_at_s.items() if not 0.0 <= now_s - at_s < age_s
        )
