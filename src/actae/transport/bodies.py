"""Decoding of bodies and queries, with limits, and with the path of a bad value."""

import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from actae.domain.errors import InvalidJsonError, InvalidRequestError
from actae.domain.json_limits import exceeds_depth
from actae.transport.allowed_values import allowed_values
from actae.transport.surrogates import decode_lone_surrogates

T = TypeVar("T")

_PATH = re.compile(r"^(?P<what>.*) - at `\$?\.?(?P<path>[^`]*)`$")
_NO_SUCH_WORD = "Invalid enum value"
_PLACE = re.compile(r"\(byte (\d+)\)")
_NO_NUMBER = re.compile(rb"-?(?:NaN|Infinity)")
_MISSING = re.compile(r"missing required field `(?P<name>[^`]+)`")


def decode_body(raw: bytes, decoder: "msgspec.json.Decoder[T]", *, depth_max: int) -> T:
    """The body as the decoder's type; opaque values stay raw.

    Raises:
        InvalidJsonError: bad syntax, bad UTF-8, NaN, or nested too deeply.
        InvalidRequestError: a value is missing or of the wrong type; `field` is its path.
    """
    if exceeds_depth(raw, depth_max):
        raise InvalidJsonError(f"The body nests deeper than {depth_max} levels.", limit=depth_max)
    try:
        decoded = decoder.decode(raw)
        if not raw.isascii():
            raw.decode()
    except msgspec.ValidationError as error:
        raise invalid_value(error, decoder.type) from None
    except UnicodeDecodeError as error:
        raise InvalidJsonError(
            f"The body is not UTF-8: byte {error.start} is {raw[error.start]:#04x}."
        ) from None
    except (msgspec.DecodeError, RecursionError) as error:
        decoded = _decode_unusual(raw, decoder, error)
    if b"\\u0000" in raw:
        _refuse_nul(decoded, "")
    return decoded


def _decode_unusual(raw: bytes, decoder: "msgspec.json.Decoder[T]", error: Exception) -> T:
    """JSON may hold half a surrogate pair; the decoder cannot, so such escapes are put aside first."""
    try:
        raw.decode()
        return decode_lone_surrogates(raw, decoder)
    except msgspec.ValidationError as invalid:
        raise invalid_value(invalid, decoder.type) from None
    except UnicodeDecodeError as bad:
        raise InvalidJsonError(f"The body is not UTF-8: byte {bad.start} is {raw[bad.start]:#04x}.") from None
    except msgspec.DecodeError:
        raise InvalidJsonError(f"The body is not JSON: {error}{_named(raw, str(error))}.") from None


def _named(raw: bytes, complaint: str) -> str:
    """What stands there, where it is one of the numbers that Python writes and JSON has not."""
    place = _PLACE.search(complaint)
    if place is None:
        return ""
    at = int(place[1])
    number = _NO_NUMBER.match(raw, max(0, at - 1)) or _NO_NUMBER.match(raw, at)  # its sign is passed
    return "" if number is None else f", which is {number[0].decode()}"


def decode_query(values: Mapping[str, str], wanted: type[T]) -> T:
    """A query string's values as the wanted type.

    Raises:
        InvalidRequestError: a value is missing, of the wrong type, or holds NUL; `field` is its name.
    """
    try:
        decoded = msgspec.convert(values, wanted, strict=False)
    except msgspec.ValidationError as error:
        raise invalid_value(error, wanted) from None
    for name, text in values.items():
        # The lenient conversion reads the word; a client that sends it has formatted an absent value.
        if text.lower() == "null" and getattr(decoded, name, text) is None:
            raise InvalidRequestError(f"{name!r} is the word {text!r}; leave it out instead.", field=name)
    _refuse_nul(decoded, "")
    return decoded


def invalid_value(error: msgspec.ValidationError, wanted: Any = None) -> InvalidRequestError:
    """The decoder's complaint, with the path of the bad value as `field`, and with the words it may be."""
    text = str(error)
    found = _PATH.match(text)
    what, path = (found["what"], found["path"]) if found else (text, "")
    missing = _MISSING.search(what)
    if missing is not None:
        path = f"{path}.{missing['name']}" if path else missing["name"]
    if not path:
        return InvalidRequestError(f"{what}.")
    words = allowed_values(wanted, path) if what.startswith(_NO_SUCH_WORD) else []
    choice = f"; it is one of {', '.join(map(repr, words))}" if words else ""
    return InvalidRequestError(f"{what}, at {path!r}{choice}.", field=path)


def _refuse_nul(value: Any, path: str) -> None:
    """Opaque JSON may hold NUL; names cannot."""
    if isinstance(value, str):
        if "\0" in value:
            raise InvalidRequestError(f"{path!r} must not hold the character NUL.", field=path)
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            _refuse_nul(getattr(value, name), f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for place, each in enumerate(value):
            _refuse_nul(each, f"{path}[{place}]")
