"""Tables in the room that there is."""

import pytest

from actae.cli.printable import printable
from actae.cli.tables import draw

COLUMNS = ("status", "tool", "key")
ROWS = [("running", "payments.charge_card", "charge:order-4471-of-customer-42"), ("failed", "mail", "k")]


def test_without_a_terminal_everything_is_whole() -> None:
    """As wide as needed, and not wider."""
    drawn = draw(COLUMNS, ROWS, room=None, cut=("tool", "key"))
    assert [drawn.heading, *drawn.lines] == [
        "status   tool                  key",
        "─" * 63,
        "running  payments.charge_card  charge:order-4471-of-customer-42",
        "failed   mail                  k",
    ]
    assert not drawn.is_cut


def test_a_narrow_terminal_costs_the_ends_of_what_may_be_cut() -> None:
    """The first such column before the next; the rest stays whole."""
    drawn = draw(COLUMNS, ROWS, room=50, cut=("tool", "key"))
    assert drawn.lines[1:] == [
        "running  payments.ch…  charge:order-4471-of-custo…",
        "failed   mail          k",
    ]
    assert drawn.is_cut


def test_prose_is_wrapped_at_words() -> None:
    """Under its own column."""
    drawn = draw(("n", "why"), [("1", "one two three four five six seven")], room=30, wrapped="why")
    assert drawn.lines[1:] == ["1  one two three four five six", "   seven"]


def test_what_does_not_fit_becomes_a_paragraph_a_row() -> None:
    """Whole, so that it can be copied."""
    drawn = draw(COLUMNS, ROWS, room=40)
    assert drawn.heading is None
    assert drawn.lines == [
        "status  running",
        "tool    payments.charge_card",
        "key     charge:order-4471-of-customer-42",
        "",
        "status  failed",
        "tool    mail",
        "key     k",
    ]


@pytest.mark.parametrize(("room", "rule"), [(None, 80), (40, 40)])
def test_a_rule_ends_with_the_page(room: int | None, rule: int) -> None:
    """Also above a channel id of 256 characters, which is whole."""
    drawn = draw(("channel",), [("x" * 256,)], room=room)
    assert drawn.lines == ["─" * rule, "x" * 256]


def test_wide_characters_take_two_cells() -> None:
    """So the columns stay straight."""
    drawn = draw(("a", "b"), [("料金", "1"), ("fee", "2")], room=None)
    assert drawn.lines[1:] == ["料金  1", "fee   2"]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain é 料金", "plain é 料金"),
        ("\x1b[31mred\n", r"\x1b[31mred\n"),
        ("pay \u202e001 eur", r"pay \u202e001 eur"),
        ("half \ud800", r"half \ud800"),
    ],
)
def test_what_cannot_be_seen_is_escaped(text: str, seen: str) -> None:
    """Nothing that somebody wrote into the ledger moves the cursor of who reads it."""
    assert printable(text) == seen
