"""EC2's history of spot prices."""

from __future__ import annotations

from collections.abc import Iterator

from botocore.exceptions import BotoCoreError, ClientError

from elastic.durations import HISTORY_DAYS
from elastic.errors import PriceUnavailable
from elastic.figures import count
from elastic.pricing.base import Quote
from elastic.pricing.ec2.aws import Feeds
from elastic.pricing.ec2.spot import spot_pages


class Ec2History:
    """Past spot prices of machines, without extras."""

    name = "ec2"
    days = HISTORY_DAYS

    def __init__(self, feeds: Feeds) -> None:
        self._feeds = feeds

    def pages(self, node_type: str, *, from_s: float, to_s: float) -> Iterator[tuple[Quote, ...]]:
        try:
            for page in spot_pages(self._feeds, [node_type], from_s=from_s, to_s=to_s):
                yield tuple(
                    Quote(each.offering, each.usd_per_h, each.at_s, self.name, doubt=each.doubt)
                    for each in page
                )
        except (ClientError, BotoCoreError) as error:
            raise PriceUnavailable(
                f"the spot prices of {count(self.days)} days: {error}"
            ) from error
