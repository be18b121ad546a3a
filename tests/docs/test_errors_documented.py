"""Every error has a status, a class in the client, and a heading on the page of errors."""

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from actae.domain.errors import ActaeError
from actae.transport.error_replies import STATUSES
from actae.transport.openapi.errors import example_body
from actae_client import errors as client_errors
from actae_client._calls.refusals import error_class

PAGE = Path(__file__).parents[2] / "docs/reference/errors.md"
SECTION = re.compile(r"^### (\w+)\n\nHTTP ([\d or]+), `(\w+)`\.(.*?)(?=^##|\Z)", re.DOTALL | re.MULTILINE)
EXAMPLE = re.compile(r"^```json\n(.*?)```", re.DOTALL | re.MULTILINE)


class Section(NamedTuple):
    """What the page says under one heading; a code that has two statuses has two examples."""

    http_statuses: set[int]
    client_class: str
    examples: list[dict[str, object]]


def every_error(kind: type[ActaeError] = ActaeError) -> list[type[ActaeError]]:
    """The classes that have a code, which are those that a caller can meet."""
    below = [error for each in kind.__subclasses__() for error in every_error(each)]
    return [*([kind] if "code" in vars(kind) else []), *below]


def sections() -> dict[str, Section]:
    """The page, code by code."""
    found = {}
    for code, statuses, name, text in SECTION.findall(PAGE.read_text()):
        examples = [json.loads(example) for example in EXAMPLE.findall(text)]
        found[code] = Section({int(each) for each in statuses.split(" or ")}, name, examples)
    return found


ERRORS = pytest.mark.parametrize("error", every_error(), ids=lambda error: error.__name__)


@ERRORS
def test_every_error_has_a_status(error: type[ActaeError]) -> None:
    """In the one table that knows HTTP."""
    assert error in STATUSES


@ERRORS
def test_every_error_has_a_heading_with_its_status_and_its_class(error: type[ActaeError]) -> None:
    """Whoever meets a code finds it on the page."""
    section = sections()[error.code]
    assert STATUSES[error] in section.http_statuses
    assert section.client_class == error_class(error.code, STATUSES[error]).__name__


@ERRORS
def test_every_example_is_what_the_error_answers(error: type[ActaeError]) -> None:
    """Sentence, hint and values."""
    assert example_body(error) in sections()[error.code].examples


@ERRORS
def test_every_error_has_a_class_in_the_client(error: type[ActaeError]) -> None:
    """One of its own, or one that says what kind of refusal it is; never just an API error."""
    kind = error_class(error.code, STATUSES[error])
    assert getattr(client_errors, kind.__name__) is kind
    assert kind not in {client_errors.ActaeError, client_errors.APIError}


def test_codes_are_unique() -> None:
    """A code means one thing under one status, and is one class to the caller."""
    codes = [(error.code, STATUSES[error]) for error in every_error()]
    assert len(codes) == len(set(codes))
    assert len(codes) == sum(len(section.http_statuses) for section in sections().values())


def test_the_page_describes_no_error_that_is_gone() -> None:
    """A heading for each code, and no other."""
    headings = set(re.findall(r"^### (\w+)$", PAGE.read_text(), re.MULTILINE))
    assert headings == {error.code for error in every_error()}
