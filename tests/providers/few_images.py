"""moto without the 1,200 images of ECS, which no test buys: it makes every image anew whenever it
is emptied."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from moto.ec2.models import amis
from moto.utilities.utils import load_resource


@contextmanager
def few_images() -> Iterator[None]:
    """While it lasts, moto finds no list of ECS's images, as in a region that it does not know."""

    def read_but_for_ecs(path: str) -> Any:
        if path.startswith("ec2/resources/ecs/"):
            raise FileNotFoundError(path)
        return load_resource(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(amis, "load_resource", read_but_for_ecs)
        yield
