"""The key of an effect, from the arguments of its call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Any

from actae_client._types.json import Json

KEY_BYTES_MAX = 512

Key = str | Callable[..., str]
"""A template such as `refund:{ticket}`, filled with the parameters, or a function of the arguments."""

Question = Key
"""What a person is asked about a call: `Refund {cents} cents for {ticket}?`, or a function."""


def key_of_call(key: Key, args: tuple[Any, ...], kwargs: dict[str, Any], params: Json) -> str:
    """The key of one call.

    Raises ValueError for a template that the parameters do not fill, be it that one is None or empty, and
    for a key that is empty or longer than 512 bytes of UTF-8.
    """
    made = key(*args, **kwargs) if callable(key) else _filled("key", key, params, _Identities())
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


class _MissingPartError(ValueError):
    """A part of a key that identifies nothing."""


class _Identities(Formatter):
    """Fills a key. What is missing would give all calls without it one key, and one result."""

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        value, first = super().get_field(field_name, args, kwargs)
        if value is None or value == "":
            said = "None" if value is None else "empty"
            raise _MissingPartError(
                f"{field_name!r} is {said}, and is part of the key: calls without it would be taken for one "
                "and the same. If that is meant, make the key with a function"
            )
        return value, first


def _filled(what: str, template: str, params: Json, formatter: Formatter | None = None) -> str:
    values = params if isinstance(params, dict) else {}
    try:
        return (formatter or Formatter()).vformat(template, (), values)
    except _MissingPartError:
        raise
    except (LookupError, AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"the parameters do not fill the {what} {template!r}: {error!r}") from error
