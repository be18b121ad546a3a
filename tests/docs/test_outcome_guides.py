"""What the guides on unknown outcomes and outward keys show is so, with a real provider on the other side."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.outside import Bank, Shop
from tests.support.page_programs import run_dialogue
from tests.support.pages import ROOT
from tests.support.provider import RunningProvider
from tests.support.server import RunningServer


@pytest.mark.parametrize(
    ("page", "honours_keys"), [("resolve-an-ambiguous-outcome", False), ("pass-keys-outward", True)]
)
async def test_a_guide_works_from_top_to_bottom(
    page: str,
    honours_keys: bool,
    start_server: Callable[[], RunningServer],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """On an empty server, where nothing else is open."""
    server = start_server()
    monkeypatch.setenv("ACTAE_URL", server.url)
    monkeypatch.setenv("ACTAE_API_KEY", server.api_key)
    with RunningProvider(tmp_path, honours_keys=honours_keys) as provider:
        await run_dialogue(
            ROOT / f"docs/guides/{page}.md",
            server,
            lambda: capsys.readouterr().out,
            bank=Bank(provider.url),
            provider=Shop(provider.url),
        )
