"""Fingerprints: which claims are the same call, and what a caller learns where they are not."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actae.domain.fingerprint import (
    DedupFieldsAbsent,
    DedupFieldsEmpty,
    FingerprintRefusal,
    ParamsNotAnObject,
    content_digest,
    differing_fields,
    field_digests,
    fingerprint,
)

Pair = tuple[str, bytes | None, bytes | None, list[str] | None, bool]

PAIRS: list[Pair] = [
    # Params as a whole.
    ("the same bytes", b'{"a":1}', b'{"a":1}', None, True),
    ("another value", b'{"a":1}', b'{"a":2}', None, False),
    ("another name", b'{"a":1}', b'{"b":1}', None, False),
    ("one field more", b'{"a":1}', b'{"a":1,"b":2}', None, False),
    ("keys in another order", b'{"a":1,"b":2}', b'{"b":2,"a":1}', None, True),
    ("keys in another order, deep", b'[{"a":{"c":1,"b":2}}]', b'[{"a":{"b":2,"c":1}}]', None, True),
    ("items in another order", b"[1,2]", b"[2,1]", None, False),
    ("white space", b'{"a":[1,2]}', b' { "a" : [ 1,\n2 ] } ', None, True),
    ("white space in a string", b'{"a":"x y"}', b'{"a":"x  y"}', None, False),
    ("a repeated key, the same last", b'{"a":1,"a":2}', b'{"a":2}', None, True),
    ("absent and null", None, b"null", None, True),
    ("absent and an empty object", None, b"{}", None, False),
    ("an empty object and an empty array", b"{}", b"[]", None, False),
    ("a null field and no field", b'{"a":1,"b":null}', b'{"a":1}', None, False),
    ("a null in a list", b"[1,null]", b"[1]", None, False),
    ("the field named nothing, and no object", b'{"":null}', b"null", None, False),
    ("nested in an array", b'{"a":1}', b'[{"a":1}]', None, False),
    # Numbers.
    ("1 and 1.0", b'{"a":1}', b'{"a":1.0}', None, True),
    ("1 and 1e0", b'{"a":1}', b'{"a":1e0}', None, True),
    ("1 and 10e-1", b'{"a":1}', b'{"a":10e-1}', None, True),
    ("1 and true", b'{"a":1}', b'{"a":true}', None, False),
    ("1 and its text", b'{"a":1}', b'{"a":"1"}', None, False),
    ("0 and null", b'{"a":0}', b'{"a":null}', None, False),
    ("0 and -0.0", b'{"a":0}', b'{"a":-0.0}', None, True),
    ("-0 and 0e9", b'{"a":-0}', b'{"a":0e9}', None, True),
    ("1 and -1", b'{"a":1}', b'{"a":-1}', None, False),
    ("1e-07 and 0.0000001", b"1e-07", b"0.0000001", None, True),
    ("2**53 and the next integer", b"9007199254740992", b"9007199254740993", None, False),
    ("past 64 bits, with a point", b"18446744073709551617", b"18446744073709551617.0", None, True),
    ("past 64 bits, one apart", b"18446744073709551616", b"18446744073709551617", None, False),
    ("a hundred digits, one apart", b"1" * 99 + b"2", b"1" * 100, None, False),
    ("a googol, in digits", b"1" + b"0" * 100, b"1e100", None, True),
    ("0.1 and the double nearest to it", b"0.1", b"0.1000000000000000055511151231257827", None, False),
    ("too large for a double", b"1e400", b"10e399", None, True),
    ("two numbers too large for a double", b"1e400", b"1e401", None, False),
    ("too small for a double, and 0", b"1e-400", b"0", None, False),
    ("far beyond anything", b"1e1000000000", b"0.1e1000000001", None, True),
    # Strings.
    ("an escaped letter", b'"A"', b'"\\u0041"', None, True),
    ("an escaped slash", b'"\\/"', b'"/"', None, True),
    ("escapes in either case", b'"\\u00e9"', b'"\\u00E9"', None, True),
    ("escaped and in UTF-8", b'"\\u00e9"', '"é"'.encode(), None, True),
    ("an escaped key", b'{"\\u0061":1}', b'{"a":1}', None, True),
    ("composed and decomposed", '"\u00e9"'.encode(), '"e\u0301"'.encode(), None, False),
    ("compatibility forms", '"\ufb01"'.encode(), b'"fi"', None, False),
    ("upper and lower case", b'"A"', b'"a"', None, False),
    ("astral, as a pair of escapes", '"😀"'.encode(), b'"\\ud83d\\ude00"', None, True),
    ("a lone surrogate, in either case", b'"\\ud800"', b'"\\uD800"', None, True),
    ("two lone surrogates", b'"\\ud800"', b'"\\ud801"', None, False),
    ("a lone surrogate and its spelling", b'"\\ud800"', b'"\\\\ud800"', None, False),
    ("a lone surrogate and a replacement character", b'"\\ud800"', b'"\\ufffd"', None, False),
    ("numbers beside a lone surrogate", b'["\\ud800",1.0,1e50]', b'["\\ud800",1,10e49]', None, True),
    ("NUL and nothing", b'"a\\u0000"', b'"a"', None, False),
    ("a string that looks like what follows", b'["a\\",\\"b"]', b'["a","b"]', None, False),
    # Named fields.
    ("an unnamed field changes", b'{"id":7,"at":1}', b'{"id":7,"at":2}', ["id"], True),
    ("an unnamed field goes", b'{"id":7,"at":1}', b'{"id":7}', ["id"], True),
    ("an unnamed field is odd", b'{"id":7,"x":"\\ud800"}', b'{"id":7.0}', ["id"], True),
    ("a named field changes", b'{"id":7,"at":1}', b'{"id":8,"at":1}', ["id"], False),
    ("a named field is respelled", b'{"id":7e0}', b'{"\\u0069d":7}', ["id"], True),
    ("a named field is null or absent", b'{"a":1,"b":null}', b'{"a":1}', ["a", "b"], True),
    ("a named field is null or empty", b'{"a":1,"b":null}', b'{"a":1,"b":""}', ["a", "b"], False),
    ("null below a named field", b'{"a":{"b":null}}', b'{"a":{}}', ["a"], False),
    ("two named fields swap values", b'{"a":1,"b":2}', b'{"a":2,"b":1}', ["a", "b"], False),
    ("a name with a dot is no path", b'{"a.b":1,"a":{"b":1}}', b'{"a.b":1,"a":{"b":2}}', ["a.b"], True),
    ("the field named nothing", b'{"":1,"a":1}', b'{"":1,"a":2}', [""], True),
]  # fmt: skip


@pytest.mark.parametrize(
    ("a", "b", "names", "agree"), [row[1:] for row in PAIRS], ids=[row[0] for row in PAIRS]
)
def test_two_calls_agree_or_not(
    a: bytes | None, b: bytes | None, names: list[str] | None, agree: bool
) -> None:
    """The table of what is the same call, and a mismatch always names a part that differs."""
    assert (fingerprint("tool", a, names) == fingerprint("tool", b, names)) == agree
    assert (differing_fields(("tool", a, names), ("tool", b, names)) == []) == agree


def test_every_row_of_the_table_has_its_own_name() -> None:
    """A failing row can be found by its name."""
    names = [row[0] for row in PAIRS]
    assert len(set(names)) == len(names) >= 30


def test_a_stored_fingerprint_is_found_again_after_an_upgrade() -> None:
    """These bytes lie in databases: a change here turns every stored claim into a mismatch."""
    params = b'{"order_id":"4471","amount_cents":4200}'
    assert (
        fingerprint("refund", params, None).hex()
        == "d8e554050632c686da7dceb562e15c60f32ea056c1f383e51f62a49c91f9f0b1"
    )
    assert (
        fingerprint("refund", params, ["order_id"]).hex()
        == "353110ec913946a2cf3e05f5c231e85bb06cb66518247881f8bebf02a6dace02"
    )
    assert (
        content_digest("note", params, None).hex()
        == "04f01e649a4d1603095cc7fb423d5c34b75fbcf1210ae17e9c28a3b0b76bc0f4"
    )


@pytest.mark.parametrize(
    ("some", "other", "agree"),
    [
        (["a", "b"], ["b", "a"], True),
        (["a", "b"], ["a", "b", "a"], True),
        (["a"], ["b"], False),
        (["a"], ["a", "b"], False),
        (["a"], ["a", "absent"], False),
        (["a", "b"], None, False),
    ],
)
def test_which_fields_are_named_counts_but_not_how(
    some: list[str], other: list[str] | None, agree: bool
) -> None:
    """Order and repetition do not matter; a field that only one side compared does."""
    params = b'{"a":1,"b":1}'
    assert (fingerprint("tool", params, some) == fingerprint("tool", params, other)) == agree
    assert (differing_fields(("tool", params, some), ("tool", params, other)) == []) == agree


def test_tool_and_params_cannot_pass_for_one_another() -> None:
    """What stands at the end of one is not taken for the beginning of the other."""
    claims: list[tuple[str, bytes | None, Sequence[str] | None]] = [
        ("ab", b'"c"', None), ("a", b'"bc"', None), ('ab"c"', b"null", None), ('ab"c"', b'""', None),
        ("", b'"ab"', None), ('"ab"', None, None), ("a", b'{"a":1}', None), ("a", b'{"a":1}', ["a"]),
    ]  # fmt: skip
    assert len({fingerprint(*claim) for claim in claims}) == len(claims)


@pytest.mark.parametrize(
    ("params", "names", "refusal", "field"),
    [
        (None, ["a"], ParamsNotAnObject, "params"),
        (b"null", ["a"], ParamsNotAnObject, "params"),
        (b'["a"]', ["a"], ParamsNotAnObject, "params"),
        (b'"a"', ["a"], ParamsNotAnObject, "params"),
        (b'{"a":1}', [], DedupFieldsEmpty, "dedup_fields"),
        (b"{}", ["a"], DedupFieldsAbsent, "dedup_fields"),
        (b'{"order_id":1}', ["orderid", "order"], DedupFieldsAbsent, "dedup_fields"),
        (b'{"a":null}', ["a"], DedupFieldsAbsent, "dedup_fields"),
        (b'{"a":{"b":1}}', ["a.b", "b"], DedupFieldsAbsent, "dedup_fields"),
    ],
)
def test_a_fingerprint_over_nothing_is_refused(
    params: bytes | None, names: list[str], refusal: type[FingerprintRefusal], field: str
) -> None:
    """It would match every call; the refusal names the part of the request at fault."""
    with pytest.raises(refusal) as caught:
        fingerprint("tool", params, names)
    assert caught.value.field == field


def test_a_refusal_repeats_the_names_that_were_not_found() -> None:
    """Who misspelt a field sees the spelling."""
    with pytest.raises(DedupFieldsAbsent, match="'orderid'"):
        fingerprint("tool", b'{"order_id":1}', ["orderid"])


def test_a_mismatch_names_the_fields_and_not_the_values() -> None:
    """Tool, changed, missing and added fields are listed in order, each with both digests."""
    held = ("refund", b'{"id":"secret-1","gone":1,"same":[1.0]}', None)
    asked = ("void", b'{"same":[1],"id":"secret-2","new":1}', None)
    differences = differing_fields(held, asked)
    assert [difference["field"] for difference in differences] == [
        "params.gone", "params.id", "params.new", "tool_name",
    ]  # fmt: skip
    gone, changed, new, _tool = differences
    assert gone["asked_digest"] is None
    assert new["held_digest"] is None
    assert changed["held_digest"] == field_digests(held[1], None)["params.id"]
    assert changed["asked_digest"] == field_digests(asked[1], None)["params.id"]
    assert "secret" not in json.dumps(differences)


def test_only_named_fields_are_said_to_differ() -> None:
    """A volatile field is no reason for a mismatch, so it is not given as one."""
    held = ("tool", b'{"id":1,"at":1}', ["id"])
    asked = ("tool", b'{"id":2,"at":2}', ["id"])
    assert [difference["field"] for difference in differing_fields(held, asked)] == ["params.id"]


@pytest.mark.parametrize("asked_names", [None, ["id", "at"], ["id", "absent"]])
def test_other_dedup_fields_are_themselves_the_difference(asked_names: list[str] | None) -> None:
    """Fields that only one side compared are not held against the other."""
    held, asked = ("tool", b'{"id":1,"at":1}', ["id"]), ("tool", b'{"id":1,"at":2}', asked_names)
    assert [difference["field"] for difference in differing_fields(held, asked)] == ["dedup_fields"]


def test_params_that_are_no_object_differ_as_a_whole() -> None:
    """There is no field to name."""
    differences = differing_fields(("tool", b"[1]", None), ("tool", b'{"a":1}', None))
    assert [difference["field"] for difference in differences] == ["params", "params.a"]


def test_a_name_that_utf8_cannot_hold_can_still_be_answered() -> None:
    """A lone surrogate in a name is spelled out."""
    differences = differing_fields(("tool", b'{"\\ud800":1}', None), ("tool", b"{}", None))
    assert [difference["field"] for difference in differences] == ["params.\\ud800"]


def test_the_same_value_under_another_name_has_another_digest() -> None:
    """A digest says whether one field changed, not whether two fields hold the same."""
    digests = field_digests(b'{"a":1,"b":1}', None)
    assert digests.keys() == {"params.a", "params.b"}
    assert all(len(digest) == 16 for digest in digests.values())


def test_content_counts_json_by_value_and_text_as_it_is() -> None:
    """An operation id may be sent again with keys in another order, not with another event type."""
    first = content_digest("note", b'{"a":1,"b":2}', None)
    assert content_digest("note", b'{"b":2.0, "a":1}', None) == first
    assert content_digest("Note", b'{"a":1,"b":2}', None) != first


def test_different_parts_of_content_never_agree() -> None:
    """Absent, empty, text and JSON are four things, and parts do not run into each other."""
    contents: list[tuple[bytes | str | None, ...]] = [
        (), (None,), (None, None), ("",), ("-",), (b'""',), ('""',), ("null",), (b"null",), ("1",), (b"1",),
        ("a", "b"), ("ab",), ("a", "b", None), ("a", None, "b"), ("", "ab"), ("#1",), ("=",),
    ]  # fmt: skip
    assert len({content_digest(*parts) for parts in contents}) == len(contents)


SCALARS = st.none() | st.booleans() | st.integers(-1, 1) | st.sampled_from(["", "a", "1", "null"])
PARAMS = SCALARS | st.lists(SCALARS, max_size=2) | st.dictionaries(st.sampled_from(["", "a", "b"]), SCALARS)
NAMES = st.none() | st.lists(st.sampled_from(["", "a", "b"]), max_size=3)
CLAIMS = st.tuples(st.sampled_from(["t", "u"]), PARAMS.map(lambda value: json.dumps(value).encode()), NAMES)


@given(CLAIMS, CLAIMS)
def test_claims_agree_exactly_if_what_they_compare_is_equal(some: Any, other: Any) -> None:
    """The rule, spelled out anew over plain values; and a mismatch is explained, an agreement is not."""
    if _compared(some) is None or _compared(other) is None:
        for claim in (some, other):
            _assert_refused_if_nothing_is_compared(claim)
        return
    agree = _compared(some) == _compared(other)
    assert (fingerprint(*some) == fingerprint(*other)) == agree
    assert (differing_fields(some, other) == []) == agree


def _compared(claim: Any) -> str | None:
    """What takes part, as text that tells 1 from true; None where that is nothing."""
    tool_name, raw, names = claim
    params = json.loads(raw)
    if names is None:
        return json.dumps([tool_name, "whole", params], sort_keys=True)
    if not isinstance(params, dict) or all(params.get(name) is None for name in names):
        return None
    return json.dumps([tool_name, "named", {name: params.get(name) for name in names}], sort_keys=True)


def _assert_refused_if_nothing_is_compared(claim: Any) -> None:
    if _compared(claim) is None:
        with pytest.raises(FingerprintRefusal):
            fingerprint(*claim)
