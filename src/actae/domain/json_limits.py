"""Limits that a JSON text must keep before anything parses it."""

from array import array
from itertools import accumulate

_OPENING, _CLOSING = b"[{", b"]}"
_ALL_BUT_MARKS = bytes(byte for byte in range(256) if byte not in b'"' + _OPENING + _CLOSING)
_STEPS = bytes.maketrans(_OPENING + _CLOSING, b"\x01\x01\xff\xff")  # As signed bytes: one down, one up.
_BLOCK_BYTES = 65_536  # Text is taken apart in blocks, so that a hostile one costs little memory.


def exceeds_depth(raw: bytes, limit: int) -> bool:
    """Whether arrays and objects nest deeper than `limit` anywhere in the text; `[[]]` is two deep.

    The text may be malformed, since this runs before parsing. Up to the first fault, every level that a
    parser would enter is counted. The time is linear in the text, and nothing recurses.
    """
    if raw.count(b"[") + raw.count(b"{") <= limit:
        return False
    marks = _quotes_and_brackets(raw)
    depth, in_string = 0, 0
    for start in range(0, len(marks), _BLOCK_BYTES):
        pieces = marks[start : start + _BLOCK_BYTES].split(b'"')
        brackets = b"".join(pieces[in_string::2])
        depths = list(accumulate(array("b", brackets.translate(_STEPS)), initial=depth))
        if max(depths) > limit:
            return True
        depth = depths[-1]
        in_string ^= (len(pieces) - 1) % 2
    return False


def _quotes_and_brackets(raw: bytes) -> bytes:
    """The text without anything that cannot change its depth."""
    if b"\\" in raw:
        # Escaped backslashes go first: one that still stands before a quote then escapes it.
        raw = raw.replace(b"\\\\", b"").replace(b'\\"', b"")
    marks = raw.translate(None, _ALL_BUT_MARKS)
    return marks.replace(b'""', b"")  # Nothing that counts stands between the two, in a string or outside.
