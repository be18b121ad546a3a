"""The load programs against the real server and the real database."""

import json
import sys

import pytest

from benchmarks.harness.answers import BenchmarkError
from benchmarks.harness.loads import SCRIPTS, run_load, run_program
from benchmarks.harness.postgres import execute, program
from tests.support.server import RunningServer

CROWD = ["--callers", "4", "--channels", "2", "--seconds", "0.2", "--warm-up", "0.1"]


def events(server: RunningServer, prefix: str) -> int:
    """How many events the two channels of a crowd hold."""
    paths = [f"/api/v1/events/cursor/{prefix}-{number:04d}" for number in range(2)]
    return sum(server.request("GET", path).body["latest_cursor"] or 0 for path in paths)


@pytest.mark.parametrize(
    ("module", "options", "events_per_unit"),
    [
        ("benchmarks.load.http", ["--unit", "pair"], 2),
        ("benchmarks.load.http", ["--unit", "transition"], 1),
        ("benchmarks.load.client_pairs", [], 2),
    ],
)
def test_every_unit_that_counts_is_in_the_log(
    server: RunningServer, channel: str, module: str, options: list[str], events_per_unit: int
) -> None:
    """The load does what it says: answered and written are the same number."""
    where = ["--url", server.url, "--api-key", server.api_key, "--channel-prefix", channel]
    told = run_load([sys.executable, "-m", module, *where, *CROWD, *options])
    assert told["finished_count"] > 0
    assert events(server, channel) == events_per_unit * told["finished_count"]


def test_callers_may_share_several_servers(server: RunningServer, channel: str) -> None:
    """The question about two servers asks with one load program."""
    where = [
        "--url",
        server.url,
        "--url",
        server.url,
        "--api-key",
        server.api_key,
        "--channel-prefix",
        channel,
    ]
    told = run_load([sys.executable, "-m", "benchmarks.load.http", *where, *CROWD])
    assert events(server, channel) == 2 * told["finished_count"]


def test_a_refused_call_fails_the_load(server: RunningServer, channel: str) -> None:
    """A wrong key is answered 401 very fast indeed."""
    where = ["--url", server.url, "--api-key", "sk-nobody", "--channel-prefix", channel]
    with pytest.raises(BenchmarkError, match=r"4 calls failed\. The first: HTTP/1\.1 401"):
        run_load([sys.executable, "-m", "benchmarks.load.http", *where, *CROWD])


def test_both_references_write_the_same_rows(database_url: str) -> None:
    """asyncpg and pgbench leave nothing but completed claims behind."""
    execute(database_url, (SCRIPTS / "reference.sql").read_text())
    told = run_load(
        [sys.executable, "-m", "benchmarks.load.asyncpg_pairs", "--database-url", database_url, *CROWD]
    )
    pgbench = [program("pgbench"), "--no-vacuum", "--protocol=prepared", "--client=2", "--transactions=5"]
    pgbench += ["--define=run=one", "--define=channels=2", "--define=number=0"]
    run_program([*pgbench, f"--file={SCRIPTS / 'pgbench_pairs.sql'}", database_url])
    counted = run_program(
        [program("psql"), database_url, "--no-align", "--tuples-only", "--command", COUNT_REFERENCE_ROWS]
    )
    assert json.loads(counted) == {
        "all": told["finished_count"] + 10,
        "completed": told["finished_count"] + 10,
        "params": 1,
        "results": 1,
    }


COUNT_REFERENCE_ROWS = """
select json_build_object(
           'all', count(*),
           'completed', count(*) filter (where status = 'completed' and result is not null),
           'params', count(distinct params::text),
           'results', count(distinct result::text))
  from reference_claims
"""
