"""The text that is recorded of an exception."""

from __future__ import annotations

import pytest

from actae_client.tools.failures import Failure, shortened


class Mute(Exception):  # noqa: N818 - it is mute
    """An exception that cannot be printed."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


def refuse() -> None:
    """A tool that fails."""
    raise ValueError("card refused")


def test_message_class_and_traceback_are_recorded() -> None:
    """What a person needs to find the place."""
    with pytest.raises(ValueError) as caught:
        refuse()
    failure = Failure.of(caught.value)
    assert (failure.message, failure.error_type) == ("card refused", "ValueError")
    assert "test_failures.py" in failure.stack


def test_an_exception_without_a_message_is_named_by_its_class() -> None:
    """The server asks for a message."""
    assert Failure.of(TimeoutError()).message == "TimeoutError"


def test_an_exception_that_cannot_be_printed_is_recorded_all_the_same() -> None:
    """The report of a failure does not fail."""
    failure = Failure.of(Mute())
    assert (failure.message, failure.error_type) == ("<Mute without a message>", "Mute")


def test_odd_characters_are_written_as_escapes() -> None:
    """Lone surrogates and NULs do not lose the record."""
    assert Failure.of(ValueError("a\x00b\ud800c")).message == "a\\x00b\\ud800c"


def test_a_huge_message_is_cut_in_its_middle() -> None:
    """Beginning and end are kept, and the cut is marked."""
    text = shortened("a" * 5_000 + "z" * 5_000, 400)
    assert len(text) == 400
    assert text.startswith("aaa")
    assert text.endswith("zzz")
    assert "9600 characters cut" in text
