"""The key of an effect, from the arguments of its call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actae_client._types.json import Json

KEY_BYTES_MAX = 512

Key = str | Callable[..., str]
"""A template such as `refund:{ticket}`, filled with the parameters, or a function of the arguments."""

Question = Key
"""What a person is asked about a call: `Refund {cents} cents for {ticket}?`, or a function."""


def key_of_call(key: Key, args: tuple[Any, ...], kwargs: dict[str, Any], params: Json) -> str:
    """The key of one call.

    Raises ValueError for a template that the parameters do not fill, and for a key that is empty or
    longer than 512 bytes of UTF-8.
    """
    made = key(*args, **kwargs) if callable(key) else _filled("key", key, params)
    if not isinstance(made, str):
        raise ValueError(f"the key of an effect must be a str, not {type(made).__name__}")  # noqa: TRY004 - part of the contract
    if not made:
        raise ValueError("the key of an effect must not be empty")
    size = len(made.encode("utf-8", "surrogatepass"))
    if size > KEY_BYTES_MAX:
        raise ValueError(f"the key of an effect has {size} bytes; the most is {KEY_BYTES_MAX}")
    return made


def question_of_call(
    what: str, question: Question, args: tuple[Any, ...], kwargs: dict[str, Any], params: Json
) -> str:
    """What a person is asked about one call. Raises ValueError for a template that is not filled."""
    return question(*args, **kwargs) if callable(question) else _filled(what, question, params)


def _filled(what: str, template: str, params: Json) -> str:
    try:
        return template.format(**params) if isinstance(params, dict) else template.format()
    except (LookupError, AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"the parameters do not fill the {what} {template!r}: {error!r}") from error
