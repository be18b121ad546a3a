"""One workflow with the memories that need no server, and a death at the worst moment."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actae.demo.agent import bill_order
from actae.demo.cast import Keys
from actae.demo.memory import Checkpoint, Memory, NoRecord
from actae.demo.provider_client import ProviderClient

Start = Callable[[Keys], ProviderClient]


class DiedError(Exception):
    """Stands for the death of the process: nothing after it runs."""


def bill(memory: Memory, provider: ProviderClient, *, dies: bool = False) -> dict[str, str]:
    def charge(params: dict[str, Any], key: str) -> str:
        charge_id = provider.charge(params, key)
        if dies:
            raise DiedError
        return charge_id

    return bill_order("order-1", memory, charge, lambda mail, _key: provider.mail(mail))


def bill_through_a_death(remember: Callable[[], Memory], provider: ProviderClient) -> int:
    """Returns the number of charges at the end."""
    with pytest.raises(DiedError):
        bill(remember(), provider, dies=True)
    bill(remember(), provider)
    return len(provider.account("order-1").charges)


@pytest.mark.parametrize("keys", Keys)
def test_without_a_record_the_customer_pays_twice(start: Start, keys: Keys) -> None:
    """The second process has no way to know of the first."""
    assert bill_through_a_death(NoRecord, start(keys)) == 2


@pytest.mark.parametrize("keys", Keys)
def test_a_checkpoint_after_each_step_comes_too_late(start: Start, tmp_path: Path, keys: Keys) -> None:
    """The charge is made within a step, and its key dies with it."""
    assert bill_through_a_death(lambda: Checkpoint(tmp_path / "checkpoint.json"), start(keys)) == 2


@pytest.mark.parametrize(("keys", "charges"), [(Keys.HONOURED, 1), (Keys.IGNORED, 2)])
def test_a_key_derived_by_hand_helps_a_checkpoint_too(
    start: Start, tmp_path: Path, keys: Keys, charges: int
) -> None:
    """What the demo's output says about keys is true: 1 where they are honoured, else 2."""

    def remember() -> Memory:
        return Checkpoint(tmp_path / "checkpoint.json", make_key=lambda tool: f"order-1:{tool}")

    assert bill_through_a_death(remember, start(keys)) == charges


def test_a_checkpoint_keeps_what_was_finished(start: Start, tmp_path: Path) -> None:
    """Finished steps are not run again, and a finished run asks nobody anything."""
    provider = start(Keys.IGNORED)
    path = tmp_path / "checkpoint.json"
    first = bill(Checkpoint(path), provider)
    counts = provider.counts()
    assert bill(Checkpoint(path), provider) == first
    assert provider.counts() == counts
    assert list(json.loads(path.read_text())) == [
        "sources.gathered",
        "invoice.drafted",
        "charge_customer",
        "mail_receipt",
    ]


def test_a_checkpoint_survives_a_torn_write(tmp_path: Path) -> None:
    """A half-written successor beside the file is not mistaken for it."""
    path = tmp_path / "checkpoint.json"
    assert Checkpoint(path).step("draft", lambda: "first") == "first"
    path.with_suffix(".unfinished").write_text('{"draft": "sec')
    assert Checkpoint(path).step("draft", lambda: "second") == "first"
