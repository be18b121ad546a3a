"""What the guide about following a channel shows is so, from the first line to the last."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from actae_client import Actae, ActaeClient
from tests.support.cutting_proxy import CuttingProxy
from tests.support.page_programs import AnyProvider, run_block
from tests.support.pages import ROOT, blocks, commands
from tests.support.server import RunningServer
from tests.support.waiting import until_async

GUIDE = ROOT / "docs/guides/follow-a-channel.md"
CHANNEL = "run-7f2a"


@pytest.fixture
def server(start_server: Callable[[], RunningServer], monkeypatch: pytest.MonkeyPatch) -> RunningServer:
    """An empty server, so that even the numbers are those of the page; the reader has set its address."""
    started = start_server()
    monkeypatch.setenv("ACTAE_URL", started.url)
    monkeypatch.setenv("ACTAE_API_KEY", started.api_key)
    return started


async def test_the_python_of_the_guide_runs(
    server: RunningServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """In its order, and prints what is printed there; the subscription at its end hears the rest."""
    (printed,) = blocks(GUIDE, "text")
    async with ActaeClient.from_env() as client:
        names: dict[str, Any] = {"client": client, "actae": Actae(client), "provider": AnyProvider()}
        for block in blocks(GUIDE, "python"):
            await run_block(block, names, channels={}, url=server.url)
            if (told := capsys.readouterr().out) and block.line < printed.line:
                assert told == printed.text
        await until_async(lambda: len(names["seen"]) >= 2)
        assert names["seen"] == [4, 5]
        assert names["place"] == 4


@contextmanager
def running(command: list[str], **options: Any) -> Iterator["subprocess.Popen[str]"]:
    """A program that goes on until it is ended."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.skipif(shutil.which("curl") is None, reason="the page shows curl")
def test_curl_prints_what_the_guide_shows(server: RunningServer) -> None:
    """Line by line; an ellipsis stands for what differs."""
    for event_type in ("run.planned", "run.searched", "run.answered", "run.rated"):
        server.record(CHANNEL, event_type)
    (block,) = blocks(GUIDE, "console")
    (command,) = commands(block)
    shown = block.text.splitlines()[1:]
    with running(["bash", "-c", f"exec {command} 2>/dev/null"]) as curl:
        assert curl.stdout is not None
        told = [curl.stdout.readline().rstrip("\n") for _ in shown]
    for line, expected in zip(told, shown, strict=True):
        begins, _, _ = expected.partition("…")
        assert line.startswith(begins)
        assert line == expected or "…" in expected
    event = json.loads(told[-1].removeprefix("data: "))
    assert (event["type"], event["cursor"]) == ("run.rated", 4)


@pytest.mark.skipif(shutil.which("node") is None, reason="runs what is meant for a browser")
def test_the_javascript_of_the_guide_loses_nothing(server: RunningServer, tmp_path: Path) -> None:
    """Through cuts in the middle of whatever is sent."""
    (block,) = blocks(GUIDE, "javascript")
    program = tmp_path / "follow.mjs"
    program.write_text(
        block.text + "const { ACTAE_URL, ACTAE_API_KEY } = process.env;\n"
        f'for await (const event of follow(ACTAE_URL, "{CHANNEL}", {{ "x-api-key": ACTAE_API_KEY }}))'
        " console.log(event.cursor);\n"
    )
    for n in range(60):
        server.record(CHANNEL, payload=f"é{n}")
    with (
        CuttingProxy(server.url, seed=8, bytes_max=6000) as proxy,
        running(["node", str(program)], env={**os.environ, "ACTAE_URL": proxy.url}) as node,
    ):
        assert node.stdout is not None
        told = [int(node.stdout.readline()) for _ in range(60)]
        assert proxy.cuts
    assert told == list(range(1, 61))


@pytest.mark.skipif(shutil.which("node") is None, reason="runs what is meant for a browser")
def test_the_javascript_of_the_guide_says_when_the_key_is_bad(server: RunningServer, tmp_path: Path) -> None:
    """And does not try for ever."""
    (block,) = blocks(GUIDE, "javascript")
    program = tmp_path / "follow.mjs"
    program.write_text(
        block.text
        + 'await follow(process.env.ACTAE_URL, "run-7f2a", {}).next().catch((e) => console.log(e.message));'
    )
    told = subprocess.run(
        ["node", str(program)], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    assert json.loads(told)["status"] == "unauthorized"
