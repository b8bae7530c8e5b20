"""What the tables of a database are, compared with what they should be."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from sqlalchemy import (
    Connection,
    MetaData,
    StaticPool,
    UniqueConstraint,
    create_engine,
    inspect,
)

from elastic.store.schema import metadata

# How Alembic names a table that it builds. One that is left was broken off half-way.
_LEFT_OVER = "_alembic_tmp_"
_OF_ALEMBIC = "alembic_version"


@dataclass(frozen=True, slots=True)
class TableShape:
    """What matters of a table: its columns (True: may be empty) and what must be unique in it.

    Types are left out: SQLite does not keep to them, and PostgreSQL refuses a value of another one.
    """

    columns: Mapping[str, bool]
    key: tuple[str, ...]
    unique: frozenset[tuple[str, ...]]
    indexes: frozenset[tuple[str, ...]]


Shapes = Mapping[str, TableShape]


def shapes_in(connection: Connection) -> Shapes:
    """The tables that a database has."""
    # Four questions for the whole database: one for each table would take much longer.
    looked = inspect(connection)
    unique = looked.get_multi_unique_constraints()
    indexes = looked.get_multi_indexes()
    keys = looked.get_multi_pk_constraint()
    columns = looked.get_multi_columns()
    return {
        at[1]: TableShape(
            columns={each["name"]: bool(each["nullable"]) for each in columns[at]},
            key=tuple(keys[at]["constrained_columns"]),
            unique=frozenset(tuple(each["column_names"]) for each in unique[at]),
            indexes=frozenset(
                tuple(str(name) for name in each["column_names"])
                for each in indexes[at]
                if not each["unique"]
            ),
        )
        for at in columns
        if at[1] != _OF_ALEMBIC
    }


@cache
def shapes_of_schema() -> Shapes:
    """The tables of the newest schema."""
    return MappingProxyType(dict(_of_metadata(metadata)))


def differences_in(connection: Connection) -> tuple[str, ...]:
    """How the tables of a database differ from those of the newest schema, in words."""
    if connection.dialect.name != "sqlite":
        return differences(shapes_in(connection), shapes_of_schema())
    made_by = connection.exec_driver_sql(
        "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
    )
    return _differences_of(tuple(made_by.scalars()))


def differences(found: Shapes, wanted: Shapes) -> tuple[str, ...]:
    """What differs, in words; a table that is not ours is none, for nothing reads it."""
    return tuple(_differences(found, wanted))


@cache
def _differences_of(statements: tuple[str, ...]) -> tuple[str, ...]:
    """The same of a database of SQLite that these statements make: to look takes 30 ms, and a
    process that opens many stores looks once."""
    engine = create_engine("sqlite://", poolclass=StaticPool)
    with engine.connect() as connection:
        for each in statements:
            # SQLite makes its own tables itself, and refuses to have them made.
            if not each.startswith("CREATE TABLE sqlite_"):
                connection.exec_driver_sql(each)
        found = shapes_in(connection)
    engine.dispose()
    return differences(found, shapes_of_schema())


def _differences(found: Shapes, wanted: Shapes) -> Iterator[str]:
    for name in sorted(found):
        if name.startswith(_LEFT_OVER):
            yield f"table {name} is left of a migration that was broken off"
    for name in sorted(wanted):
        if name not in found:
            yield f"table {name} is missing"
        else:
            yield from _of_table(name, found[name], wanted[name])


def _of_table(name: str, found: TableShape, wanted: TableShape) -> Iterator[str]:
    for column in sorted(wanted.columns.keys() - found.columns.keys()):
        yield f"column {name}.{column} is missing"
    for column in sorted(found.columns.keys() - wanted.columns.keys()):
        yield f"column {name}.{column} is unknown"
    for column in sorted(found.columns.keys() & wanted.columns.keys()):
        if found.columns[column] != wanted.columns[column]:
            if found.columns[column]:
                may = "may"
            else:
                may = "may not"
            yield f"column {name}.{column} {may} be empty"
    # Then the keys, the constraints and the indexes.
    if found.key != wanted.key:
        yield f"table {name} has the key {_listed([found.key])}, not {_listed([wanted.key])}"
    if missing := wanted.unique - found.unique:
        yield f"table {name} does not keep unique: {_listed(missing)}"
    if extra := found.unique - wanted.unique:
        yield f"table {name} keeps unique what need not be: {_listed(extra)}"
    if missing := wanted.indexes - found.indexes:
        yield f"table {name} has no index on: {_listed(missing)}"


def _listed(columns: Collection[tuple[str, ...]]) -> str:
    return ", ".join("(" + ", ".join(each) + ")" for each in sorted(columns))


def _of_metadata(tables: MetaData) -> Iterator[tuple[str, TableShape]]:
    for table in tables.tables.values():
        unique = (each for each in table.constraints if isinstance(each, UniqueConstraint))
        yield (
            table.name,
            TableShape(
                columns={each.name: bool(each.nullable) for each in table.columns},
                key=tuple(each.name for each in table.primary_key.columns),
                unique=frozenset(tuple(c.name for c in each.columns) for each in unique),
                indexes=frozenset(
                    tuple(c.name for c in each.columns) for each in table.indexes if not each.unique
                ),
            ),
        )
