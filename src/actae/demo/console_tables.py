"""The two tables at the end: what the providers counted, and what the ledger holds."""

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from actae.demo.cast import Keys, Strategy
from actae.demo.story import Outcome
from actae.demo.timeline import LedgerRun, Moment

MEMORIES = {
    Strategy.NO_RECORD: "no record",
    Strategy.CHECKPOINT: "checkpoint",
    Strategy.ACTAE: "Actae",
}
PROVIDERS = {
    Keys.HONOURED: "honours keys",
    Keys.IGNORED: "ignores keys",
}


def charges_counted(outcomes: Sequence[Outcome]) -> Table:
    """Charges for one order: a row for each memory, a column for each provider."""
    table = _table("Charges for one order, counted at the provider")
    table.add_column("the agent has")
    for keys in Keys:
        table.add_column(f"provider {PROVIDERS[keys]}", justify="center")
    counted = {(o.cell.strategy, o.cell.keys): len(o.account.charges) for o in outcomes}
    for strategy, name in MEMORIES.items():
        table.add_row(name, *(charge_count(counted[strategy, keys]) for keys in Keys))
    return table


def charge_count(charges: int) -> Text:
    """The number, green if the customer paid once."""
    return Text(str(charges), style="bold green" if charges == 1 else "yellow")


def timeline(run: LedgerRun) -> Table:
    """The run of one agent, second by second."""
    table = _table(f"The ledger of {run.channel_id}")
    table.caption = "Lines without a number are not in the ledger: the demo saw them."
    table.add_column("#", justify="right")
    table.add_column("s", justify="right")
    table.add_column("event")
    table.add_column("")
    began = run.moments[0].at
    for moment in run.moments:
        cursor = "" if moment.cursor is None else str(moment.cursor)
        seconds = f"{(moment.at - began).total_seconds():.2f}"
        table.add_row(cursor, seconds, moment.event_type, moment.what, style=_style(moment))
    return table


def _style(moment: Moment) -> str:
    if moment.event_type == "SIGKILL":
        return "red"
    return "dim" if moment.cursor is None else ""


def _table(title: str) -> Table:
    return Table(
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        title=title,
        title_justify="left",
        title_style="bold",
        caption_justify="left",
    )
