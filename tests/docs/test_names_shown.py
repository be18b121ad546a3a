"""Metrics and variables that the pages name exist."""

import re
from dataclasses import fields

from actae.settings import Settings
from tests.support.pages import pages
from tests.support.server import RunningServer

TEXT = "\n".join(page.read_text() for page in pages())
NOT_METRICS = {"actae_client", "actae_now", "actae_session"}
# Of the client, of the embedded PostgreSQL, of crash tests, of the tests.
NOT_SETTINGS = {
    "ACTAE_URL",
    "ACTAE_ENDPOINT",
    "ACTAE_WS_URL",
    "ACTAE_API_KEY",
    "ACTAE_CONFIG_DIR",
    "ACTAE_CRASHTEST_DIR",
    "ACTAE_CRASHTEST_POLICY",
    "ACTAE_CRASHTEST_PROVIDER",
    "ACTAE_CRASHTEST_PROVIDER_URL",
    "ACTAE_CRASHTEST_RUN_ID",
    "ACTAE_PG_BIN",
    "ACTAE_TEST_DSN",
}


def test_every_metric_shown_is_served(server: RunningServer) -> None:
    """Whoever builds an alarm from a page gets one that can ring."""
    served = server.request("GET", "/metrics").body.decode()
    shown = set(re.findall(r"\b(actae_[a-z_]+)\b", TEXT)) - NOT_METRICS
    missing = [
        name for name in shown if not re.search(rf"^{name}(_bucket|_sum|_count)?[{{ ]", served, re.MULTILINE)
    ]
    assert not missing, f"nobody serves {', '.join(sorted(missing))}"


def test_every_variable_shown_is_read() -> None:
    """A setting that was renamed leaves the pages too."""
    known = {f"ACTAE_{each.name.upper()}" for each in fields(Settings)} | NOT_SETTINGS
    unknown = set(re.findall(r"\bACTAE_[A-Z_]*[A-Z]\b", TEXT)) - known
    assert not unknown, f"nobody reads {', '.join(sorted(unknown))}"
