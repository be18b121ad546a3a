"""The page about the Python client and the client agree."""

import inspect
import re

import pytest

import actae_client
from actae_client import ActaeClient
from actae_client.client import Capabilities
from tests.support.pages import ROOT

PAGE = (ROOT / "docs/reference/client.md").read_text()
ERRORS = (ROOT / "docs/reference/errors.md").read_text()
SHOWN = dict(re.findall(r"`(\w+)\(([^`]*)\)`", PAGE.partition("## Methods")[2].partition("## Runs")[0]))
METHODS = [name for name, each in inspect.getmembers(ActaeClient, callable) if not name.startswith("_")]


def arguments_of(name: str) -> str:
    """The arguments of a method as the page writes them: names, defaults and stars."""
    signature = inspect.signature(getattr(ActaeClient, name, None) or getattr(Capabilities, name))
    plain = [each.replace(annotation=inspect.Parameter.empty) for each in signature.parameters.values()]
    text = str(signature.replace(parameters=plain[1:], return_annotation=inspect.Signature.empty))
    return text[1:-1].replace("'", '"')


@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_on_the_page(name: str) -> None:
    """Whoever looks for what the client can do finds all of it."""
    assert re.search(rf"`\.?{name}\b", PAGE)


@pytest.mark.parametrize("name", SHOWN)
def test_every_method_shown_takes_these_arguments(name: str) -> None:
    """In this order, with these defaults; `…` stands for some that are explained elsewhere."""
    shown = re.escape(SHOWN[name]).replace("…", ".*")
    assert re.fullmatch(shown, arguments_of(name)), f"{name}({arguments_of(name)})"


@pytest.mark.parametrize("name", actae_client.__all__)
def test_every_public_name_is_explained(name: str) -> None:
    """On the page of the client or on that of the errors."""
    assert re.search(rf"\b{name}\b", PAGE + ERRORS)
