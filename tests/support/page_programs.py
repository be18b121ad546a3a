"""Runs the code that pages show, against a server of ours."""

import ast
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from uuid import uuid4

from tests.support.pages import Block


class AnyProvider:
    """Somebody else's service: whatever it is asked, it has done it."""

    def __getattr__(self, name: str) -> Callable[..., Awaitable[dict[str, str]]]:
        async def done(*_args: Any, **_kwargs: Any) -> dict[str, str]:
            return {"done": name, "id": uuid4().hex}

        return done


async def run_block(block: Block, names: dict[str, Any], *, channels: Mapping[str, str], url: str) -> None:
    """Run one block as if it stood in a coroutine, with this server and a channel of our own."""
    text = block.text.replace("http://127.0.0.1:8002", url)
    for shown, ours in channels.items():
        text = text.replace(f'"{shown}"', f'"{ours}"')
    code = compile("\n" * (block.line - 1) + text, str(block.page), "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    outcome = eval(code, names)
    if outcome is not None:
        await outcome
