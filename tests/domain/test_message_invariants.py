"""A message has both of its events: what counts as whole, and what does not."""

import pytest

from actae.domain.message_invariants import StoredMessage, messages_have_both_events

SOUND = StoredMessage("run-b", 3, "run-a", 7, "message.received", "e1", "message.sent", "e1", False)


@pytest.mark.parametrize(
    ("change", "is_broken"),
    [
        ({}, False),
        ({"delivery_type": None}, True),
        ({"delivery_type": "note"}, True),
        ({"delivery_depends_on": None}, True),
        ({"source_type": None, "source_event_id": None}, True),
        ({"source_type": "note"}, True),
        ({"source_event_id": "e2"}, True),
        ({"source_type": None, "source_event_id": None, "is_source_deleted": True}, False),
        ({"delivery_type": None, "is_source_deleted": True}, True),
    ],
)
def test_a_message_has_both_of_its_events(change: dict[str, object], is_broken: bool) -> None:
    """Unless the sender's channel was deleted, which takes its half."""
    found = list(messages_have_both_events([SOUND, SOUND._replace(**change)]))
    assert bool(found) is is_broken
