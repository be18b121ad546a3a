"""Runs the code that pages show, against a server of ours."""

import ast
import asyncio
import re
import shlex
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

from actae_client import Actae, ActaeClient
from tests.support.command import environment
from tests.support.pages import Block, blocks
from tests.support.server import RunningServer


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


async def run_dialogue(page: Path, server: RunningServer, printed: Callable[[], str], **known: Any) -> None:
    """Run code and commands in the order of the page; what is shown as printed has to be.

    `printed` says what was printed since it was asked before; `known` are names of things that the page
    uses without showing them.
    """
    shown = [*blocks(page, "python"), *blocks(page, "console"), *blocks(page, "text")]
    told = ""
    async with ActaeClient.from_env() as client:
        names: dict[str, Any] = {"client": client, "actae": Actae(client), "provider": AnyProvider(), **known}
        for block in sorted(shown, key=lambda block: block.line):
            expected = block.text
            if block.language == "python":
                await run_block(block, names, channels={}, url=server.url)
                told = printed()
                continue
            if block.language == "console":
                command, _, expected = block.text.removeprefix("$ ").partition("\n")
                told = await asyncio.to_thread(_type, command, server)
            assert re.fullmatch(_pattern_of(expected), told), f"{block} shows something else:\n{told}"


def _type(command: str, server: RunningServer) -> str:
    """What a reader who types this gets to see."""
    name, *arguments = shlex.split(command)
    assert name == "actae"
    ended = subprocess.run(
        [sys.executable, "-m", "actae", *arguments],
        env=environment(ACTAE_URL=server.url, ACTAE_API_KEY=server.api_key),
        capture_output=True,
        text=True,
        check=True,
    )
    return ended.stdout


def _pattern_of(printed: str) -> str:
    """A line with nothing but an ellipsis stands for any number of lines."""
    return re.escape(printed).replace(re.escape("…\n"), "(?:.*\n)*")
