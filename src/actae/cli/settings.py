"""`actae settings`: every setting, its value, and why it is there."""

import os
from dataclasses import fields

import click

from actae.cli.output import json_option, print_json, print_table
from actae.cli.variables import variable_of


@click.command()
@json_option
def settings(as_json: bool) -> None:
    """Show every setting and why it is there.

    As a server that is started here would read them; secrets are hidden. Each is set by the environment
    variable ACTAE_ and its name, and some are options of `actae serve` too. A value that no server takes is
    named instead, with exit code 1.
    """
    from actae.settings import SecretUrl, Settings, read_settings

    chosen = read_settings()
    shown = []
    for each in fields(Settings):
        value = getattr(chosen, each.name)
        shown.append(
            {
                "name": each.name,
                "value": value.masked() if isinstance(value, SecretUrl) else _plain(value),
                "default": _plain(each.default),
                "variable": variable_of(each.name),
                "is_set": bool(os.environ.get(variable_of(each.name))),
                "why": each.metadata["why"],
            }
        )
    if as_json:
        print_json(shown)
        return
    rows = [
        (each["name"], _cell(each["value"]), "set" if each["is_set"] else "", each["why"]) for each in shown
    ]
    print_table(("setting", "value", "", "why"), rows, empty="", wrapped="why")


def _plain(value: object) -> object:
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def _cell(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value
