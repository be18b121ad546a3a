"""The load programs against the real server and the real database."""

import json
import sys
from collections.abc import Callable

import pytest

from benchmarks.harness.answers import BenchmarkError
from benchmarks.harness.loads import SCRIPTS, run_load, run_program
from benchmarks.harness.postgres import execute, fill_runs, program
from benchmarks.load.workload import INHERITED_KEY, PARAMS, TOOL_NAME
from tests.support.forking import effect, fork, step
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


def test_every_fork_that_counts_is_in_the_tree(server: RunningServer, channel: str) -> None:
    """And each is a fork of its own."""
    for number in range(2):
        step(server, f"{channel}-{number:04d}", 1)
    where = ["--url", server.url, "--api-key", server.api_key, "--channel-prefix", channel]
    told = run_load([sys.executable, "-m", "benchmarks.load.http", *where, *CROWD, "--unit", "fork"])
    trees = [server.get(f"/channels/{channel}-{number:04d}/fork-tree").body for number in range(2)]
    assert sum(len(tree["children"]) for tree in trees) == told["finished_count"] > 0


def test_a_claim_that_is_not_replayed_fails_the_load(server: RunningServer, channel: str) -> None:
    """What was never completed is claimed; what was is replayed, and leaves nothing behind."""
    where = ["--url", server.url, "--api-key", server.api_key, "--channel-prefix", channel]
    load = [
        sys.executable,
        "-m",
        "benchmarks.load.http",
        *where,
        *CROWD,
        "--channels",
        "1",
        "--unit",
        "replay",
    ]
    root = f"{channel}-root"
    effect(server, root, INHERITED_KEY, tool_name=TOOL_NAME, params=json.loads(PARAMS))
    fork(server, root, f"{channel}-0000")
    assert run_load(load)["finished_count"] > 0
    assert server.get(f"/events/cursor/{channel}-0000").body["latest_cursor"] == 1
    with pytest.raises(BenchmarkError, match="should be replayed is claimed"):
        run_load([*load, "--channel-prefix", f"{channel}-new"])


def test_resumed_sessions_are_where_their_index_says(start_server: Callable[[], RunningServer]) -> None:
    """The rows that are put past the server are those that a killed session leaves behind."""
    server = start_server()
    fill_runs(server.database_url, {"run-0000": 7, "run-0001": 7})
    where = ["--url", server.url, "--api-key", server.api_key, "--channel-prefix", "run"]
    load = [sys.executable, "-m", "benchmarks.load.session_resumes", *where, *CROWD]
    assert run_load([*load, "--steps", "7"])["finished_count"] > 0
    with pytest.raises(BenchmarkError, match="resumed behind step 7"):
        run_load([*load, "--steps", "8"])
    assert server.get("/channels/run-0000/steps/7").body["cursor"] == 8
    assert step(server, "run-0000", 8) == 9


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
