"""What a node type computes with, in cores: so that GPUs and cores can be compared before either
was tried."""

from __future__ import annotations

from elastic.model import NodeType, Workers

# Single-precision TFLOP/s of one GPU at its peak, by NVIDIA's data sheets.
_GPU_TFLOPS = {
    "K80": 4.1,
    "M60": 4.8,
    "P100": 9.5,
    "P4": 5.5,
    "V100": 15.7,
    "T4": 8.1,
    "T4G": 8.1,
    "A10G": 31.2,
    "A100": 19.5,
    "L4": 30.3,
    "L40S": 91.6,
    "H100": 66.9,
    "H200": 66.9,
}
# One that is not listed is taken for the median of those that are.
_OTHER_GPU_TFLOPS = 15.7
# A core with AVX2: 2 units x 8 numbers x multiply and add x 3 GHz (Intel 64 and IA-32 Optimization
# Manual, 2.5).
_CORE_TFLOPS = 0.1


def cores_worth(node_type: NodeType, workers: Workers) -> float:
    """How many cores the part of a node is worth that its workers compute with.

    >>> cores_worth(NodeType("c5.2xlarge", 8, 16, physical_cores=4), Workers(1, 4))
    4.0
    >>> round(cores_worth(NodeType("g4dn.xlarge", 4, 16, gpu_count=1, gpu_model="T4"), Workers(1, 4)))
    81
    >>> round(cores_worth(NodeType("own.server", 4, 16, gpu_count=1, gpu_model="Tesla k80 24GB"), Workers(1, 4)))
    41
    """
    if not node_type.gpu_count:
        return float(min(node_type.cores, workers.processes * workers.threads))
    words = (node_type.gpu_model or "").upper().split()
    tflops = next((_GPU_TFLOPS[word] for word in words if word in _GPU_TFLOPS), _OTHER_GPU_TFLOPS)
    return min(node_type.gpu_count, workers.processes) * tflops / _CORE_TFLOPS
