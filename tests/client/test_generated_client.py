"""The tool that writes the blocking client."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "generate_sync.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """The tool as a module."""
    spec = importlib.util.spec_from_file_location("generate_sync", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_nothing_generated_is_stale() -> None:
    """Whoever changes `_async` runs the tool before the commit."""
    check = subprocess.run([sys.executable, TOOL, "--check"], capture_output=True, text=True, check=False)
    assert (check.returncode, check.stdout) == (0, "")


@pytest.mark.parametrize(
    ("source", "twin"),
    [
        ("async def f():\n    await g()\n", "def f():\n    g()\n"),
        ("async with a as b:\n    pass\n", "with a as b:\n    pass\n"),
        ("x = [i async for i in y]\n", "x = [i for i in y]\n"),
        ("def f() -> Coroutine[Any, Any, list[T]]: ...\n", "def f() -> list[T]: ...\n"),
        ("from a._async.b import ActaeClient\n", "from a._sync.b import SyncActaeClient\n"),
        ("# await async\nx = 'await'\n", "# await async\nx = 'await'\n"),
    ],
)
def test_what_the_tool_rewrites(tool: ModuleType, source: str, twin: str) -> None:
    """Tokens, and never the inside of text."""
    assert tool.to_sync(source) == twin
