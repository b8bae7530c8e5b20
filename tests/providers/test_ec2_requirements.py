import math

import pytest

from elastic.errors import InvalidInput
from elastic.model import NodeType
from elastic.providers.ec2 import parse_requirements
from elastic.providers.ec2.requirements import Range

PLAIN = NodeType("c5.xlarge", 4, 8)
ONE_T4 = NodeType("g4dn.xlarge", 4, 16, gpu_count=1, gpu_model="T4")
FOUR_T4 = NodeType("g4dn.12xlarge", 48, 192, gpu_count=4, gpu_model="T4")
ONE_A10G = NodeType("g5.xlarge", 4, 16, gpu_count=1, gpu_model="A10G")
ONE_V520 = NodeType("g4ad.xlarge", 4, 16, gpu_count=1, gpu_model="Radeon Pro V520")
ONE_V100 = NodeType("p3.2xlarge", 8, 61, gpu_count=1, gpu_model="V100")
EIGHT_GAUDI = NodeType("dl1.24xlarge", 96, 768, gpu_count=8, gpu_model="Gaudi HL-205")
ALL = (PLAIN, ONE_T4, FOUR_T4, ONE_A10G, ONE_V520, ONE_V100, EIGHT_GAUDI)
MAKERS = {
    "Radeon Pro V520": "AMD",
    "Gaudi HL-205": "Habana",
    "T4": "NVIDIA",
    "A10G": "NVIDIA",
    "V100": "NVIDIA",
}


@pytest.mark.parametrize(
    ("wanted", "admitted"),
    [
        ({}, {"c5.xlarge"}),
        ({"cpu": "4.."}, {"c5.xlarge"}),
        ({"cpu": "5..", "gpu": "0.."}, {"g4dn.12xlarge"}),
        ({"cpu": "..4", "gpu": "0.."}, {"c5.xlarge", "g4dn.xlarge", "g5.xlarge"}),
        ({"memory": "8GB"}, {"c5.xlarge"}),
        ({"memory": "8GB..16GiB", "gpu": "0..1"}, {"c5.xlarge", "g4dn.xlarge", "g5.xlarge"}),
        ({"memory": "0.1TB..", "gpu": "1.."}, {"g4dn.12xlarge"}),
        ({"memory": "8192 MB"}, {"c5.xlarge"}),
        ({"gpu": "T4"}, {"g4dn.xlarge", "g4dn.12xlarge"}),
        ({"gpu": "t4:1"}, {"g4dn.xlarge"}),
        ({"gpu": "T4,A10G:1..2"}, {"g4dn.xlarge", "g5.xlarge"}),
        ({"gpu": "1"}, {"g4dn.xlarge", "g5.xlarge"}),
        ({"gpu": "0"}, {"c5.xlarge"}),
        ({"gpu": "AMD:1.."}, {"g4ad.xlarge"}),
        ({"gpu": "Radeon Pro V520"}, {"g4ad.xlarge"}),
        ({"gpu": "Habana,T4:1..8"}, {"dl1.24xlarge", "g4dn.xlarge", "g4dn.12xlarge"}),
        ({"gpu": "nvidia:4.."}, {"g4dn.12xlarge"}),
        ({"cpu": "8", "gpu": "0.."}, set()),
        ({"cpu": "8", "gpu": "nvidia"}, set()),
        ({"cpu": "8", "gpu": "V100:1.."}, {"p3.2xlarge"}),
    ],
)
def test_requirements_admit_what_meets_them(wanted: dict[str, str], admitted: set[str]) -> None:
    requirements = parse_requirements(**wanted)
    found = {
        each.name
        for each in ALL
        if requirements.admit(each, gpu_maker=MAKERS.get(each.gpu_model or ""))
    }
    assert found == admitted


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cpu", ""),
        ("cpu", ".."),
        ("cpu", "four"),
        ("cpu", "8..4"),
        ("cpu", "-1.."),
        ("cpu", "4...8"),
        ("cpu", "4.5"),
        ("memory", "8"),
        ("memory", "8XB.."),
        ("memory", "GB"),
        ("memory", "64GB..8GB"),
        ("gpu", ""),
        ("gpu", ":1"),
        ("gpu", "T4:"),
        ("gpu", "T4:one"),
        ("gpu", "T4,:1"),
    ],
)
def test_what_cannot_be_read_is_told_by_setting_with_an_example(name: str, text: str) -> None:
    with pytest.raises(InvalidInput) as told:
        parse_requirements(**{name: text})
    assert told.value.field == f"ec2.requirements.{name}"
    assert repr(text) in str(told.value)
    assert "such as" in str(told.value)


def test_what_is_asked_of_processors_counts_vcpus() -> None:
    with pytest.raises(InvalidInput, match="wanted vCPUs such as"):
        parse_requirements(cpu="four")


def test_an_open_range_has_no_bound() -> None:
    assert parse_requirements(cpu="4..").cpu == Range(4, math.inf)
