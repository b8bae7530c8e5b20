"""Where a daemon's resources are."""

from urllib.parse import quote


def path_of(job: str) -> str:
    """The path of a job's resource; any name is quoted."""
    return f"/v1/jobs/{quote(job, safe='')}"
