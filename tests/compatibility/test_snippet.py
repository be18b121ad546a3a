"""The first program of the documentation, word for word, with the published client and with ours."""

import pytest

from tests.compatibility.support.programs import OURS, Interpreter
from tests.support.server import RunningServer


@pytest.fixture(params=["the published client", "ours"])
def client(request: pytest.FixtureRequest, published: Interpreter) -> Interpreter:
    """Either."""
    return OURS if request.param == "ours" else published


def test_the_second_run_charges_nobody(client: Interpreter, server: RunningServer, channel: str) -> None:
    """It gets the receipt of the first."""
    told = client.run("snippet", server, channel, "calm")
    receipt = {"receipt": "r-1", "charges": 1}
    assert told["runs"] == [["claimed", receipt], ["replayed", receipt]]
    assert told["charges"] == [{"order_id": "4471", "amount_cents": 4200}]


def test_a_charge_that_failed_is_tried_again(
    client: Interpreter, server: RunningServer, channel: str
) -> None:
    """The failure reaches the caller, and the key is handed out once more."""
    told = client.run("snippet", server, channel, "trouble")
    assert told["runs"] == [
        ["failed", "the provider hung up"],
        ["reclaimed", {"receipt": "r-1", "charges": 2}],
    ]
