"""Write the reference pages that follow from the code.

python tools/generate_reference.py            write every page anew
python tools/generate_reference.py --check    only say what is stale; exit status 1 if anything is
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from inspect import cleandoc
from pathlib import Path
from typing import Any

import click
from prometheus_client.core import Metric

from actae.cli import main as command_line
from actae.settings import Settings
from actae.transport.error_replies import STATUSES
from actae.transport.metrics import describe as describe_metrics
from actae.transport.openapi import describe
from actae.transport.openapi.errors import example_body
from actae.transport.openapi.kinds import explained, kind
from actae.transport.routes.all import ROUTES

ROOT = Path(__file__).resolve().parent.parent
ERRORS = ROOT / "docs/reference/errors.md"
_SECTION = re.compile(r"^### (\w+)\n(?:(?!^###? ).)*", re.DOTALL | re.MULTILINE)
_EXAMPLE = re.compile(r"^```json\n.*?\n```", re.DOTALL | re.MULTILINE)
NOTICE = "<!-- Written by tools/generate_reference.py. Do not edit. -->\n"

HTTP = """# The HTTP API

The server describes itself: `/openapi.json` says the same as this page to programs (OpenAPI 3.1), `/docs` to
people.

- **Credentials.** Send an API key in `x-api-key`, or a token in `authorization: Bearer …`, which goes first.
  A key reaches the channels that its patterns name; `actae keys` makes and lists keys. The
  console's pages go by [a cookie](../guides/keys-and-access.md#the-consoles-session) instead.
- **Bodies** are JSON in UTF-8. Unknown fields are ignored, and so are unknown names in a query. Values
  described as *any JSON* are kept as they were sent: numbers of any size, key order, escapes. That includes
  what few readers represent. Of a name that stands twice in an object most take the last, as a comparison of
  params does; `1e999` is infinity to a reader of doubles, the Python client among them.
- **Replies** are JSON with status 200. A refusal has the one shape that [Errors](errors.md) describes, with
  what to do about each. Beside its own errors, every operation that asks for a key may answer `unauthorized`,
  `forbidden`, `cross_site_request`, `payload_too_large`, `rate_limited`, `internal` and `unavailable`.
- **Repeating.** Every write carries an identity (an `operation_id`, a key, a claim token), or has the same
  effect when it is done twice. After a lost connection, a 429 or a 503, send the same request again.
  Only `keys.create` makes another key each time, as a secret is shown once.
- **Paths.** Of two that take the method, a fixed segment wins over a parameter. There are no redirects.
"""
EVERYWHERE = frozenset(
    {
        "unauthorized",
        "forbidden",
        "cross_site_request",
        "not_found",
        "payload_too_large",
        "rate_limited",
        "internal",
        "unavailable",
    }
)

SETTINGS = """# Settings

Each is read once at the start, from the environment or from the option of the same name of `actae serve`;
the option wins. `actae settings` prints the values in force, secrets hidden. A value that cannot be used
ends either with a sentence that names it.
"""

METRICS = """# Metrics

