"""What looks as if it changed with every attempt, and what only looks like it at first sight."""

from datetime import UTC, datetime
from typing import Any

import pytest

from actae.domain.provider_keys import client_idempotency_key
from actae.domain.volatile import volatile_fields, volatile_part
from actae_client.tools.operation import Operation

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)
V4 = "9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e5f"
V5 = "9f1c2d3e-4b5a-5c6d-8e7f-0a1b2c3d4e5f"
V7 = "019384c1-7f00-7abc-8def-0123456789ab"

KEYS: dict[str, tuple[str, Any, str | None]] = {
    "a business id": ("charge:order-4471", {}, None),
    "a random UUID": (f"charge:{V4}", {"order": "4471"}, V4),
    "a random UUID in capitals": (f"charge:{V4.upper()}", {}, V4.upper()),
    "a UUID with a time": (f"charge:{V7}", {}, V7),
    "a UUID made of names": (f"charge:{V5}", {}, None),
    "a random UUID that names the order": (f"charge:{V4}", {"order": {"id": V4}}, None),
    "the same in other letters": (f"charge:{V4}", {"order_id": V4.upper()}, None),
    "one that does and one that does not": (f"charge:{V4}:{V7}", [V4], V7),
    "a time of day": ("charge:2026-11-30T12:00:01Z", {}, "2026-11-30T12:00:01"),
    "a date": ("report:2026-11-30", {}, None),
    "a number of seconds": ("charge:1764504000", {}, "1764504000"),
    "a number of milliseconds": ("charge:1764504000123", {}, "1764504000123"),
    "seconds with a fraction": ("charge:1764504000.25", {}, "1764504000.25"),
    "a number of seconds that is the order's": ("charge:1764504000", {"order": 1764504000}, None),
    "a long number": ("charge:4471000000", {}, None),
    "a digest": ("charge:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", {}, None),
}


@pytest.mark.parametrize("name", KEYS)
def test_the_part_of_a_key_that_no_retry_would_repeat(name: str) -> None:
    """Unless it comes from the parameters, which a retry has too."""
    key_name, params, part = KEYS[name]
    assert volatile_part(key_name, params) == part


FIELDS: dict[str, tuple[Any, list[str] | None, list[str]]] = {
    "business": ({"order_id": "4471", "cents": 4200, "paid": True, "note": None}, None, []),
    "names of clocks and traces": ({"timestamp": 1, "Request-Id": 7}, None, ["timestamp", "Request-Id"]),
    "names of counters": ({"attempt": 1, "retryCount": 0}, None, ["attempt", "retryCount"]),
    "names that only contain such words": ({"login_attempts": 2, "leave_request_id": 3}, None, []),
    "the moment of the call, as text": ({"at": "2026-11-30T12:01:00+00:00"}, None, ["at"]),
    "without a time zone": ({"at": "2026-11-30 11:59:00"}, None, ["at"]),
    "a flight": ({"departs": "2027-01-05T09:30:00Z"}, None, []),
    "a day": ({"day": "2026-11-30"}, None, []),
    "the moment of the call, in seconds": ({"at": 1796040000 - 60}, None, ["at"]),
    "in milliseconds": ({"at": 1796040000_000}, None, ["at"]),
    "in nanoseconds": ({"at": 1796040000_000_000_000}, None, ["at"]),
    "seconds with a fraction": ({"at": 1796040000.5}, None, ["at"]),
    "another number": ({"phone": 1796999999}, None, []),
    "a huge number": ({"n": 10**400, "m": -1e300}, None, []),
    "deep inside": ({"order": {"lines": [{"sku": 1}, {"trace_id": 2}]}}, None, ["order.lines[1].trace_id"]),
    "not compared": ({"order_id": "4471", "timestamp": "x"}, ["order_id"], []),
    "compared": ({"order_id": "4471", "timestamp": "x"}, ["order_id", "timestamp"], ["timestamp"]),
    "no object": (["2026-11-30T12:00:00Z"], None, []),
    "nothing": (None, None, []),
}  # fmt: skip


@pytest.mark.parametrize("name", FIELDS)
def test_the_fields_that_no_retry_would_repeat(name: str) -> None:
    """By their paths; only among those that are compared."""
    params, compared, paths = FIELDS[name]
    assert list(volatile_fields(params, NOW, compared=compared)) == paths


@pytest.mark.parametrize(
    "key_name", ["charge:4471", "k" * 500, "é" * 200, "", "\ud800", "a\0b"], ids=range(6)
)
def test_the_key_for_a_provider_is_the_clients(key_name: str) -> None:
    """Derived in two places, and the same in both."""
    operation = Operation("run-1", key_name, "tool", "run-1~1", 1)
    assert client_idempotency_key("run-1", key_name) == operation.idempotency_key
