"""A build that does not belong to its sources is noticed, without Node."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools/console_digest.py"


def run(root: Path, *options: str) -> tuple[int, str]:
    """The tool on another tree: its exit code, and what it prints."""
    done = subprocess.run(
        [sys.executable, str(TOOL), "--root", str(root), *options], capture_output=True, text=True
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A console that was just built."""
    for name, content in {
        "console/src/app.tsx": "a\nb\n",
        "console/public/icon.svg": "<svg/>",
        "console/index.html": "<!doctype html>",
        "console/package.json": "{}",
        "console/package-lock.json": json.dumps(
            {"packages": {"": {}, "node_modules/preact": {"version": "1"}}}
        ),
        "src/actae/transport/console/static/index.html": "<!doctype html>",
        "src/actae/transport/console/static/assets/app-1.js": "1",
    }.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    assert run(tmp_path) == (0, "")
    return tmp_path


STATIC = "src/actae/transport/console/static"
STALE = "older than its sources"
FOREIGN = "not those that the last build wrote"

CHANGES: list[tuple[str, Callable[[Path], object], str]] = [
    ("nothing", lambda root: None, ""),
    ("other line ends", lambda root: (root / "console/src/app.tsx").write_bytes(b"a\r\nb\r\n"), ""),
    ("packages are installed", lambda root: (root / "console/node_modules").mkdir(), ""),
    ("a source changed", lambda root: (root / "console/src/app.tsx").write_text("a\nc\n"), STALE),
    ("a source is new", lambda root: (root / "console/src/b.css").write_text(""), STALE),
    ("a source was moved", lambda root: (root / "console/index.html").rename(root / "console/src/i"), STALE),
    ("a package is new", lambda root: (root / "console/package.json").write_text("{ }"), STALE),
    ("built by hand", lambda root: (root / STATIC / "index.html").write_text("<p>"), FOREIGN),
    ("half committed", lambda root: (root / STATIC / "assets/app-1.js").unlink(), FOREIGN),
    ("an old file stays", lambda root: (root / STATIC / "assets/app-0.js").write_text(""), FOREIGN),
    ("not built", lambda root: (root / STATIC / "digests.json").unlink(), "is not built"),
]


@pytest.mark.parametrize(
    ("change", "complaint"), [each[1:] for each in CHANGES], ids=[each[0] for each in CHANGES]
)
def test_what_does_not_fit_together_is_said(
    tree: Path, change: Callable[[Path], object], complaint: str
) -> None:
    """With what to run; and a new build settles it."""
    change(tree)
    code, printed = run(tree, "--check")
    assert code == (1 if complaint else 0)
    assert complaint in printed
    assert ("make console" in printed) == bool(complaint)
    assert run(tree) == (0, "")
    assert run(tree, "--check") == (0, "")


def test_a_lock_file_names_no_registry(tree: Path) -> None:
    """It would tie every build to one machine's."""
    lock = {"packages": {"node_modules/preact": {"resolved": "somewhere"}}}
    (tree / "console/package-lock.json").write_text(json.dumps(lock))
    run(tree)
    code, printed = run(tree, "--check")
    assert code == 1
    assert "`resolved`" in printed
