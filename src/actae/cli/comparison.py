"""What two channels did, side by side, for people."""

from collections.abc import Iterator, Mapping
from typing import Any

import click

from actae.cli.differences import brief, print_differences, print_numbers, print_sides
from actae.cli.output import print_table

_SIDES = ("left", "right")
_FIGURES = {
    "input_tokens": "input tokens",
    "output_tokens": "output tokens",
    "cost": "cost",
    "latency_ms": "latency, ms",
}

Row = tuple[object, ...]


def print_comparison(found: Mapping[str, Any]) -> None:
    """From the most telling to the least: effects and spending, operations, states, manifests, outputs."""
    print_sides(found)
    click.echo()
    columns = ("effects and spending", *_SIDES, "difference")
    print_numbers(columns, [*_effects(found), *_spending(found["metrics"])], words=columns[:1])
    click.echo()
    _print_operations(found)
    click.echo()
    print_differences("state", found)
    click.echo()
    print_differences("manifest", found["manifest_diff"])
    click.echo()
    _print_outputs(found["output_diff"])


def _effects(found: Mapping[str, Any]) -> Iterator[Row]:
    left, right = (found["effects"][side] for side in _SIDES)
    yield _figures("operations of its own", left["ran"], right["ran"])
    yield _figures("inherited, so not paid for again", left["inherited"], right["inherited"])
    yield _figures("replayed", len(left["replayed"]), len(right["replayed"]))
    yield _figures("blocked", len(left["blocked"]), len(right["blocked"]))


def _spending(metrics: Mapping[str, Any]) -> Iterator[Row]:
    for name, label in _FIGURES.items():
        left, right, delta = (metrics[column][name] for column in (*_SIDES, "delta"))
        if delta is not None:
            yield _figures(label, left, right, delta)


def _figures(label: str, left: float | None, right: float | None, delta: float | None = None) -> Row:
    if delta is None:
        delta = (right or 0) - (left or 0)
    return label, _number(left), _number(right), f"{delta:+,}" if delta else "-"


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:,}"


def _print_operations(found: Mapping[str, Any]) -> None:
    """Each key once; those that ran on both sides, or on none, behind those that tell them apart."""
    columns = ("operation", "tool", *_SIDES, "differs in")
    print_table(columns, _operations(found), empty="There are no operations.", cut=columns[:2])
    if found["tool_diff"]["truncated"] or any(found["effects"][side]["truncated"] for side in _SIDES):
        click.echo("There are more operations than these.")


def _operations(found: Mapping[str, Any]) -> Iterator[Row]:
    tools = found["tool_diff"]
    refused = {side: _refused(found["effects"][side]) for side in _SIDES}
    replayed = {side: set(found["effects"][side]["replayed"]) for side in _SIDES}

    def cell(key: str, side: str, held: str | None) -> str:
        told = [
            held,
            "replayed" if key in replayed[side] else None,
            f"refused by {refused[side][key]['policy']!r}" if key in refused[side] else None,
        ]
        return ", ".join(each for each in told if each) or "-"

    def row(key: str, tool: str, held: Mapping[str, str], differs: object = None) -> Row:
        return key, tool, *(cell(key, side, held.get(side)) for side in _SIDES), differs

    for key, each in tools["changed"].items():
        both = {side: _held(each[side]) for side in _SIDES}
        yield row(key, each["right"]["tool_name"], both, each["differs"])
    for side in _SIDES:
        for key, each in tools[f"{side}_only"].items():
            yield row(key, each["tool_name"], {side: _held(each)})
    shown = {*tools["changed"], *tools["left_only"], *tools["right_only"], *tools["same"]}
    for key, each in {**refused["left"], **refused["right"]}.items():
        if key not in shown:
            yield row(key, each["tool_name"], {})
    for key, each in tools["same"].items():
        yield row(key, each["tool_name"], _held_by_both(each, found))


def _refused(effects: Mapping[str, Any]) -> dict[str, Any]:
    return {each["key_name"]: each for each in effects["blocked"]}


def _held(call: Mapping[str, Any]) -> str:
    return "inherited" if call["inherited"] else str(call["status"])


def _held_by_both(same: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, str]:
    """An operation that both have is that of the channel in its id, and the other side inherits it."""
    own = {side: same[f"{side}_id"].partition("~")[0] == found[f"{side}_channel_id"] for side in _SIDES}
    return {side: str(same["status"]) if own[side] else "inherited" for side in _SIDES}


def _print_outputs(outputs: Mapping[str, Any]) -> None:
    if outputs["equal"]:
        click.echo("The last outputs do not differ.")
        return
    rows = [(side, None if outputs[side] is None else brief(outputs[side])) for side in _SIDES]
    print_table(("last output", "payload"), rows, empty="", wrapped="payload")
