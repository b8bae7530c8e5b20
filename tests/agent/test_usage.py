"""How busy a node is: read from the kernel, and from the library of NVIDIA's driver."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
from pathlib import Path

import psutil
import pytest

from elastic.agent.throttle import processor_s
from elastic.agent.usage import GpuMeter, UsageMeter

# The four functions that are called, with the types of NVIDIA's nvml.h, for two GPUs.
LIBRARY = """
typedef struct { unsigned int gpu, memory; } rates;
typedef struct { unsigned long long total, free, used; } memory;
int nvmlInit_v2(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned int *count) { *count = 2; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned int index, void **device) {
  *device = (void *)(0x100000000UL + index);
  return 0;
}
int nvmlDeviceGetUtilizationRates(void *device, rates *found) {
  found->gpu = device == (void *)0x100000000UL ? 90 : 40;
  return 0;
}
int nvmlDeviceGetMemoryInfo(void *device, memory *found) {
  found->total = 80UL << 30;
  found->used = 20UL << 30;
  return device == (void *)0x100000000UL ? 0 : 999;
}
"""


class Hands:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.at = 100.0

    def now(self) -> float:
        return self.at


def burn(seconds: float) -> None:
    """Uses the processor."""
    begun_s = processor_s(os.getpid())
    while processor_s(os.getpid()) - begun_s < seconds:
        sum(range(10_000))


def test_the_cores_are_those_that_the_nodes_own_processes_use() -> None:
    hands = Hands()
    meter = UsageMeter(lambda: [os.getpid()], now=hands.now)
    assert meter.read() is None
    burn(0.3)
    hands.at += 6.0
    usage = meter.read()
    assert usage is not None
    assert usage.cores == pytest.approx(0.3 / 6.0, abs=0.03)
    assert usage.memory == pytest.approx(psutil.virtual_memory().percent / 100, abs=0.1)
    nobody = UsageMeter(list, now=hands.now)
    nobody.read()
    hands.at += 6.0
    idle = nobody.read()
    assert idle is not None and idle.cores == 0.0


def test_a_usage_stands_for_a_tick() -> None:
    hands = Hands()
    meter = UsageMeter(list, now=hands.now)
    meter.read()
    hands.at += 4.9
    assert meter.read() is None
    hands.at += 0.2
    usage = meter.read()
    hands.at += 4.0
    assert usage is not None and meter.read() is usage


def test_what_is_sent_and_received_is_counted() -> None:
    hands = Hands()
    meter = UsageMeter(list, now=hands.now)
    meter.read()
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection(server.getsockname()) as sender:
            taker, _ = server.accept()
            reading = threading.Thread(target=lambda: [*iter(lambda: taker.recv(65536), b"")])
            reading.start()
            sender.sendall(b"x" * 2_000_000)
        reading.join()
        taker.close()
    hands.at += 10.0
    usage = meter.read()
    assert usage is not None
    assert usage.received_bytes_per_s >= 200_000 and usage.sent_bytes_per_s >= 200_000


def test_a_machine_without_nvidias_driver_says_nothing_of_gpus() -> None:
    assert GpuMeter("libnothing.so.1").read() == (None, None)


def test_gpus_are_read_through_the_drivers_library(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    (tmp_path / "nvml.c").write_text(LIBRARY)
    library = tmp_path / "libnvidia-ml.so.1"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-o", str(library), str(tmp_path / "nvml.c")], check=True
    )
    # The mean of 90 % and 40 %; only the first GPU tells its memory.
    assert GpuMeter(str(library)).read() == (0.65, 0.25)
