"""Writes dollars, durations, rates, shares, sizes and instants for people.

| what | rule | function |
| --- | --- | --- |
| dollars | cents from $1, whole dollars from $1,000, three figures below; $0 is zero | `usd` |
| dollars an hour | four figures, as price lists have them, and at least cents | `price` |
| rates, paces, ratios | three figures, no exponent | `number` |
| the same at an axis | thousands as k, millions as M | `short` |
| whole numbers | every digit | `count` |
| intervals | both ends, the unit once at most | `span` |
| shares | whole percent from 10 % on, two figures below | `percent` |
| chances | as shares, and never quite 0 or 100 % | `chance` |
| durations | the two greatest units, rounded; two figures below 10 s | `duration` |
| sizes | bytes, or three figures of a power of 1,024 | `size` |
| instants | ISO 8601, UTC, to the second | `instant` |
| instants near now | the time of day, or date and minute; the year if half a year away | `moment` |
| instants as seen from now | a duration ahead or ago, of whole seconds | `ago` |

What a person has to type again (a setting, an id) is shown as it is typed.
`figures.js` follows the same rules where a page's script writes numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal

# A smaller amount is shown as less than this one, since it would have too many digits.
_LEAST_USD = 1e-6


def usd(amount: float) -> str:
    """Dollars.

    >>> usd(12_345.6), usd(34.1812), usd(0.5), usd(0.00123456), usd(-0.25), usd(0.0), usd(1e-9)
    ('$12,346', '$34.18', '$0.50', '$0.00123', '-$0.25', '$0', '<$0.000001')
    """
    return _dollars(amount, 3)


def price(usd_per_h: float) -> str:
    """Dollars an hour, without the unit.

    >>> price(0.10851), price(0.075), price(3.06), price(24.48)
    ('$0.1085', '$0.075', '$3.06', '$24.48')
    """
    return _dollars(usd_per_h, 4)


def number(value: float, figures: int = 3) -> str:
    """A measured number.

    >>> number(41_234.5), number(9.5), number(0.123456), number(0.0000123), number(0)
    ('41,200', '9.5', '0.123', '0.0000123', '0')
    """
    return f"{Decimal(f'{value:.{figures}g}'):,f}"


def short(value: float) -> str:
    """A measured number where there is little room, such as at an axis.

    >>> short(0.25), short(2_500), short(150_000_000)
    ('0.25', '2.5k', '150M')
    """
    if value >= 1e6:
        return f"{number(value / 1e6)}M"
    if value >= 1e3:
        return f"{number(value / 1e3)}k"
    return number(value)


def count(value: float) -> str:
    """A whole number.

    >>> count(182_009)
    '182,009'
    """
    return f"{value:,.0f}"


def counted(value: int, what: str) -> str:
    """So many of something.

    >>> counted(1, "node"), counted(1200, "node")
    ('1 node', '1,200 nodes')
    """
    return f"{count(value)} {what}{'s' * (value != 1)}"


def span(low: float, high: float, write: Callable[[float], str] = number) -> str:
    """From one end to the other.

    >>> span(40_100, 42_400), span(0.01, 0.5, usd)
    ('40,100 to 42,400', '$0.01 to $0.50')
    """
    return f"{write(low)} to {write(high)}"


def percent(ratio: float) -> str:
    """A share or a gain.

    >>> percent(0.254), percent(0.042), percent(0.0004), percent(1.37), percent(-0.36)
    ('25 %', '4.2 %', '0.04 %', '137 %', '-36 %')
    """
    value = 100 * ratio
    return f"{number(value, 2) if abs(value) < 10 else count(value)} %"


def chance(probability: float) -> str:
    """A chance, never quite 0 or 100 %, which nothing can prove.

    >>> chance(0.0004), chance(0.42), chance(1.0)
    ('< 1 %', '42 %', '> 99 %')
    """
    if probability < 0.01:
        return "< 1 %"
    if probability > 0.99:
        return "> 99 %"
    return percent(probability)


def duration(seconds: float) -> str:
    """A stretch of time.

    >>> duration(0.2431), duration(48), duration(183), duration(7_199)
    ('0.24 s', '48 s', '3 min 3 s', '2 h')
    >>> duration(34_800), duration(90_000)
    ('9 h 40 min', '1 d 1 h')
    """
    if seconds < 0:
        return f"-{duration(-seconds)}"
    if seconds < 10:
        return f"{number(seconds, 2)} s"
    # The limits lie half a unit lower, so that rounding never gives "60 s" or "60 min".
    if seconds < 59.5:
        return f"{seconds:.0f} s"
    if seconds < 3_599.5:
        return _two(seconds, 60, "min", 1, "s")
    if seconds < 86_370:
        return _two(seconds, 3_600, "h", 60, "min")
    return _two(seconds, 86_400, "d", 3_600, "h")


def size(size_bytes: int) -> str:
    """A file's size.

    >>> size(900), size(1_536), size(5 << 30)
    ('900 B', '1.5 KiB', '5 GiB')
    """
    if size_bytes < 1024:
        return f"{size_bytes} B"
    # Ten bits are one power of 1,024.
    power = min((size_bytes.bit_length() - 1) // 10, 4)
    return f"{number(size_bytes / 1024**power)} {'BKMGT'[power]}iB"


def instant(at_s: float) -> str:
    """An instant in full.

    >>> instant(1_700_000_000)
    '2023-11-14T22:13:20Z'
    """
    return f"{datetime.fromtimestamp(at_s, UTC):%Y-%m-%dT%H:%M:%SZ}"


def moment(at_s: float, now_s: float) -> str:
    """An instant near now, in short.

    >>> moment(1_700_000_000, 1_700_000_060), moment(1_700_000_000, 1_700_100_000)
    ('22:13:20 UTC', '14 Nov 22:13 UTC')
    >>> moment(1_700_000_000, 1_800_000_000)
    '14 Nov 2023 22:13 UTC'
    """
    then, now = (datetime.fromtimestamp(each, UTC) for each in (at_s, now_s))
    if then.date() == now.date():
        return f"{then:%H:%M:%S} UTC"
    # Beyond half a year a day and a month may be taken for those of another year.
    if abs((then - now).days) < 183:
        return f"{then:%d %b %H:%M} UTC"
    return f"{then:%d %b %Y %H:%M} UTC"


def day(at_s: float) -> str:
    """The day of an instant, by UTC.

    >>> day(1_700_000_000)
    'Tue 14 Nov'
    """
    return f"{datetime.fromtimestamp(at_s, UTC):%a %d %b}"


def month(at_s: float) -> str:
    """The month of an instant, by UTC.

    >>> month(1_700_000_000)
    'November 2023'
    """
    return f"{datetime.fromtimestamp(at_s, UTC):%B %Y}"


def ago(at_s: float, now_s: float) -> str:
    """An instant relative to now.

    >>> ago(100, 101), ago(100, 130), ago(100, 1_000), ago(200, 100)
    ('just now', '30 s ago', '15 min ago', 'in 1 min 40 s')
    """
    ahead_s = round(at_s - now_s)
    if abs(ahead_s) < 2:
        return "just now"
    if ahead_s > 0:
        return f"in {duration(ahead_s)}"
    return f"{duration(-ahead_s)} ago"


def _dollars(amount: float, figures: int) -> str:
    sign = "-" if amount < 0 else ""
    least = abs(amount)
    if least == 0:
        return "$0"
    if least < _LEAST_USD:
        return f"{sign}<$0.000001"
    # From here on rounding to cents would give $1,000.00 or more.
    if least >= 999.995:
        return f"{sign}${least:,.0f}"
    # As many figures as wanted are before the point and in the cents.
    if least >= 10 ** (figures - 3):
        return f"{sign}${least:.2f}"
    whole, _, cents = number(least, figures).partition(".")
    return f"{sign}${whole}.{cents:0<2}"


def _two(seconds: float, major_s: int, major: str, minor_s: int, minor: str) -> str:
    wholes, rest = divmod(round(seconds / minor_s), major_s // minor_s)
    if rest:
        return f"{wholes:,} {major} {rest} {minor}"
    return f"{wholes:,} {major}"
