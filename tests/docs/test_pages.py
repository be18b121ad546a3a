"""The code on the pages runs, against a real server."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from actae_client import Actae, ActaeClient
from tests.support.page_programs import AnyProvider, run_block
from tests.support.pages import ROOT, Block, blocks, pages
from tests.support.postgres import TestPostgres
from tests.support.server import RunningServer, new_channel

EVERY_BLOCK = [block for page in pages() for block in blocks(page, "python")]
# These have tests of their own, and so have the files that a page tells its reader to save.
TESTED_ELSEWHERE = {
    ROOT / "README.md",
    ROOT / "docs/guides/fork-a-run.md",
    ROOT / "docs/guides/ask-a-person.md",
    ROOT / "docs/guides/follow-a-channel.md",
    ROOT / "docs/guides/keep-and-forget.md",
    ROOT / "docs/guides/pass-keys-outward.md",
    ROOT / "docs/guides/resolve-an-ambiguous-outcome.md",
    ROOT / "docs/guides/guard-your-tools.md",
}
PAGES_THAT_RUN = sorted({block.page for block in EVERY_BLOCK if block.file_name is None} - TESTED_ELSEWHERE)


async def charge_customer(params: dict[str, Any], idempotency_key: str) -> dict[str, str]:
    """What the pages call without showing it."""
    return {"charge_id": idempotency_key, "order_id": params["order_id"]}


@pytest.mark.parametrize("block", EVERY_BLOCK, ids=str)
def test_every_block_compiles(block: Block) -> None:
    """Also those that are shown in pieces."""
    compile(block.text, str(block), "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


@pytest.fixture(scope="module")
def fresh_server(postgres: TestPostgres) -> Iterator[RunningServer]:
    """One whose clock nobody moves: a page may compare times of the agent with times of the server."""
    dsn = postgres.fresh_database()
    running = RunningServer(dsn)
    yield running
    assert running.stop() == 0
    postgres.drop_database(dsn)


@pytest.mark.parametrize("page", PAGES_THAT_RUN, ids=lambda page: str(page.relative_to(ROOT)))
async def test_the_blocks_of_a_page_run_in_order(
    page: Path,
    fresh_server: RunningServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A reader may paste them one after the other; where the page shows what one prints, it prints that."""
    monkeypatch.setenv("ACTAE_URL", fresh_server.url)
    monkeypatch.setenv("ACTAE_API_KEY", fresh_server.api_key)
    channels = {shown: new_channel() for shown in ("run-7f2a", "orders", "repo-17")}
    shown = {block.line: block.text for block in blocks(page, "text")}
    async with ActaeClient.from_env() as client:
        names = {
            "client": client,
            "actae": Actae(client),
            "provider": AnyProvider(),
            "charge_customer": charge_customer,
        }
        for block in blocks(page, "python"):
            if block.file_name is None:
                await run_block(block, names, channels=channels, url=fresh_server.url)
                printed = capsys.readouterr().out
                after = block.line + len(block.text.splitlines()) + len(("```", "", "```text"))
                assert shown.get(after, printed) == printed, f"{block} prints something else"
