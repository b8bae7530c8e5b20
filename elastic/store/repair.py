"""Tables of SQLite that lack what their version has, rebuilt with their rows.

Until 22 November 2026 migration 0001 was edited in place. So a database that says 0001 may lack
columns, tables and indexes that were added later. What is missing is added; nothing is dropped.
"""

from __future__ import annotations

import re

from sqlalchemy import Connection

from elastic.store.comparison import Shapes

# What 0001 gained that may not be empty, with what a row of an earlier release holds there.
_FILLED: dict[tuple[str, str], int | str] = {
    ("generations", "hangs"): 0,
    ("intents", "asked_by"): "",
    ("jobs", "claimed_round"): 0,
    ("jobs", "newest_round"): 0,
    ("nodes", "failures"): 0,
}

_REBUILT = "_rebuilt_"
_CREATE = re.compile(r'^(CREATE TABLE )("?)(\w+)("?)')


def obstacles(found: Shapes, wanted: Shapes) -> tuple[str, ...]:
    """Why the tables cannot be repaired without a guess or a loss; empty if they can."""
    told = [f"table {name} is in the way" for name in sorted(found) if name.startswith("_")]
    for name in sorted(found.keys() & wanted.keys()):
        has = found[name].columns
        wants = wanted[name].columns
        # Three obstacles: a loss, a value that would be a guess, and an empty value.
        told += [f"{name}.{column} would be lost" for column in sorted(has.keys() - wants.keys())]
        told += [
            f"nothing tells what {name}.{column} was"
            for column in sorted(wants.keys() - has.keys())
            if not wants[column] and (name, column) not in _FILLED
        ]
        told += [
            f"{name}.{column} may be empty here"
            for column in sorted(has.keys() & wants.keys())
            if has[column] and not wants[column]
        ]
    return tuple(told)


def repair(
    connection: Connection, found: Shapes, wanted: Shapes, definitions: dict[str, list[str]]
) -> None:
    """Gives the tables the shape that is wanted, in the caller's transaction.

    `definitions` has the statements that make each table of the wanted version and its indexes.
    Where a table differs, a new one takes its rows and its name.
    """
    for name, statements in definitions.items():
        if name not in wanted or found.get(name) == wanted[name]:
            continue
        create, *indexes = statements
        if name in found:
            _rebuild(connection, name, create, found, wanted)
        else:
            connection.exec_driver_sql(create)
        for each in indexes:
            connection.exec_driver_sql(each)


def definitions_in(connection: Connection) -> dict[str, list[str]]:
    """The statements that made each table of an SQLite database, its indexes after it."""
    found: dict[str, list[str]] = {}
    rows = connection.exec_driver_sql(
        "SELECT tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC, rowid"
    )
    for name, sql in rows:
        found.setdefault(name, []).append(sql)
    return found


def _rebuild(connection: Connection, name: str, create: str, found: Shapes, wanted: Shapes) -> None:
    has = found[name].columns
    wants = wanted[name].columns
    # The columns that it has, and written values for new ones.
    values = {column: f'"{column}"' for column in has}
    for column in wants.keys() - has.keys():
        if (name, column) in _FILLED:
            values[column] = repr(_FILLED[name, column])
    columns = ", ".join(f'"{column}"' for column in values)
    # SQLite cannot change a column: make a new table, copy the rows, take the name.
    connection.exec_driver_sql(_CREATE.sub(rf'\1"{_REBUILT}\3"', create, count=1))
    connection.exec_driver_sql(
        f'INSERT INTO "{_REBUILT}{name}" ({columns}) SELECT {", ".join(values.values())} '
        f'FROM "{name}"'
    )
    connection.exec_driver_sql(f'DROP TABLE "{name}"')
    connection.exec_driver_sql(f'ALTER TABLE "{_REBUILT}{name}" RENAME TO "{name}"')
