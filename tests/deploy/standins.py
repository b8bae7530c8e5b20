"""Images of other projects, made of Debian's packages under the names that docker-compose.yml
gives: none is fetched.

Each takes what the compose file uses of the true one: its variables, folders, user and command.
"""

from __future__ import annotations

from pathlib import Path

import yaml

from tests.deploy.engine import Engine
from tests.deploy.stack import ROOT

_ENTRYPOINT = Path(__file__).with_name("postgres-entrypoint.sh")


def make_postgres(engine: Engine) -> None:
    """Makes the image of PostgreSQL: `POSTGRES_USER`, `POSTGRES_PASSWORD`, a volume of data."""
    engine.import_debian(
        _named("postgres"),
        packages=("postgresql",),
        hooks=(f"copy-in {_ENTRYPOINT} /usr/local/bin",),
        changes=(
            f'ENTRYPOINT ["/usr/local/bin/{_ENTRYPOINT.name}"]',
            "VOLUME /var/lib/postgresql/data",
        ),
    )


def make_prometheus(engine: Engine) -> None:
    """Makes the image of Prometheus: the configuration's folder, and data that its group nobody may
    write."""
    engine.import_debian(
        _named("prometheus"),
        packages=("prometheus",),
        hooks=('chroot "$1" install -d -o nobody -g nogroup -m 775 /prometheus',),
        changes=(
            "USER nobody",
            "VOLUME /prometheus",
            'ENTRYPOINT ["prometheus"]',
            'CMD ["--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/prometheus"]',
        ),
    )


def _named(service: str) -> str:
    return str(
        yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"][service]["image"]
    )
