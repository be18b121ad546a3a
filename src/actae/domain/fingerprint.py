"""Which calls are the same call: digests over canonical JSON.

Without `dedup_fields`, a claim is its tool and all of its params. With them, it is its tool and what each
named top-level field holds, null where it is absent; everything else in the params may change.

The names themselves count, in any order and however often. A field that the first caller did not name was
not looked at, so a second caller who names it cannot be told that it agrees. For the same reason a claim with
`dedup_fields` never agrees with one without.

Fingerprints are kept as long as their channel. A change to a rule here or in `canonical_json` would turn each
stored one into a mismatch; the labels below carry a version for that day.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import ClassVar, TypeAlias, TypedDict

from actae.domain.canonical_json import JsonValue, canonical, read, write

ClaimInput: TypeAlias = tuple[str, bytes | None, Sequence[str] | None]
"""What a fingerprint is made of: the tool's name, params as JSON text, `dedup_fields`."""

_ALL_PARAMS, _NAMED_FIELDS, _CONTENT = b"params/1", b"fields/1", b"content/1"
_SHORT_DIGEST, _SHORT_DIGEST_HEX_CHARS = b"short/1", 16
_NULL = b"null"


class FingerprintRefusal(ValueError):  # noqa: N818 - named for the decision, as Refused is
    """The claim has no fingerprint. The message says why; `field` is the part of the request at fault."""

    field: ClassVar[str] = "dedup_fields"

    def worded(self, list_name: str) -> str:
        """The message, for a request whose list of fields has this name."""
        return str(self).replace(FingerprintRefusal.field, list_name, 1)


class ParamsNotAnObject(FingerprintRefusal):
    """`dedup_fields` names top-level fields, and these params have none."""

    field = "params"

    def __init__(self) -> None:
        super().__init__("dedup_fields names top-level fields of params, but params is not an object.")


class DedupFieldsEmpty(FingerprintRefusal):
    """A fingerprint over no field would agree with every call of the tool."""

    def __init__(self) -> None:
        super().__init__("dedup_fields is empty. Name a field, or leave it out to compare all of params.")


class DedupFieldsAbsent(FingerprintRefusal):
    """Null and absent agree, so names that find nothing else would agree with every call that lacks them."""

    def __init__(self, names: Iterable[str]) -> None:
        listed = ", ".join(map(repr, names))
        super().__init__(f"dedup_fields names only fields that params lacks or holds as null: {listed}.")


class FieldDifference(TypedDict):
    """One part in which two claims differ, and a short digest of each side; None where a side lacks it.

    `field` is `tool_name`, `dedup_fields`, `params` (one that is not an object), or `params.` and a name.
    """

    field: str
    held_digest: str | None
    asked_digest: str | None


def fingerprint(tool_name: str, params: bytes | None, dedup_fields: Sequence[str] | None) -> bytes:
    """The 32 bytes that say whether two claims are the same call. Absent params equal null.

    Raises FingerprintRefusal where `dedup_fields` selects nothing, and as `canonical` does.
    """
    if dedup_fields is None:
        return _digest(_ALL_PARAMS, _utf8(tool_name), canonical(_NULL if params is None else params))
    return _digest(_NAMED_FIELDS, _utf8(tool_name), write(_named_fields(params, dedup_fields)))


def content_digest(*parts: bytes | str | None) -> bytes:
    """The 32 bytes that say whether an operation id is used for the same content again.

    Bytes are JSON text and count by value; a str counts as it is; None is a part that is not there. Different
    sequences of parts never agree. Raises as `canonical` does.
    """
    return _digest(_CONTENT, *map(_marked, parts))


def field_digests(params: bytes | None, dedup_fields: Sequence[str] | None) -> dict[str, str]:
    """A short digest, 16 hex digits, of each top-level field that takes part in the fingerprint.

    The keys are `params.` and the name; a single `params` where that is not an object. Raises as
    `fingerprint` does.
    """
    value = _read(params) if dedup_fields is None else _named_fields(params, dedup_fields)
    if isinstance(value, dict):
        return {f"params.{name}": _short_digest(write(member)) for name, member in value.items()}
    return {"params": _short_digest(write(value))}


def differing_fields(held: ClaimInput, asked: ClaimInput) -> list[FieldDifference]:
    """Where two claims differ, without saying what they hold there; empty exactly if they are the same call.

    Of claims with different `dedup_fields`, only what takes part in both is compared. Raises as `fingerprint`
    does.
    """
    held_digests, asked_digests = _digests_of(held), _digests_of(asked)
    compared = held_digests.keys() | asked_digests.keys()
    if held_digests.get("dedup_fields") != asked_digests.get("dedup_fields"):
        compared = (held_digests.keys() & asked_digests.keys()) | {"dedup_fields"}
    return [
        FieldDifference(
            field=_encodable(part), held_digest=held_digests.get(part), asked_digest=asked_digests.get(part)
        )
        for part in sorted(compared)
        if held_digests.get(part) != asked_digests.get(part)
    ]


def _digests_of(claim: ClaimInput) -> dict[str, str]:
    tool_name, params, dedup_fields = claim
    digests = {"tool_name": _short_digest(_utf8(tool_name)), **field_digests(params, dedup_fields)}
    if dedup_fields is not None:
        digests["dedup_fields"] = _short_digest(*map(_utf8, sorted(set(dedup_fields))))
    return digests


def _named_fields(params: bytes | None, dedup_fields: Sequence[str]) -> dict[str, JsonValue]:
    members = _read(params)
    if not isinstance(members, dict):
        raise ParamsNotAnObject
    if not dedup_fields:
        raise DedupFieldsEmpty
    named = {name: members.get(name) for name in dedup_fields}
    if all(member is None for member in named.values()):
        raise DedupFieldsAbsent(named)
    return named


def _read(params: bytes | None) -> JsonValue:
    return None if params is None else read(params)


def _marked(part: bytes | str | None) -> bytes:
    if part is None:
        return b"-"
    return b"=" + _utf8(part) if isinstance(part, str) else b"#" + canonical(part)


def _short_digest(*parts: bytes) -> str:
    return _digest(_SHORT_DIGEST, *parts).hex()[:_SHORT_DIGEST_HEX_CHARS]


def _digest(*parts: bytes) -> bytes:
    """Each part goes in behind its length, so that no part can pass for the end of another."""
    return sha256(b"".join([len(part).to_bytes(8, "big") + part for part in parts])).digest()


def _utf8(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


def _encodable(text: str) -> str:
    """The text with lone surrogates spelled out: an answer has to be valid UTF-8."""
    return text.encode(errors="backslashreplace").decode()
