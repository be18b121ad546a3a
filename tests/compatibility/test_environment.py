"""The environment itself: the published client and nothing of ours; without a registry, a sentence."""

import os
from pathlib import Path

import pytest

from tests.compatibility.conftest import Run
from tests.compatibility.support.environment import VERSION, cache_folder, published_python
from tests.compatibility.support.programs import Interpreter


def test_it_is_the_published_client(published: Interpreter, run: Run) -> None:
    """In the pinned version, loaded from the environment."""
    surface = run("surface")
    assert surface["version"] == VERSION
    assert Path(surface["file"]).is_relative_to(published.python.parents[1])


def test_it_is_made_once(published: Interpreter) -> None:
    """Asking again gives the same one, untouched."""
    made = (published.python.parents[1] / "complete").stat().st_mtime_ns
    assert published_python() == published.python
    assert (published.python.parents[1] / "complete").stat().st_mtime_ns == made


def test_it_is_kept_where_caches_are() -> None:
    """`XDG_CACHE_HOME` is honoured."""
    assert cache_folder({"XDG_CACHE_HOME": "/somewhere"}) == Path("/somewhere/actae-tests")
    assert cache_folder({}) == Path.home() / ".cache" / "actae-tests"


def test_without_a_registry_the_tests_fail_and_say_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are never skipped, and half an environment is not taken for a whole one."""
    nowhere = {"PIP_INDEX_URL": "http://127.0.0.1:1/", "PIP_CONFIG_FILE": os.devnull, "PATH": str(tmp_path)}
    for name, value in nowhere.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("PIP_EXTRA_INDEX_URL", raising=False)
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    with pytest.raises(AssertionError, match=r"could not be installed.*They need a package registry once"):
        published_python(tmp_path)
    assert not list(tmp_path.glob("*/complete"))
