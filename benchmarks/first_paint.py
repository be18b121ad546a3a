"""Opens the console in Chromium: runs where there are ten or a million, a run of 20 or of 10,000 events.

The clock is the browser's. It runs from the start of the navigation to the first frame that shows a row of
what was asked for. Each visit has a fresh cache; it is signed in already, as one is who comes by a link.
"""

from __future__ import annotations

from functools import partial

from benchmarks.harness import goals
from benchmarks.harness.answers import Answer, ratios
from benchmarks.harness.browser import Visits, browsing
from benchmarks.harness.folders import scratch_folder
from benchmarks.harness.postgres import create_database, fill_ledger, fill_runs
from benchmarks.harness.rounds import FULL, Pace, take_turns
from benchmarks.harness.server import fresh_server, running_server

QUESTION = "How soon does the console show what was asked for?"
FEW_CHANNELS = 10
SHORT, LONG = 20, 10_000  # events
VISITS = 5

RUNS = Visits(path="/runs", shows="table.runs tbody tr")


def answer(pace: Pace) -> Answer:
    many = pace.executions_in_a_large_ledger  # a channel each
    with fresh_server() as small_server, scratch_folder() as folder:
        large_url = create_database(small_server.database_url, "large_ledger")
        with running_server(folder, database_url=large_url) as large_server:
            fill_ledger(small_server.database_url, execution_count=FEW_CHANNELS, channel_count=FEW_CHANNELS)
            fill_ledger(large_url, execution_count=many, channel_count=many)
            fill_runs(small_server.database_url, {"short-run": SHORT - 1})
            fill_runs(large_url, {"long-run": LONG - 1})
            with browsing() as browser:  # last: it holds the thread's event loop
                subjects = {
                    f"{many:,} runs": partial(browser.visit, large_server, RUNS, VISITS),
                    f"{FEW_CHANNELS} runs": partial(browser.visit, small_server, RUNS, VISITS),
                    f"{LONG:,} events": partial(browser.visit, large_server, _run("long-run"), VISITS),
                    f"{SHORT} events": partial(browser.visit, small_server, _run("short-run"), VISITS),
                }
                samples = take_turns(subjects, pace.rounds)
    at_many, at_few, at_long, at_short = samples.values()
    is_full = many >= FULL.executions_in_a_large_ledger
    return Answer(
        samples=samples,
        figures=[
            ratios(
                f"p50, {many:,} / {FEW_CHANNELS} runs",
                at_many,
                at_few,
                of="p50_ms",
                goal=goals.FIRST_PAINT_WITH_A_MILLION if is_full else None,
            ),
            ratios(
                f"p50, {LONG:,} / {SHORT} events",
                at_long,
                at_short,
                of="p50_ms",
                goal=goals.FIRST_PAINT_OF_A_LONG_RUN if is_full else None,
            ),
        ],
    )


def _run(channel: str) -> Visits:
    return Visits(path=f"/runs/{channel}", shows=".log .line")
