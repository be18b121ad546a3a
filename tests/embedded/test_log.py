"""The server's log file."""

from pathlib import Path

from actae.embedded import EmbeddedPostgres
from actae.embedded.log import LOG_BYTES_MAX
from tests.embedded.supervised import ask_in_vain


def test_a_log_that_has_grown_large_is_set_aside(data_dir: Path) -> None:
    """At the next start; the one before it is kept, an older one is not."""
    log, old = data_dir / "postgres.log", data_dir / "postgres.log.1"
    old.write_text("older")
    with log.open("ab") as grown:
        grown.truncate(LOG_BYTES_MAX + 1)
    with EmbeddedPostgres(data_dir):
        pass
    assert old.stat().st_size == LOG_BYTES_MAX + 1
    assert 0 < log.stat().st_size < LOG_BYTES_MAX


def test_what_a_statement_carries_does_not_reach_the_log(data_dir: Path) -> None:
    """A failing statement leaves its message, and neither its text nor the values it met."""
    with EmbeddedPostgres(data_dir) as postgres:
        insert = "insert into t values ('canary')"
        ask_in_vain(postgres.dsn, "create temp table t (v text unique)", insert, insert)
        ask_in_vain(postgres.dsn, "select '{canary'::json")
    log = (data_dir / "postgres.log").read_text()
    assert "duplicate key value" in log
    assert "canary" not in log
