"""A tree of forks, drawn."""

from typing import TYPE_CHECKING

from actae.cli.output import draw, shown

if TYPE_CHECKING:
    from rich.text import Text

    from actae_client import ForkInfo

_INDENT = 4
_LABEL_WIDTH_MIN = 60


def print_fork_tree(root: "ForkInfo") -> None:
    """One channel a line, with its names below; deep trees may be wider than the terminal."""
    from rich.tree import Tree

    top = Tree(_label(root, _events(root)), guide_style="dim")
    depth_max, waiting = 0, [(root, top, 0)]
    for node, branch, depth in waiting:
        depth_max = max(depth_max, depth)
        for child in node.children:
            facts = f"at cursor {child.forked_at_cursor:,}, {_events(child)}"
            waiting.append((child, branch.add(_label(child, facts)), depth + 1))
    draw(top, width_min=depth_max * _INDENT + _LABEL_WIDTH_MIN)


def _events(node: "ForkInfo") -> str:
    return f"{node.event_count:,} event{'' if node.event_count == 1 else 's'}"


def _label(node: "ForkInfo", facts: str) -> "Text":
    from rich.text import Text

    is_named = node.display_name is not None and node.display_name != node.channel_id
    names = [shown(each) for each in (node.display_name if is_named else None, node.reason) if each]
    label = Text(shown(node.channel_id), style="bold", overflow="fold")
    label.append(f"  {facts}", style="not bold dim")
    if names:
        label.append(f"\n{': '.join(names)}", style="not bold")
    return label
