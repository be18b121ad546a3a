"""The operation id of a write: in its body, or in the header that gateways put it into."""

from collections.abc import Iterable
from typing import Final

from actae.domain.errors import InvalidRequestError

_HEADER: Final = b"idempotency-key"
_CHARS_MAX: Final = 256


def operation_id_of(in_body: str | None, headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """What the body says, else what `Idempotency-Key` says, else None.

    Raises:
        InvalidRequestError: the header is not 1 to 256 characters of UTF-8.
    """
    if in_body is not None:
        return in_body
    value = next((value for name, value in headers if name == _HEADER), None)
    return None if value is None else _checked(value)


def _checked(value: bytes) -> str:
    try:
        text = value.decode()
    except UnicodeDecodeError:
        text = ""
    if not 1 <= len(text) <= _CHARS_MAX:
        raise InvalidRequestError(
            f"The header Idempotency-Key must hold 1 to {_CHARS_MAX} characters of UTF-8.",
            field="operation_id",
        )
    return text
