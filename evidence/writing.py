"""Puts a report where readers find it: a page for people, the same as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

PAGE: Final = "REPORT.md"
FIGURES: Final = "report.json"


def write_report(folder: Path, page: str, figures: Mapping[str, Any]) -> None:
    """Write both into a folder, which is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / PAGE).write_text(page.rstrip() + "\n", "utf-8")
    (folder / FIGURES).write_text(json.dumps(figures, ensure_ascii=False, indent=1) + "\n", "utf-8")
