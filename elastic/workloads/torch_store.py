"""A job's store as torch's process groups and torchrun use one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from torch.distributed import Store  # type: ignore[attr-defined]  # torch forgets to export it

from elastic.rendezvous import Missing, StoreLost, Values

# torch's own default for its stores.
TIMEOUT = timedelta(seconds=300)


class TorchStore(Store):
    """torch's name for each operation of a store. What fails raises RuntimeError, as torch's do.

    The caller that hands it to torch keeps it as well: torch alone keeps only half of it.
    """

    def __init__(self, values: Values, *, timeout: timedelta = TIMEOUT) -> None:
        super().__init__()
        self._values = values
        self.set_timeout(timeout)

    def set(self, key: str, value: bytes | str) -> None:
        with _as_torch():
            self._values.set(key, _bytes(value))

    def get(self, key: str) -> bytes:
        with _as_torch():
            return self._values.get(key, timeout_s=self._timeout_s())

    def compare_set(self, key: str, expected: bytes | str, desired: bytes | str) -> bytes:
        with _as_torch():
            return self._values.compare_set(key, _bytes(expected), _bytes(desired))

    def add(self, key: str, amount: int) -> int:
        with _as_torch():
            return self._values.add(key, amount)

    def append(self, key: str, value: bytes | str) -> None:
        with _as_torch():
            self._values.append(key, _bytes(value))

    def check(self, keys: list[str]) -> bool:
        with _as_torch():
            return self._values.has(keys)

    def wait(self, keys: list[str], timeout: timedelta | None = None) -> None:
        with _as_torch():
            self._values.wait(
                keys, timeout_s=self._timeout_s() if timeout is None else timeout.total_seconds()
            )

    def delete_key(self, key: str) -> bool:
        with _as_torch():
            return self._values.delete(key)

    def num_keys(self) -> int:
        with _as_torch():
            return self._values.count()

    def multi_get(self, keys: list[str]) -> list[bytes]:
        return [self.get(key) for key in keys]

    def multi_set(self, keys: list[str], values: Sequence[bytes | str]) -> None:
        for key, value in zip(keys, values, strict=True):
            self.set(key, value)

    def has_extended_api(self) -> bool:
        return True

    def _timeout_s(self) -> float:
        # torch keeps it, where a prefix's own is set, too. Its stub forgets the name.
        kept: timedelta = self.timeout  # type: ignore[attr-defined]
        return kept.total_seconds()

    def clone(self) -> TorchStore:
        """Itself: one connection serves any number of threads."""
        return self


class _as_torch:  # noqa: N801 (reads as a word in a with statement)
    """Raises RuntimeError for what a store raises: torch knows no other."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, StoreLost | Missing):
            raise RuntimeError(str(error)) from error


def _bytes(value: bytes | str) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)