`GET /metrics` answers with all of them in Prometheus's text format, for all workers of the server together;
with `ACTAE_METRICS_PUBLIC=false` it wants an API key. [A dashboard](../grafana/actae.json) for Grafana 11 or
newer shows them; what to look at first is in [Run a server](../guides/run-a-server.md#watching-it).

A histogram `X` comes as `X_bucket` with the label `le`, `X_sum` and `X_count`. Whatever ends in `_total` is
counted since the server was started, and survives the end of a single worker.
"""

OF_SERVER = """## Of a server

What it did, and how it is. Several servers of one database add up.
"""

OF_DATABASE = """## Of the database

What is stored, up to ten seconds old, longer where it takes long to count. Every server of a database says
the same, so take one or the greatest, not the sum. What the database does not tell in time is absent.
"""

CLI = """# The command line

`actae` comes with the extra `server`. It reads the same `ACTAE_*` variables as the server
([settings](settings.md)); an option goes before its variable.

| option | of commands on | meaning |
| --- | --- | --- |
| `--database-url` | a database | A PostgreSQL server; `ACTAE_DATABASE_URL`. |
| `--data-dir` | a database | An embedded PostgreSQL, served or not; `ACTAE_DATA_DIR`, or `./actae-data`. |
| `--url` | a server | Its address; `ACTAE_URL`, or `http://127.0.0.1:8002`. |
| `--api-key` | a server | Better in `ACTAE_API_KEY`: other users of the machine see options. |
| `--json` | either | The same for programs. |

Commands on a database need no key: who can reach it may do anything. Progress and the log go to standard
error, and `NO_COLOR` is honoured.

Exit codes: 0, done. 1, it could not be done, and one line on standard error says why. 2, wrong usage.
3, `actae verify` or `actae crashtest` found something broken. 130, interrupted.
"""
SHARED = (frozenset({"database_url", "data_dir", "as_json"}), frozenset({"url", "api_key", "as_json"}))


def http_page() -> str:
    """What docs/reference/http.md holds."""
    document = describe(ROUTES)
    types = (_type(name, schema) for name, schema in document["components"]["schemas"].items())
    return "\n".join([NOTICE, HTTP, *_sections(document), "## Types\n", *types])


def _sections(document: Any) -> Iterator[str]:
    for tag in document["tags"]:
        operations = list(_tagged(document, tag["name"]))
        yield f"## {tag['name']}\n"
        if "description" in tag:
            yield f"{tag['description']}\n"
        yield _table(
            ["", "path", "operation", ""],
            [
                [method, f"`{path}`", _link_to(operation["operationId"]), operation["summary"]]
                for method, path, operation in operations
            ],
        )
        for each in operations:
            yield from _operation(*each)


def _tagged(document: Any, tag: str) -> Iterator[tuple[str, str, Any]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if tag in operation["tags"]:
                yield method.upper(), path, operation


def _link_to(operation_id: str) -> str:
    return f"[{operation_id}](#{operation_id.replace('.', '')})"


def _operation(method: str, path: str, operation: Any) -> Iterator[str]:
    yield f"### {operation['operationId']}\n\n`{method} {path}`\n\n{operation['description']}\n"
    if operation["parameters"]:
        yield _table(
            ["parameter", "kind", ""],
            [
                [
                    f"{_name(each['name'], is_required=each['required'])}, in the {each['in']}",
                    kind(each["schema"]),
                    _notes(each.get("description", ""), each["schema"]),
                ]
                for each in operation["parameters"]
            ],
        )
    if "requestBody" in operation:
        body = kind(operation["requestBody"]["content"]["application/json"]["schema"])
        yield f"Body: {body}{'' if operation['requestBody']['required'] else ', may be left out'}.\n"
    [(media_type, content)] = operation["responses"]["200"]["content"].items()
    yield f"Reply: {kind(content['schema']) if media_type == 'application/json' else f'`{media_type}`'}.\n"
    codes = [code for code in _codes(operation) if code not in EVERYWHERE]
    if codes:
        yield f"Errors: {', '.join(f'[`{code}`](errors.md#{code})' for code in codes)}.\n"


def _codes(operation: Any) -> Iterator[str]:
    for response in operation["responses"].values():
        if "$ref" in response:
            yield response["$ref"].rpartition("/")[2]
        else:
            yield from response["content"].get("application/json", {}).get("examples", ())


def _type(name: str, schema: Any) -> str:
    required = schema.get("required", [])
    rows = [
        [
            _name(field, is_required=field in required),
            kind(value),
            _notes(value.get("description", ""), value),
        ]
        for field, value in schema.get("properties", {}).items()
    ]
    table = [_table(["field", "kind", ""], rows)] if rows else []
    return "\n".join([f"### {name}\n", f"{schema.get('description', '')}\n", *table])


def _name(name: str, *, is_required: bool) -> str:
    return f"`{name}`" if is_required else f"`{name}` (optional)"


def _notes(description: str, schema: Any) -> str:
    return " ".join(note for note in (description, *explained(schema)) if note).replace("\n", " ")


def settings_page() -> str:
    """What docs/reference/settings.md holds."""
    rows = [
        [f"`ACTAE_{each.name.upper()}`", _shown(each.name, each.default), each.metadata["why"]]
        for each in fields(Settings)
    ]
    return "\n".join([NOTICE, SETTINGS, _table(["variable", "default", "meaning"], rows)])


def metrics_page() -> str:
    """What docs/reference/metrics.md holds."""
    of_server, of_database = describe_metrics(route.operation for route in ROUTES)
    pieces = [NOTICE, METRICS, OF_SERVER, _metrics(of_server), OF_DATABASE, _metrics(of_database)]
    return "\n".join(pieces)


def _metrics(families: list[Metric]) -> str:
    rows = [
        [
            f"`{each.name}{'_total' if each.type == 'counter' else ''}`",
            each.type,
            ", ".join(f"`{label}`" for label in each.samples[0].labels if label != "le"),
            each.documentation,
        ]
        for each in families
    ]
    return _table(["metric", "kind", "labels", "meaning"], rows)


def cli_page() -> str:
    """What docs/reference/cli.md holds."""
    context = click.Context(command_line, info_name="actae")
    return "\n".join([NOTICE, CLI, *_commands(command_line, context)])


def _commands(group: click.Group, context: click.Context) -> Iterator[str]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None, f"{name} is listed, so it exists"
        if command.hidden:
            continue
        child = click.Context(command, info_name=name, parent=context)
        depth = "#" * (1 + child.command_path.count(" "))
        yield f"{depth} {child.command_path}\n\n{cleandoc(command.help or '')}\n"
        if isinstance(command, click.Group):
            yield from _commands(command, child)
            continue
        usage = " ".join(command.collect_usage_pieces(child))
        yield f"```text\n{child.command_path} {usage}\n```\n"
        yield from _options(command, child)


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    """Those of its own in a table; those that many commands share by name, for they are explained once."""
    options = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
    names = {each.name for each in options}
    shared = [each for group in SHARED if group <= names for each in options if each.name in group]
    own = [each.get_help_record(context) for each in options if each not in shared]
    if own:
        rows = [[f"`{names}`", text] for names, text in filter(None, own)]
        yield _table(["option", "meaning"], [[cell.replace("|", "\\|") for cell in row] for row in rows])
    if shared:
        yield f"Also {', '.join(f'`{each.opts[0]}`' for each in shared)}.\n"


def _shown(name: str, value: object) -> str:
    if value is None:
        return "not set"
    if "bytes" in name and isinstance(value, int):
        return f"`{value}` ({value // 2**20} MiB)"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def errors_page() -> str:
    """What docs/reference/errors.md holds: the prose as it stands, with the examples anew."""
    examples: dict[str, list[str]] = {}
    for error in sorted(STATUSES, key=lambda error: STATUSES[error]):
        examples.setdefault(error.code, []).append(json.dumps(example_body(error), indent=2))
    return _SECTION.sub(
        lambda found: _with_examples(found[0], iter(examples.get(found[1], []))), ERRORS.read_text()
    )


def _with_examples(section: str, examples: Iterator[str]) -> str:
    """A code with two statuses has two examples, in their order."""
    return _EXAMPLE.sub(lambda _: f"```json\n{next(examples, '')}\n```", section)


PAGES: Mapping[str, Callable[[], str]] = {
    "docs/reference/http.md": http_page,
    "docs/reference/settings.md": settings_page,
    "docs/reference/metrics.md": metrics_page,
    "docs/reference/cli.md": cli_page,
    "docs/reference/errors.md": errors_page,
}


def main() -> int:
    """Write what is stale, or say what is."""
    parser = argparse.ArgumentParser(description="Write the reference pages that follow from the code.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if anything is stale")
    only_check = parser.parse_args().check
    wanted = {ROOT / name: page() for name, page in PAGES.items()}
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        print(f"{'stale' if only_check else 'written'}: {path.relative_to(ROOT)}")
        if not only_check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[path])
    return int(only_check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
