"""`actae execution-groups`: agents that work together, and who works for each."""

from dataclasses import asdict

import click

from actae.cli.output import json_option, print_json, print_table, shown_moment
from actae.cli.remote import Server, connected, server_options


@click.group("execution-groups")
def execution_groups() -> None:
    """Look at execution groups through a running server."""


@execution_groups.command("list")
@server_options
@json_option
def list_(server: Server, as_json: bool) -> None:
    """The groups that the key may read, newest first."""
    with connected(server) as client:
        found = client.list_execution_groups()
    if as_json:
        print_json([asdict(each) for each in found])
        return
    print_table(
        ("group", "status", "created"),
        [(each.group_id, each.status, shown_moment(each.created_at)) for each in found],
        empty="There are no execution groups.",
    )


@execution_groups.command()
@click.argument("group")
@server_options
@json_option
def show(group: str, server: Server, as_json: bool) -> None:
    """The members of a group, and who holds them."""
    with connected(server) as client:
        found = client.execution_group_members(group)
    if as_json:
        print_json([asdict(each) for each in found])
        return
    print_table(
        ("member", "channel", "role", "owner", "generation", "lease until"),
        [
            (
                each.member_id,
                each.channel_id,
                each.role,
                each.owner_id,
                each.generation,
                shown_moment(each.lease_until),
            )
            for each in found
        ],
        empty="The group has no members.",
        cut=("owner",),
    )
