"""The page of metrics and the dashboard name what a server really exposes."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.server import RunningServer

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/metrics.md").read_text()
DASHBOARD = json.loads((ROOT / "docs/grafana/actae.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]

_GIVEN_BY_PROMETHEUS = {"job", "instance"}


@pytest.fixture(scope="module")
def exposed(server: RunningServer) -> dict[str, set[str]]:
    """The labels of every series that the server exposes, by its name."""
    text = server.request("GET", "/metrics", api_key=None).body.decode()
    series = re.findall(r"^(\w+)(?:\{(.*)\})? ", text, re.MULTILINE)
    found: dict[str, set[str]] = {}
    for name, labels in series:
        found.setdefault(name, set()).update(re.findall(r"(\w+)=", labels))
    return found


def test_the_page_lists_every_metric_that_is_exposed(server: RunningServer) -> None:
    """With its kind and its meaning, and no other."""
    text = server.request("GET", "/metrics", api_key=None).body.decode()
    kinds = dict(re.findall(r"^# TYPE (\S+) (\w+)$", text, re.MULTILINE))
    meanings = dict(re.findall(r"^# HELP (\S+) (.+)$", text, re.MULTILINE))
    listed = re.findall(r"^\| `(actae_\w+)` \| (\w+) \| [^|]*\| (.+) \|$", PAGE, re.MULTILINE)
    assert {(name, kind, meaning) for name, kind, meaning in listed} == {
        (name, kinds[name], meanings[name]) for name in kinds
    }


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel["title"])
def test_a_panel_asks_for_what_is_exposed(panel: dict[str, Any], exposed: dict[str, set[str]]) -> None:
    """Each metric by its name, and by labels that it has."""
    assert panel["targets"], "a panel shows something"
    for target in panel["targets"]:
        asked = re.findall(r"(actae_\w+)\{([^}]*)\}", target["expr"])
        assert {name for name, _ in asked} == set(re.findall(r"actae_\w+", target["expr"])) != set()
        shown = re.findall(r"by \((\w+)\)", target["expr"]) + re.findall(r"\{\{(\w+)", target["legendFormat"])
        for name, filters in asked:
            assert name in exposed
            labels = {*re.findall(r"(\w+)=", filters), *shown}
            assert labels <= exposed[name] | _GIVEN_BY_PROMETHEUS


def test_the_dashboard_can_be_imported_anywhere() -> None:
    """It asks for its data source and its servers; no panel covers another."""
    variables = {each["name"]: each for each in DASHBOARD["templating"]["list"]}
    assert variables["datasource"]["type"] == "datasource"
    assert "label_values(actae_info" in variables["instance"]["definition"]
    sources = [each["datasource"]["uid"] for panel in PANELS for each in (panel, *panel["targets"])]
    assert set(sources) == {"${datasource}"}
    identities = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(identities)) == len(identities)
    cells = [
        (grid["x"] + right, grid["y"] + down)
        for grid in (panel["gridPos"] for panel in DASHBOARD["panels"])
        for right in range(grid["w"])
        for down in range(grid["h"])
    ]
    assert len(set(cells)) == len(cells)
    assert all(across < 24 for across, _ in cells)
