"""What a daemon has on record, for scripts and notebooks: lists of plain dictionaries."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from elastic.client.paths import path_of
from elastic.client.rest import Client, JsonObject

# Far more windows than anybody draws; each takes half a kilobyte.
_ALL = 1_000_000


class DaemonRecords:
    """The records of one daemon: documents of its REST interface, lists oldest first.

    `client` asks for everything else. Methods raise NotFound for a job that the daemon does not
    know, and DaemonUnreachable.
    """

    def __init__(self, client: Client) -> None:
        self.client = client

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.client.__exit__(kind, error, trace)

    def jobs(self) -> list[JsonObject]:
        """All jobs, those that have ended too."""
        return self._listed("/v1/jobs")

    def job(self, name: str) -> JsonObject:
        """One job by its name or id."""
        return self.client.get(path_of(name))

    def measurements(self, job: str) -> list[JsonObject]:
        """Windows of paramount iterations, as measured on the nodes."""
        return self._listed("/v1/measurements", job=job)

    def decisions(self, job: str) -> list[JsonObject]:
        """What the daemon decided for a job, with the reasons."""
        return self._listed("/v1/decisions", job=job)

    def ledger(self, job: str) -> list[JsonObject]:
        """Each stretch of each node's life at its price, in dollars."""
        return self._listed("/v1/ledger", job=job)

    def throughput(self, job: str, *, buckets: int = 200) -> list[JsonObject]:
        """Iterations a second (`iterations_per_s`) over time (`at_s`), in at most so many steps."""
        points: list[JsonObject] = self.client.get(f"{path_of(job)}/throughput", buckets=buckets)[
            "items"
        ]
        return points

    def cost(self, job: str) -> list[JsonObject]:
        """Dollars that the job had cost (`usd`) by each instant (`at_s`)."""
        points: list[JsonObject] = self.client.get(f"{path_of(job)}/cost")["items"]
        return points

    def _listed(self, path: str, **query: str) -> list[JsonObject]:
        return self.client.items(path, limit=_ALL, **query)[::-1]
