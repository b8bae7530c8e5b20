"""Numbers and instants as people read them."""

from __future__ import annotations

import math
from datetime import UTC, datetime

_MINUTE_S, _HOUR_S, _DAY_S = 60, 3_600, 86_400


def usd(value: float) -> str:
    """Gives dollars with cents, or with three significant digits below one dollar.

    >>> usd(34.1812), usd(0.00123456), usd(0.0012), usd(0.5), usd(0), usd(12345.6), usd(-0.25)
    ('$34.18', '$0.00123', '$0.0012', '$0.50', '$0', '$12,346', '−$0.25')
    """
    sign, size = ("−" if value < 0 else ""), abs(value)
    if size == 0:
        return "$0"
    if size < 1e-6:
        return f"{sign}<$0.000001"
    return f"{sign}${_money(size)}"


def usd_per_h(value: float) -> str:
    """Gives a burn.

    >>> usd_per_h(0.045)
    '$0.045/h'
    """
    return f"{usd(value)}/h"


def count(value: int) -> str:
    """Gives a whole number with its thousands apart.

    >>> count(182009)
    '182,009'
    """
    return f"{value:,}"


def file_size(value_bytes: int) -> str:
    """Gives a file's size in powers of 1,024.

    >>> file_size(900), file_size(1536), file_size(5 << 30)
    ('900 B', '1.50 KiB', '5.00 GiB')
    """
    size, unit = float(value_bytes), "B"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if size < 1024 or unit == "TiB":
            break
        size /= 1024
    return f"{value_bytes} B" if unit == "B" else f"{quantity(size)} {unit}"


def quantity(value: float) -> str:
    """Gives three significant digits, and no fraction from a hundred on.

    >>> quantity(21411.2), quantity(412.3), quantity(41.23), quantity(4.123), quantity(0.04123), quantity(0)
    ('21,411', '412', '41.2', '4.12', '0.0412', '0')
    """
    if value == 0:
        return "0"
    return f"{value:,.{max(2 - _exponent(value), 0)}f}".replace("-", "−")


def percent(fraction: float) -> str:
    """Gives a share, with one decimal below ten percent.

    >>> percent(0.364), percent(0.042), percent(1)
    ('36 %', '4.2 %', '100 %')
    """
    value = fraction * 100
    decimals = 1 if 0 < abs(value) < 9.95 else 0
    return f"{value:.{decimals}f} %".replace("-", "−")


def duration(value_s: float) -> str:
    """Gives a span in its two greatest units.

    >>> duration(0.2431), duration(48), duration(200), duration(34800), duration(273600)
    ('0.243 s', '48 s', '3 min 20 s', '9 h 40 min', '3 d 4 h')
    """
    if value_s < 10:
        return f"{quantity(value_s)} s"
    whole = round(value_s)
    if whole < _MINUTE_S:
        return f"{whole} s"
    if whole < _HOUR_S:
        return _two(whole, _MINUTE_S, "min", 1, "s")
    if whole < _DAY_S:
        return _two(whole, _HOUR_S, "h", _MINUTE_S, "min")
    return _two(whole, _DAY_S, "d", _HOUR_S, "h")


def ago(at_s: float, now_s: float) -> str:
    """Gives how long ago an instant was, or how far ahead it is.

    >>> ago(100, 101), ago(100, 130), ago(100, 1000), ago(200, 100)
    ('just now', '30 s ago', '15 min ago', 'in 1 min')
    """
    span_s = abs(now_s - at_s)
    if span_s < 2:
        return "just now"
    words = _one(span_s)
    return f"in {words}" if at_s > now_s else f"{words} ago"


def moment(at_s: float, now_s: float) -> str:
    """Gives the UTC time of day, with the date if it is another day than now's.

    >>> moment(1_700_000_000, 1_700_000_060), moment(1_700_000_000, 1_700_100_000)
    ('22:13:20', '14 Nov 22:13')
    """
    then = datetime.fromtimestamp(at_s, UTC)
    is_today = then.date() == datetime.fromtimestamp(now_s, UTC).date()
    return f"{then:%H:%M:%S}" if is_today else f"{then.day} {then:%b %H:%M}"


def full_instant(at_s: float) -> str:
    """Gives the date and time, UTC.

    >>> full_instant(1_700_000_000)
    '2023-11-14 22:13:20 UTC'
    """
    return f"{datetime.fromtimestamp(at_s, UTC):%Y-%m-%d %H:%M:%S} UTC"


def clock(at_s: float) -> str:
    """Gives the time of day, to the second, in UTC.

    >>> clock(1_700_000_000.0)
    '22:13:20'
    """
    return datetime.fromtimestamp(at_s, UTC).strftime("%H:%M:%S")


def iso(at_s: float) -> str:
    """Gives ISO 8601, for machines.

    >>> iso(1_700_000_000)
    '2023-11-14T22:13:20Z'
    """
    return f"{datetime.fromtimestamp(at_s, UTC):%Y-%m-%dT%H:%M:%SZ}"


def words(code: str) -> str:
    """Gives a code as words.

    >>> words("budget_exhausted"), words("on-demand")
    ('budget exhausted', 'on-demand')
    """
    return code.replace("_", " ")


def _money(size: float) -> str:
    if size >= 1:
        return f"{size:,.2f}" if size < 1_000 else f"{size:,.0f}"
    digits = f"{size:.{2 - _exponent(size)}f}".rstrip("0")
    return digits if len(digits.partition(".")[2]) >= 2 else f"{size:.2f}"


def _exponent(value: float) -> int:
    """The power of ten of the first of three significant digits, after rounding to them."""
    return math.floor(math.log10(float(f"{abs(value):.2e}")))


def _two(whole: int, major_s: int, major: str, minor_s: int, minor: str) -> str:
    rest = whole % major_s // minor_s
    return f"{whole // major_s} {major}" + (f" {rest} {minor}" if rest else "")


def _one(span_s: float) -> str:
    for unit_s, unit in ((_DAY_S, "d"), (_HOUR_S, "h"), (_MINUTE_S, "min")):
        if span_s >= unit_s:
            return f"{int(span_s // unit_s)} {unit}"
    return f"{int(span_s)} s"
