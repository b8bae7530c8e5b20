import gzip
import json
from pathlib import Path

import pytest

from elastic.errors import InvalidInput
from elastic.model import Capacity, Offering
from elastic.pricing import TraceRow, read_trace

HEADER = "after_s,node_type,usd_per_h\n"


def _file(tmp_path: Path, text: str, name: str = "prices.csv") -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def test_reads_csv_with_defaults_for_what_is_left_out(tmp_path: Path) -> None:
    path = _file(
        tmp_path,
        "after_s,node_type,capacity,zone,usd_per_h\n0,half,,,0.06\n90,c5.xlarge,spot,us-east-1a,0.07\n",
    )
    assert read_trace(path) == (
        TraceRow(Offering("half"), 0.06, after_s=0.0),
        TraceRow(Offering("c5.xlarge", Capacity.SPOT, "us-east-1a"), 0.07, after_s=90.0),
    )


def test_reads_rows_at_an_instant_beside_relative_ones(tmp_path: Path) -> None:
    path = _file(
        tmp_path, "at_s,after_s,node_type,usd_per_h\n1700000000,,half,0.06\n,5,half,0.07\n"
    )
    assert read_trace(path) == (
        TraceRow(Offering("half"), 0.06, at_s=1_700_000_000.0),
        TraceRow(Offering("half"), 0.07, after_s=5.0),
    )


def test_reads_json(tmp_path: Path) -> None:
    rows = [
        {"after_s": 0, "node_type": "half", "usd_per_h": 0.06},
        {"at_s": 9, "node_type": "half", "usd_per_h": 1},
    ]
    assert read_trace(_file(tmp_path, json.dumps(rows), "prices.json")) == (
        TraceRow(Offering("half"), 0.06, after_s=0.0),
        TraceRow(Offering("half"), 1.0, at_s=9.0),
    )


@pytest.mark.parametrize("name", ["prices.csv.gz", "prices.json.gz"])
def test_reads_either_compressed(tmp_path: Path, name: str) -> None:
    text = (
        HEADER + "0,half,0.06\n"
        if "csv" in name
        else '[{"after_s": 0, "node_type": "half", "usd_per_h": 0.06}]'
    )
    (tmp_path / name).write_bytes(gzip.compress(text.encode()))
    assert read_trace(tmp_path / name) == (TraceRow(Offering("half"), 0.06, after_s=0.0),)


def test_reads_what_a_spreadsheet_writes(tmp_path: Path) -> None:
    path = _file(tmp_path, "\ufeffafter_s, node_type ,usd_per_h\r\n0, half ,0.06\r\n")
    assert read_trace(path) == (TraceRow(Offering("half"), 0.06, after_s=0.0),)


def test_reads_spot_price_events_from_the_first_one_on(tmp_path: Path) -> None:
    path = _file(
        tmp_path,
        "az,instance_type,timestamp,price_usd_h\n"
        "eu-central-1a,p2.8xlarge,2019-12-23T08:57:21Z,10.608000\n"
        "eu-central-1a,p2.8xlarge,2019-12-22T08:57:21Z,10.500000\n",
    )
    offering = Offering("p2.8xlarge", Capacity.SPOT, "eu-central-1a")
    assert read_trace(path) == (
        TraceRow(offering, 10.608, after_s=86_400.0),
        TraceRow(offering, 10.5, after_s=0.0),
    )


def test_an_empty_trace_is_no_rows(tmp_path: Path) -> None:
    assert read_trace(_file(tmp_path, HEADER)) == ()
    assert read_trace(_file(tmp_path, "[]", "prices.json")) == ()


