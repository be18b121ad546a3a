"""`actae settings`: what a server started here would run with."""

from dataclasses import fields
from pathlib import Path

import pytest

from actae.settings import Settings, SettingsError, read_settings
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


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"ACTAE_PORT": "high"}, "ACTAE_PORT must be a number; it is 'high'."),
        (
            {"ACTAE_LOG_LEVEL": "INFO"},
            "log_level must be one of debug, info, warning, error; it is 'INFO'.",
        ),
        (
            {"ACTAE_DATABASE_URL": "postgresql://host/db", "ACTAE_LISTEN_URL": "host=host password=canary"},
            "listen_url must begin with postgresql:// or postgres://.",
        ),
    ],
    ids=str,
)
def test_a_setting_that_no_server_could_use_is_named(
    actae: Command, value: dict[str, str], said: str
) -> None:
    """By `actae settings` as by `actae serve`: in one line, with 1."""
    for command in (("settings",), ("settings", "--json"), ("serve", "--port", "0")):
        failed = actae(*command, **value)
        assert (failed.code, failed.out, failed.err) == (1, "", f"actae: {said}\n")


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("ACTAE_BODY_BYTES_MAX", "-4", "body_bytes_max must be at least 1; it is -4."),
        ("ACTAE_BODY_DEPTH_MAX", "0", "body_depth_max must lie between 1 and 500; it is 0."),
        ("ACTAE_BODY_DEPTH_MAX", "501", "body_depth_max must lie between 1 and 500; it is 501."),
        ("ACTAE_RATE_LIMIT_PER_SECOND", "-3", "rate_limit_per_second must be at least 0; it is -3.0."),
        ("ACTAE_RATE_LIMIT_PER_SECOND", "inf", "ACTAE_RATE_LIMIT_PER_SECOND must be a number; it is 'inf'."),
        (
            "ACTAE_READ_TIMEOUT_SECONDS",
            "-1",
            "read_timeout_seconds must lie between 0.1 and 86400; it is -1.0.",
        ),
        ("ACTAE_READ_TIMEOUT_SECONDS", "nan", "ACTAE_READ_TIMEOUT_SECONDS must be a number; it is 'nan'."),
        ("ACTAE_LANES", "0", "lanes must be at least 1; it is 0."),
        ("ACTAE_BATCH_ASKS_MAX", "0", "batch_asks_max must be at least 1; it is 0."),
        ("ACTAE_BATCH_BYTES_MAX", "-1", "batch_bytes_max must be at least 1; it is -1."),
        ("ACTAE_QUEUE_ASKS_MAX", "0", "queue_asks_max must be at least 1; it is 0."),
        ("ACTAE_QUEUE_BYTES_MAX", "0", "queue_bytes_max must be at least 1; it is 0."),
        ("ACTAE_PORT", "65536", "port must lie between 0 and 65535; it is 65536."),
        ("ACTAE_LOG_LEVEL", "loud", "log_level must be one of debug, info, warning, error; it is 'loud'."),
        ("ACTAE_LOG_FORMAT", "xml", "log_format must be one of json, text, auto; it is 'xml'."),
        ("ACTAE_DATABASE_URL", "mysql://h", "database_url must begin with postgresql:// or postgres://."),
    ],
)
def test_a_setting_out_of_bounds_is_refused(variable: str, value: str, said: str) -> None:
    """By a sentence that names it; no server starts with it."""
    with pytest.raises(SettingsError) as refused:
        read_settings({variable: value})
    assert str(refused.value) == said


def test_a_server_that_cannot_use_a_setting_says_so_in_one_line(actae: Command) -> None:
    """With 1, before anything is made."""
    failed = actae("serve", "--port", "0", ACTAE_READ_TIMEOUT_SECONDS="nan")
    assert (failed.code, failed.out, failed.err.count("\n")) == (1, "", 1)
    assert "ACTAE_READ_TIMEOUT_SECONDS" in failed.err
