"""The reference pages say what the code says."""

import subprocess
import sys
from dataclasses import Field, fields
from pathlib import Path

import pytest

from actae.settings import Settings
from actae.transport.route import Route
from actae.transport.routes.all import ROUTES

ROOT = Path(__file__).parents[2]


def test_no_generated_page_is_stale() -> None:
    """`make generate` would change nothing."""
    command = [sys.executable, "tools/generate_reference.py", "--check"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.operation)
def test_every_route_is_on_the_page(route: Route) -> None:
    """With its method and its path."""
    page = (ROOT / "docs/reference/http.md").read_text()
    assert f"### {route.operation}\n\n`{route.method} {route.full_path}`\n" in page


@pytest.mark.parametrize("setting", fields(Settings), ids=lambda setting: setting.name)
def test_every_setting_is_on_the_page(setting: Field[object]) -> None:
    """By the variable that sets it."""
    page = (ROOT / "docs/reference/settings.md").read_text()
    assert f"| `ACTAE_{setting.name.upper()}` |" in page
