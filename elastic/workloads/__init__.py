"""The training programs of elasticd: names, options and phases, known without torch."""

from collections.abc import Mapping

from elastic.workloads import esrgan
from elastic.workloads.options import OptionValue
from elastic.workloads.rhythm import Rhythm
from elastic.workloads.workload import Phase, Workload

WORKLOADS: Mapping[str, Workload] = {
    "esrgan": Workload(
        name="esrgan",
        module="elastic.workloads.esrgan",
        options=esrgan.EsrganOptions,
        presets=esrgan.PRESETS,
        phases=esrgan.phases,
        placed=esrgan.placed,
        looked_over=esrgan.looked_over,
        has_session=True,
    ),
}

__all__ = ["WORKLOADS", "OptionValue", "Phase", "Rhythm", "Workload"]
