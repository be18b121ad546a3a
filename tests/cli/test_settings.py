"""`actae settings`: what a server started here would run with."""

from dataclasses import fields
from pathlib import Path

from actae.settings import Settings
from tests.support.command import Command

GOLDEN = Path(__file__).with_name("settings.golden.txt")


def test_all_settings_are_shown_with_their_reasons(actae: Command) -> None:
    """Word for word as in the golden file, which `actae settings` itself writes."""
    assert actae("settings").out == GOLDEN.read_text("utf-8")


def test_programs_get_every_setting_with_its_variable(actae: Command) -> None:
    """The value, the default, and whether somebody has set it."""
    shown = {
        each["name"]: each for each in actae("settings", "--json", ACTAE_PORT="9000", ACTAE_DEV="1").json()
    }
    assert set(shown) == {each.name for each in fields(Settings)}
    assert all(each["why"] for each in shown.values())
    assert (shown["port"]["value"], shown["port"]["default"], shown["port"]["is_set"]) == (9000, 8002, True)
    assert (shown["dev"]["value"], shown["dev"]["variable"]) == (True, "ACTAE_DEV")
    assert shown["host"]["is_set"] is False


def test_passwords_are_hidden(actae: Command) -> None:
    """In both forms, wherever they stand in the URL."""
    for url in ("postgresql://me:canary@host/db", "postgresql://me@host/db?password=canary"):
        for more in ((), ("--json",)):
            shown = actae("settings", *more, ACTAE_DATABASE_URL=url)
            assert "canary" not in shown.out
            assert "***" in shown.out


def test_a_setting_that_cannot_be_used_is_named(actae: Command) -> None:
    """In one line, with 1."""
    failed = actae("settings", ACTAE_PORT="high")
    assert (failed.code, failed.out) == (1, "")
    assert failed.err == "actae: ACTAE_PORT must be a number; it is 'high'.\n"
