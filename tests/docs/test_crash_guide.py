"""What the guide about crash tests shows is so."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import environment
from tests.support.pages import ROOT, Block, blocks

GUIDE = ROOT / "docs/guides/crash-test-your-agent.md"
FIRST, MENDED = [block for block in blocks(GUIDE, "python") if block.file_name == "agent.py"]
(PYTEST,) = [block for block in blocks(GUIDE, "python") if block.file_name == "test_agent.py"]
FINDING_OUT, PROVING = blocks(GUIDE, "console")


def save(folder: Path, block: Block) -> None:
    assert block.file_name is not None, "the page says under which name"
    (folder / block.file_name).write_text(block.text)


def run(folder: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    """In the reader's folder, with the reader's `python`."""
    ours = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command, cwd=folder, env=environment(PATH=ours), capture_output=True, text=True, check=False
    )


def check(folder: Path, block: Block, *, exit_code: int) -> None:
    """Type the command, and compare; an ellipsis stands for the rest of its line."""
    command, _, shown = block.text.removeprefix("$ ").partition("\n")
    ended = run(folder, *command.split())
    assert ended.returncode == exit_code, ended.stderr
    pattern = re.escape(shown).replace("…", ".*")
    assert re.fullmatch(pattern, ended.stdout), f"{block} shows something else:\n{ended.stdout}"


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_first_agent_is_found_out(tmp_path: Path) -> None:
    """At each of its boundaries, and with the table that the page shows."""
    save(tmp_path, FIRST)
    check(tmp_path, FINDING_OUT, exit_code=3)


def test_the_mended_agent_is_proven(tmp_path: Path) -> None:
    """At the boundary that the first one fails at."""
    save(tmp_path, MENDED)
    check(tmp_path, PROVING, exit_code=0)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_test_of_the_guide_passes(tmp_path: Path) -> None:
    """With the mended agent beside it."""
    save(tmp_path, PYTEST)
    save(tmp_path, MENDED)
    options = ("-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist")
    ended = run(tmp_path, sys.executable, "-m", "pytest", *options)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "1 passed" in ended.stdout
