"""Loads the named queries of `actae/sql/queries/`.

Each statement stands under a line `-- name: NAME -> KIND`. KIND says how many rows: `one` (exactly
or none), `many`, `none`; `part` is a piece of the writer's composed statement. Parameters are named
`:name` in the file and numbered here, in the order in which they first occur.
"""

import re
from collections.abc import Iterable, Mapping
from importlib.resources import files
from types import MappingProxyType
from typing import NamedTuple

_HEADER = re.compile(r"^-- name: (\w+) -> (one|many|none|part)$", re.MULTILINE)
_PARAMETER = re.compile(r"(?<![:\w]):([a-z][a-z0-9_]*)\b")
_COMMENT = re.compile(r"--[^\n]*")
_ROWS = re.compile(r"unnest\(((?:\s*:\w+::\w+\[\],?)+)\)(\s+with ordinality)?(\s+as\s+\w+\s+\()")
_COLUMN = re.compile(r"(:\w+::\w+)\[\]")


class Query(NamedTuple):
    """A statement with numbered parameters, and their names in that order."""

    name: str
    kind: str
    sql: str
    parameters: tuple[str, ...]

    def arguments(self, values: Mapping[str, object]) -> list[object]:
        """The values in the order of their numbers."""
        return [values[name] for name in self.parameters]


def number_parameters(name: str, kind: str, text: str) -> Query:
    """Replace `:name` by `$1`, `$2` …; comments go."""
    text = _COMMENT.sub("", text).strip().rstrip(";")
    names = tuple(dict.fromkeys(_PARAMETER.findall(text)))
    numbers = {name: number for number, name in enumerate(names, 1)}
    return Query(name, kind, _PARAMETER.sub(lambda found: f"${numbers[found[1]]}", text), names)


def read_texts() -> Mapping[str, tuple[str, str]]:
    """Every query's kind and text by name, as it stands in its file."""
    texts: dict[str, tuple[str, str]] = {}
    for file in sorted(files("actae.sql").joinpath("queries").iterdir(), key=lambda each: each.name):
        if not file.name.endswith(".sql"):
            continue
        pieces = _HEADER.split(file.read_text("utf-8"))
        for name, kind, text in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
            assert name not in texts, f"two queries are called {name}"
            texts[name] = (kind, text)
    return MappingProxyType(texts)


_TEXTS = read_texts()


def query(name: str) -> Query:
    """The query of this name."""
    kind, text = _TEXTS[name]
    assert kind != "part", f"{name} is a piece of a statement"
    return number_parameters(name, kind, text)


def query_of_one_row(name: str) -> Query:
    """The same query for exactly one row, its values in the place of arrays.

    PostgreSQL then sees constants: it sets up no function for each column, and has nothing to sort.
    """
    kind, text = _TEXTS[name]
    return number_parameters(name, kind, _of_one_row(text))


def _of_one_row(text: str) -> str:
    def values(rows: re.Match[str]) -> str:
        columns = _COLUMN.findall(rows[1])
        if rows[2]:
            columns.append("1::bigint")
        return f"(values ({', '.join(columns)})){rows[3]}"

    return _ROWS.sub(values, text)


def compose(name: str, parts: Iterable[str], final: str, *, of_one_row: bool = False) -> Query:
    """One statement out of several: each part a CTE of its own name, then the final select.

    `of_one_row` makes it the statement for parts that each have exactly one row.
    """
    ctes = ",\n".join(
        f"{part} as (\n{_COMMENT.sub('', _TEXTS[part][1]).strip().rstrip(';')}\n)" for part in parts
    )
    return number_parameters(name, "one", f"with {_of_one_row(ctes) if of_one_row else ctes}\n{final}")
