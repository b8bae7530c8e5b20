"""Measures how busy a node is: its cores, memory, GPUs and network."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterable
from statistics import mean

import psutil

from elastic.agent.throttle import processor_s
from elastic.durations import TICK_S
from elastic.model import NodeUsage

# NVIDIA's library, part of its driver; its functions are those of the NVML API reference.
_LIBRARY = "libnvidia-ml.so.1"


class UsageMeter:
    """Gives a node's usage since the look before, at most once a tick of the daemon.

    The cores are those that the node's own processes use, for nodes may share a machine. Memory,
    GPUs and network are the machine's: what others use of them is not there for the job either.
    """

    def __init__(
        self,
        members: Callable[[], Iterable[int]],
        *,
        gpus: GpuMeter | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._members = members
        self._gpus = gpus or GpuMeter()
        self._now = now
        self._at: float | None = None
        self._used_s: dict[int, float] = {}
        self._received = self._sent = 0
        self._last: NodeUsage | None = None

    def read(self) -> NodeUsage | None:
        """The newest usage; None until there were two looks."""
        now = self._now()
        if self._at is not None and now - self._at < TICK_S:
            return self._last
        used_s = {pid: processor_s(pid) for pid in self._members()}
        # Of each device, since a machine may have none: then there is no sum.
        devices = psutil.net_io_counters(pernic=True).values()
        received = sum(each.bytes_recv for each in devices)
        sent = sum(each.bytes_sent for each in devices)
        if self._at is not None:
            elapsed_s = now - self._at
            # A process that is new began after the look before: all of its time is of since then.
            more_s = sum(used - self._used_s.get(pid, 0.0) for pid, used in used_s.items())
            gpu, gpu_memory = self._gpus.read()
            self._last = NodeUsage(
                cores=round(max(more_s, 0.0) / elapsed_s, 2),
                memory=round(psutil.virtual_memory().percent / 100, 3),
                gpu=gpu,
                gpu_memory=gpu_memory,
                received_bytes_per_s=_rate(self._received, received, elapsed_s),
                sent_bytes_per_s=_rate(self._sent, sent, elapsed_s),
            )
        self._at = now
        self._used_s = used_s
        self._received = received
        self._sent = sent
        return self._last


class GpuMeter:
    """Reads NVIDIA's GPUs through the library of their driver; nothing where there is none."""

    def __init__(self, library: str = _LIBRARY) -> None:
        self._nvml: ctypes.CDLL | None = None
        self._devices: list[ctypes.c_void_p] = []
        try:
            self._nvml = ctypes.CDLL(library)
        except OSError:  # no driver
            return
        count = ctypes.c_uint()
        if self._call("nvmlInit_v2") and self._call("nvmlDeviceGetCount_v2", ctypes.byref(count)):
            for index in range(count.value):
                device = ctypes.c_void_p()
                if self._call("nvmlDeviceGetHandleByIndex_v2", index, ctypes.byref(device)):
                    self._devices.append(device)

    def read(self) -> tuple[float | None, float | None]:
        """The busy share of the GPUs and of their memory, as means of all; None if not known."""
        busy = []
        full = []
        for device in self._devices:
            rates = _Rates()
            if self._call("nvmlDeviceGetUtilizationRates", device, ctypes.byref(rates)):
                busy.append(min(rates.gpu / 100, 1.0))
            memory = _Memory()
            if self._call("nvmlDeviceGetMemoryInfo", device, ctypes.byref(memory)) and memory.total:
                full.append(memory.used / memory.total)
        return _mean(busy), _mean(full)

    def _call(self, name: str, *arguments: object) -> bool:
        """Whether a function of the library succeeded."""
        function = getattr(self._nvml, name, None)
        return function is not None and function(*arguments) == 0


class _Rates(ctypes.Structure):
    """`nvmlUtilization_t`: percents of the time in which a kernel ran, or memory was accessed."""

    _fields_ = (("gpu", ctypes.c_uint), ("memory", ctypes.c_uint))


class _Memory(ctypes.Structure):
    """`nvmlMemory_t`, in bytes."""

    _fields_ = (
        ("total", ctypes.c_ulonglong),
        ("free", ctypes.c_ulonglong),
        ("used", ctypes.c_ulonglong),
    )


def _mean(shares: list[float]) -> float | None:
    if shares:
        return round(mean(shares), 3)
    return None


def _rate(before: int, now: int, elapsed_s: float) -> int:
    # Counters begin again when a network device does.
    return round(max(now - before, 0) / elapsed_s)
