"""The depth limit: right for every text, well-formed or not, and cheap for hostile ones."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from actae.domain.json_limits import exceeds_depth

MEBIBYTE = 1 << 20

DEPTHS = [
    ("a bare number", b"1", 0),
    ("an empty text", b"", 0),
    ("a flat array", b"[1,2]", 1),
    ("a flat object", b'{"a":1}', 1),
    ("arrays and objects count alike", b'[{"a":[{}]}]', 4),
    ("neighbours do not add up", b"[[],[],{},[[]]]", 3),
    ("white space is nothing", b"[ [\n[ ] ] ]", 3),
    ("brackets in a string", b'["[[[[", "{{{{"]', 1),
    ("brackets in a key", b'{"[[[[":1}', 1),
    ("a string after an escaped quote", b'["\\"[[[[", []]', 2),
    ("a string that ends in a backslash", b'["\\\\",[["[[["]]]', 3),
    ("a backslash, then an escaped quote", b'["\\\\\\"[[[["]', 1),
    ("an escaped letter before the end", b'["\\n",[]]', 2),
    ("empty strings around brackets", b'["",[""],"",""]', 2),
    ("a string that is not closed", b'[["[[[[', 2),
    ("arrays that are not closed", b"[[[", 3),
    ("closed more often than opened", b"[]]]]]]", 1),
    ("closed by the wrong bracket", b"[{]}", 2),
    ("not UTF-8", b'[["\xff[\xfe"]]', 2),
]


@pytest.mark.parametrize(("text", "depth"), [row[1:] for row in DEPTHS], ids=[row[0] for row in DEPTHS])
def test_a_text_is_refused_exactly_past_its_depth(text: bytes, depth: int) -> None:
    """A limit equal to the depth lets the text pass; one less does not."""
    assert not exceeds_depth(text, depth)
    assert depth == 0 or exceeds_depth(text, depth - 1)


@given(st.text(alphabet='[]{}"\\n', max_size=60).map(str.encode), st.integers(0, 8))
@example(b'"\\\\"[', 0)
def test_any_garbage_gets_the_answer_of_a_plain_scan(text: bytes, limit: int) -> None:
    """Byte by byte, with a flag and a counter, the same depth comes out."""
    assert exceeds_depth(text, limit) == (_depth_by_scan(text) > limit)


@given(st.integers(0, 12), st.text(alphabet='[]{}"', max_size=40).map(str.encode), st.integers(1, 8))
def test_a_text_longer_than_a_block_keeps_its_place(gap: int, text: bytes, limit: int) -> None:
    """Strings and levels that lie across the edge of a block are still open behind it."""
    nearly_a_block = b"[]" * (65_536 // 2 - gap)
    assert exceeds_depth(nearly_a_block + text, limit) == (_depth_by_scan(text) > limit)


HOSTILE = [
    ("eight million openings", b"[" * (8 * MEBIBYTE), True),
    ("a million closed arrays", b"[" + b"[[1],[]]," * 500_000 + b"0]", False),
    ("a comb of deep teeth", b"[" + (b"[" * 99 + b"]" * 99 + b",") * 50_000 + b"0]", False),
    ("one tooth too long", b"[" + (b"[" * 99 + b"]" * 99 + b",") * 50_000 + b"[" * 100 + b"]" * 101, True),
    ("strings full of brackets", b"[" + b'"[[[","{",' * 1_000_000 + b"0]", False),
    ("quotes and openings in turn", b'"[' * (8 * MEBIBYTE), True),
    ("escaped quotes", b'["' + b'\\"[' * (5 * MEBIBYTE) + b'"]', False),
    ("backslashes", b'["' + b"\\\\" * (8 * MEBIBYTE) + b"[" * 200 + b'"]', False),
    ("quotes", b"[[]]" * 50 + b'"' * (16 * MEBIBYTE), False),
]


@pytest.mark.parametrize(("text", "is_deep"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
def test_sixteen_hostile_mebibytes_are_judged(text: bytes, is_deep: bool) -> None:
    """Texts made to be slow get their answer too; whatever is quadratic never ends here."""
    assert exceeds_depth(text, 100) == is_deep


def _depth_by_scan(text: bytes) -> int:
    depth = deepest = 0
    in_string = is_escaped = False
    for position, byte in enumerate(text):
        following = text[position + 1 : position + 2]
        if is_escaped:
            is_escaped = False
        elif byte == ord("\\") and following and following in b'"\\':
            is_escaped = True
        elif byte == ord('"'):
            in_string = not in_string
        elif not in_string and byte in b"[]{}":
            depth += 1 if byte in b"[{" else -1
            deepest = max(deepest, depth)
    return deepest
