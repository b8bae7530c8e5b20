"""The marks that say of machines that a daemon stands for them: what nobody marks, any reaper may end."""

from __future__ import annotations

from collections.abc import Collection

import structlog

from elastic.errors import ProviderError, ProviderUnavailable
from elastic.providers.ec2 import tags
from elastic.providers.ec2.aws import Aws
from elastic.providers.ec2.faults import translated

log = structlog.get_logger(__name__)

_ATTEND_S = 300.0
_TAGS_A_CALL = 1000  # CreateTags takes no more resources.


class Marks:
    """Renews the marks of machines every few minutes; `failure` is why they cannot be, as far as is known."""

    def __init__(self, aws: Aws) -> None:
        self.failure: ProviderError | None = None
        self._aws = aws
        self._marked_at_s = 0.0

    def renew(self, provider_ids: Collection[str], *, now_s: float) -> None:
        """Writes on every machine that a daemon stands for it now, if that is due. Raises nothing."""
        if now_s - self._marked_at_s < _ATTEND_S or not provider_ids:
            return
        self._marked_at_s = now_s
        ids = sorted(provider_ids)
        try:
            for start in range(0, len(ids), _TAGS_A_CALL):
                with translated("marking machines as attended"):
                    self._aws.endings.create_tags(
                        Resources=ids[start : start + _TAGS_A_CALL], Tags=tags.tag_list({tags.ATTENDED: f"{now_s:.0f}"})
                    )
        except ProviderUnavailable:
            return  # what was true before may still be
        except ProviderError as error:
            if self.failure is None:
                log.error("machines cannot be marked as attended; a reaper would end them", error=str(error))
            self.failure = error
        else:
            self.failure = None
