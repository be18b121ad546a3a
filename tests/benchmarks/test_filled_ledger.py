"""The ledger that is filled by SQL looks to the server like one that it filled itself."""

from collections.abc import Callable

from benchmarks.harness.postgres import fill_ledger
from tests.support.server import RunningServer

CLAIM = {"channel_id": "bench-0001", "tool_name": "charge_customer"}


def test_a_server_goes_on_where_the_filling_ended(
    database_url: str, start_server: Callable[..., RunningServer]
) -> None:
    """Filled executions are found, a new one gets the next cursor."""
    fill_ledger(database_url, execution_count=12, channel_count=4)
    server = start_server()
    listed = server.request("GET", "/api/v1/executions?channel_id=bench-0001").body["executions"]
    assert [row["status"] for row in listed] == ["completed"] * 3
    assert {row["result"]["status"] for row in listed} == {"succeeded"}
    claimed = server.request("POST", "/api/v1/executions/claim", {**CLAIM, "key_name": "new"})
    assert claimed.body["status"] == "claimed"
    assert claimed.body["execution"]["started_cursor"] == 7


def test_a_filled_key_is_known(database_url: str, start_server: Callable[..., RunningServer]) -> None:
    """Its digest is the real one: a claim with other input is refused as a mismatch, not taken for new."""
    fill_ledger(database_url, execution_count=12, channel_count=4)
    server = start_server()
    refused = server.request("POST", "/api/v1/executions/claim", {**CLAIM, "key_name": "filled-0000000001"})
    assert (refused.status, refused.body["status"]) == (409, "idempotency_key_mismatch")
