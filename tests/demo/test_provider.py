"""The payment provider, as a process of its own."""

import os
import signal
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
import urllib3

from actae.demo.cast import Keys
from actae.demo.provider_client import ProviderClient, ProviderRefusedError
from actae.demo.stage import start_provider

Start = Callable[[Keys], ProviderClient]

ORDER = {"order_id": "order-1", "amount_cents": 4900, "currency": "EUR"}


def test_a_provider_that_honours_keys_charges_once_for_a_key(start: Start) -> None:
    """The second request is answered with the first charge, and still counted as a request."""
    provider = start(Keys.HONOURED)
    charge_id = provider.charge(ORDER, "key-1")
    assert provider.charge(ORDER, "key-1") == charge_id
    account = provider.account("order-1")
    assert account.charges == (charge_id,)
    assert account.asked_with_keys == ("key-1", "key-1")


def test_a_provider_that_ignores_keys_charges_each_time(start: Start) -> None:
    """The key is noted and not looked at."""
    provider = start(Keys.IGNORED)
    charges = (provider.charge(ORDER, "key-1"), provider.charge(ORDER, "key-1"))
    assert len(set(charges)) == 2
    assert provider.account("order-1").charges == charges


def test_another_key_is_another_charge(start: Start) -> None:
    """What an order was charged before does not matter to the provider."""
    provider = start(Keys.HONOURED)
    assert provider.charge(ORDER, "key-1") != provider.charge(ORDER, "key-2")
    assert provider.counts() == {"charges": 2, "asks": 2, "mails": 0}


@pytest.mark.parametrize("other", [{"order_id": "order-2"}, {"amount_cents": 1}, {"currency": "USD"}])
def test_a_key_does_not_stand_for_another_charge(start: Start, other: dict[str, object]) -> None:
    """A key with other particulars is refused and charges nothing."""
    provider = start(Keys.HONOURED)
    provider.charge(ORDER, "key-1")
    with pytest.raises(ProviderRefusedError, match="422 Key 'key-1' already stands for"):
        provider.charge({**ORDER, **other}, "key-1")
    assert provider.counts()["charges"] == 1


def test_what_was_done_can_be_looked_up(tmp_path: Path) -> None:
    """A charge by its key, whether keys are honoured or not; mails page by page, oldest first."""
    with ExitStack() as running, urllib3.PoolManager(retries=False) as http:
        url = start_provider(tmp_path, Keys.IGNORED, running).url
        provider = ProviderClient(url)
        charge_id = provider.charge(ORDER, "key-1")
        mail_ids = [provider.mail({"order_id": "order-1", "body": f"Mail {number}"}) for number in range(3)]
        assert http.request("GET", f"{url}/charges?key=key-1").json() == {"charge_id": charge_id}
        assert http.request("GET", f"{url}/charges?key=key-2").json() == {"charge_id": None}
        seen: list[str] = []
        while page := http.request("GET", f"{url}/mails?after={seen[-1] if seen else ''}").json()["mails"]:
            seen += [mail["mail_id"] for mail in page]
        assert seen == mail_ids


def test_what_was_answered_survives_sigkill(tmp_path: Path) -> None:
    """The record is on disk before the answer is sent, keys included."""
    with ExitStack() as running:
        first = start_provider(tmp_path, Keys.HONOURED, running)
        charge_id = ProviderClient(first.url).charge(ORDER, "key-1")
        ProviderClient(first.url).mail({"order_id": "order-1", "body": "Paid."})
        os.kill(first.pid, signal.SIGKILL)
        second = ProviderClient(start_provider(tmp_path, Keys.HONOURED, running).url)
        assert second.counts() == {"charges": 1, "asks": 1, "mails": 1}
        assert second.charge(ORDER, "key-1") == charge_id


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/charges", b"{", 400),
        ("POST", "/charges", b"{}", 400),
        ("POST", "/charges", b"[]", 400),
        ("POST", "/refunds", b"{}", 404),
        ("GET", "/charges", None, 404),
    ],
)
def test_nonsense_is_refused_and_the_provider_goes_on(
    tmp_path: Path, method: str, path: str, body: bytes | None, status: int
) -> None:
    """A bad request gets an answer with a sentence, and charges nothing."""
    with ExitStack() as running, urllib3.PoolManager(retries=False) as http:
        url = start_provider(tmp_path, Keys.HONOURED, running).url
        answer = http.request(method, url + path, body=body)
        assert answer.status == status
        assert answer.json()["error"]
        assert ProviderClient(url).counts() == {"charges": 0, "asks": 0, "mails": 0}
