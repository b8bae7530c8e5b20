"""The shipped copy of the Spot Instance Advisor."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from benchmarks.spot_advisor import compact
from elastic.providers.ec2.advisor import FILE, advisor_buckets


def test_it_tells_the_bucket_of_most_types_of_a_large_region() -> None:
    found = advisor_buckets("us-east-1")
    assert len(found) > 500
    assert set(found.values()) == {0, 1, 2, 3, 4}
    assert {"c5.large", "g5.xlarge", "p3.2xlarge"} <= set(found)


def test_a_region_that_it_does_not_know_has_none() -> None:
    assert advisor_buckets("mars-north-1") == {}


def test_it_is_small_and_says_where_it_comes_from() -> None:
    content = FILE.read_bytes()
    assert len(content) < 20_000
    assert "alexei-led/spotinfo (Apache-2.0)" in json.loads(gzip.decompress(content))["source"]


def test_the_advisors_json_is_made_into_one_letter_a_region(tmp_path: Path) -> None:
    told = {
        "us-east-1": {
            "Linux": {"a.large": {"s": 70, "r": 2}, "b.large": {"s": 60, "r": 0}},
            "Windows": {},
        },
        "eu-west-1": {"Linux": {"a.large": {"s": 70, "r": 4}}},
    }
    source = tmp_path / "advisor.json"
    source.write_text(json.dumps({"spot_advisor": told}))
    made = json.loads(gzip.decompress(compact(source)))
    assert made["regions"] == ["eu-west-1", "us-east-1"]
    assert made["buckets"] == {"a.large": "42", "b.large": "-0"}
