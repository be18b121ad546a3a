"""What the tools of a fork may do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from actae_client._calls.arguments import require
from actae_client._types.forks import ToolPolicy


def check_policies(policies: Mapping[str, Any]) -> None:
    """Refuse what is no policy of a tool. Raises TypeError and ValueError, which name the tool."""
    if not isinstance(policies, Mapping):
        raise TypeError(f"tool_policies must be a dict, not {type(policies).__name__}")
    for tool, policy in policies.items():
        require("the name of a tool in tool_policies", tool, str)
        if tool == "":
            raise ValueError("tool_policies has an entry for a tool without a name")
        if policy not in get_args(ToolPolicy):
            known = ", ".join(get_args(ToolPolicy))
            raise ValueError(f"tool_policies[{tool!r}] is {policy!r}; it must be one of {known}")
