"""What the guide on forks shows is so: its code runs, and its commands print what is printed there."""

import asyncio
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from actae_client import ActaeClient
from tests.support.command import environment
from tests.support.page_programs import AnyProvider, run_block
from tests.support.pages import ROOT, blocks
from tests.support.server import RunningServer

GUIDE = ROOT / "docs/guides/fork-a-run.md"


async def test_the_guide_works_from_top_to_bottom(
    start_server: Callable[[], RunningServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On an empty server, so that even the numbers are those of the page."""
    server = start_server()
    monkeypatch.setenv("ACTAE_URL", server.url)
    monkeypatch.setenv("ACTAE_API_KEY", server.api_key)
    shown = sorted([*blocks(GUIDE, "python"), *blocks(GUIDE, "console")], key=lambda block: block.line)
    async with ActaeClient.from_env() as client:
        names: dict[str, Any] = {"client": client, "provider": AnyProvider()}
        for block in shown:
            if block.language == "python":
                await run_block(block, names, channels={}, url=server.url)
            else:
                command, _, printed = block.text.removeprefix("$ ").partition("\n")
                told = await asyncio.to_thread(run, command, server)
                assert re.fullmatch(pattern_of(printed), told), f"{block} shows something else:\n{told}"


def run(command: str, server: RunningServer) -> str:
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


def pattern_of(printed: str) -> str:
    """A line with nothing but an ellipsis stands for any number of lines."""
    return re.escape(printed).replace(re.escape("…\n"), "(?:.*\n)*")
