"""The code on the pages runs, against a real server."""

import ast
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from actae_client import Actae, ActaeClient
from tests.support.pages import ROOT, Block, blocks, pages
from tests.support.server import RunningServer, new_channel

EVERY_BLOCK = [block for page in pages() for block in blocks(page, "python")]
# The README has a test of its own, and so have the files that a page tells its reader to save.
PAGES_THAT_RUN = sorted(
    {block.page for block in EVERY_BLOCK if block.file_name is None} - {ROOT / "README.md"}
)


class AnyProvider:
    """Somebody else's service: whatever it is asked, it has done it."""

    def __getattr__(self, name: str) -> Callable[..., Awaitable[dict[str, str]]]:
        async def done(*_args: Any, **_kwargs: Any) -> dict[str, str]:
            return {"done": name, "id": uuid4().hex}

        return done


async def charge_customer(params: dict[str, Any], idempotency_key: str) -> dict[str, str]:
    """What the pages call without showing it."""
    return {"charge_id": idempotency_key, "order_id": params["order_id"]}


async def run_block(block: Block, names: dict[str, Any], *, channels: dict[str, str], url: str) -> None:
    """Run one block as if it stood in a coroutine, with this server and a channel of our own."""
    text = block.text.replace("http://127.0.0.1:8002", url)
    for shown, ours in channels.items():
        text = text.replace(f'"{shown}"', f'"{ours}"')
    code = compile("\n" * (block.line - 1) + text, str(block.page), "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    outcome = eval(code, names)
    if outcome is not None:
        await outcome


@pytest.mark.parametrize("block", EVERY_BLOCK, ids=str)
def test_every_block_compiles(block: Block) -> None:
    """Also those that are shown in pieces."""
    compile(block.text, str(block), "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


@pytest.mark.parametrize("page", PAGES_THAT_RUN, ids=lambda page: str(page.relative_to(ROOT)))
async def test_the_blocks_of_a_page_run_in_order(
    page: Path, server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader may paste them one after the other."""
    monkeypatch.setenv("ACTAE_URL", server.url)
    monkeypatch.setenv("ACTAE_API_KEY", server.api_key)
    channels = {shown: new_channel() for shown in ("run-7f2a", "orders", "repo-17")}
    async with ActaeClient.from_env() as client:
        names = {
            "client": client,
            "actae": Actae(client),
            "provider": AnyProvider(),
            "charge_customer": charge_customer,
        }
        for block in blocks(page, "python"):
            if block.file_name is None:
                await run_block(block, names, channels=channels, url=server.url)