@pytest.mark.parametrize(
    ("row", "field", "complaint"),
    [
        (
            "0,half,abc",
            "usd_per_h",
            "line 3: usd_per_h: wanted a positive number of USD per hour, got 'abc'",
        ),
        (
            "0,half,",
            "usd_per_h",
            "line 3: usd_per_h: wanted a positive number of USD per hour, got nothing",
        ),
        (
            "0,half,0",
            "usd_per_h",
            "line 3: usd_per_h: wanted a positive number of USD per hour, got 0.0",
        ),
        (
            "0,half,-1",
            "usd_per_h",
            "line 3: usd_per_h: wanted a positive number of USD per hour, got -1.0",
        ),
        (
            "0,half,nan",
            "usd_per_h",
            "line 3: usd_per_h: wanted a positive number of USD per hour, got 'nan'",
        ),
        (
            "0,half,inf",
            "usd_per_h",
            "line 3: usd_per_h: wanted a positive number of USD per hour, got 'inf'",
        ),
        ("0,,0.1", "node_type", "line 3: node_type: wanted a name, got nothing"),
        ("soon,half,0.1", "after_s", "line 3: after_s: wanted a number of seconds, got 'soon'"),
        ("-5,half,0.1", "after_s", "line 3: after_s: wanted 0 or more seconds, got -5.0"),
        (",half,0.1", "after_s", "line 3: after_s: wanted either after_s or at_s, got neither"),
        ("0,half", None, "line 3: wanted 3 fields as in the header"),
        ("0,half,0.1,9", None, "line 3: wanted 3 fields as in the header"),
        ('0,"half,0.1', None, "line 3: wanted CSV"),
    ],
)
def test_a_malformed_row_is_told_by_line_and_field(
    tmp_path: Path, row: str, field: str | None, complaint: str
) -> None:
    path = _file(tmp_path, f"{HEADER}0,half,0.1\n{row}\n")
    with pytest.raises(InvalidInput) as refused:
        read_trace(path)
    assert f"{path}, {complaint}" in str(refused.value)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "line 1: node_type: this field is missing"),
        ("after_s,usd_per_h\n0,0.1\n", "line 1: node_type: this field is missing"),
        ("after_s,node_type\n0,half\n", "line 1: usd_per_h: this field is missing"),
        (
            "after_s,node_type,usd_per_h,price\n0,half,0.1,0.1\n",
            "line 1: price: no such field; known are after_s",
        ),
        (
            "at_s,after_s,node_type,usd_per_h\n1,2,half,0.1\n",
            "line 2: after_s: wanted either after_s or at_s, got both",
        ),
        (
            "after_s,node_type,usd_per_h,capacity\n0,half,1,cheap\n",
            "line 2: capacity: wanted on-demand or spot, got 'cheap'",
        ),
        (
            "az,instance_type,timestamp,price_usd_h\na,p2,yesterday,1\n",
            "line 2: timestamp: wanted an ISO 8601 instant",
        ),
        (
            "az,instance_type,timestamp,price_usd_h\na,p2,2019-12-22T08:57:09,1\n",
            "line 2: timestamp: wanted an ISO",
        ),
        (
            "az,instance_type,timestamp,price_usd_h\na,p2,2019-12-22T08:57:09Z,0\n",
            "line 2: price_usd_h: wanted a pos",
        ),
    ],
)
def test_a_malformed_file_is_told_by_line_and_field(
    tmp_path: Path, text: str, complaint: str
) -> None:
    path = _file(tmp_path, text)
    with pytest.raises(InvalidInput) as refused:
        read_trace(path)
    assert f"{path}, {complaint}" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[\n{", "line 2: wanted JSON"),
        ("{}", "wanted a list of rows, got dict"),
        ("[1]", "row 1: wanted an object, got 1"),
        (
            '[{"after_s": 0, "node_type": "half", "usd_per_h": true}]',
            "row 1: usd_per_h: wanted a positive number",
        ),
        (
            '[{"after_s": 0, "node_type": "half", "usd_per_h": NaN}]',
            "row 1: usd_per_h: wanted a positive number",
        ),
        (
            '[{"after_s": 0, "node_type": 5, "usd_per_h": 1}]',
            "row 1: node_type: wanted a name, got 5",
        ),
        ('[{"after_s": 0, "node_type": "half"}]', "usd_per_h: this field is missing"),
    ],
)
def test_malformed_json_is_told_by_row_and_field(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_trace(_file(tmp_path, text, "prices.json"))
    assert complaint in str(refused.value)


def test_a_file_that_is_not_there_or_not_text_is_told_by_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"absent\.csv"):
        read_trace(tmp_path / "absent.csv")
    (tmp_path / "prices.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidInput, match=r"prices\.csv"):
        read_trace(tmp_path / "prices.csv")
    (tmp_path / "prices.csv.gz").write_bytes(b"no gzip")
    with pytest.raises(InvalidInput, match=r"prices\.csv\.gz"):
        read_trace(tmp_path / "prices.csv.gz")
