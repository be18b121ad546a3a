"""The demo as a person reads it, in 80 columns; colour only on a terminal."""

import textwrap
from pathlib import Path

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from actae.demo.cast import Keys
from actae.demo.console_tables import MEMORIES, PROVIDERS, charge_count, charges_counted, timeline
from actae.demo.performance import Performance
from actae.demo.reasons import REASONS
from actae.demo.stage import Address, Stage
from actae.demo.story import Outcome
from actae.demo.workspace import ledger_directory

_COLUMNS_MAX = 80
_MARGIN = 2
_ROW_WIDTHS = (11, 13, 7, 11, 9, 7, 11, 0)

_OPENING = (
    "An agent gathers sources, drafts an invoice, charges the customer and mails a receipt."
    " It is killed after the payment provider has confirmed the charge and before anyone has"
    " written that down. Then it is started again."
)


class ConsoleVoice:
    """Tells the story as it happens, and what it means at the end."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(highlight=False)
        self._console.width = min(self._console.width, _COLUMNS_MAX)

    def opening(self) -> None:
        """What is about to happen."""
        self._console.print()
        self._paragraph(_OPENING)
        self._paragraph("Setting up two payment providers and Actae with its own PostgreSQL …", style="dim")

    def stage_is_set(self, stage: Stage) -> None:
        """Which real parts it happens to, and the head of the lines that follow."""
        self._part("payment provider, honours Idempotency-Key", stage.providers[Keys.HONOURED])
        self._part("payment provider, ignores it", stage.providers[Keys.IGNORED])
        self._part("Actae", stage.actae)
        self._console.print()
        self._line(f"{'':<24}{'first start':<27}second start", style="bold")
        self._line(_row("memory", "provider", "key", "charge", "", "key", "charge", "counted"), style="bold")
        self._line("─" * 76)

    def outcome(self, outcome: Outcome) -> None:
        """One line as soon as a cell is played."""
        first_key, second_key, *_ = (*outcome.account_after_restart.asked_with_keys, "", "")
        self._line(
            _row(
                MEMORIES[outcome.cell.strategy],
                PROVIDERS[outcome.cell.keys],
                f"{first_key[:5]}…",
                outcome.killed.confirmed_charge_id,
                Text("SIGKILL", style="red"),
                f"{second_key[:5]}…",
                outcome.restarted.charge_id,
                charge_count(len(outcome.account.charges)),
            )
        )

    def closing(self, performance: Performance, *, kept_in: Path | None) -> None:
        """The table, why it reads so, the ledger's timeline, and whether all is as promised."""
        self._console.print()
        self._block(charges_counted(performance.outcomes))
        if performance.is_as_promised():
            for name, reason in REASONS.items():
                self._paragraph(f"{name:<8}{reason}", hanging=8)
        self._block(timeline(performance.ledger_runs[Keys.HONOURED]))
        for check in performance.checks:
            if not check.holds:
                self._line(f"NOT SO: {check.sentence}", style="bold red")
        self._last_line(performance, kept_in)

    def failed(self, sentence: str) -> None:
        """Why it ended early."""
        self._console.print(Text(sentence, style="red"), soft_wrap=True)

    def _part(self, name: str, address: Address) -> None:
        self._line(f"{name:<43}{address.url:<23}pid {address.pid}", style="dim")

    def _last_line(self, performance: Performance, kept_in: Path | None) -> None:
        promised = performance.is_as_promised()
        seconds = f"{performance.set_up_seconds:.1f} s to set up, {performance.played_seconds:.1f} s to play"
        self._line(
            f"{'As promised' if promised else 'NOT as promised'}. {seconds}; nothing is left running.",
            style="bold" if promised else "bold red",
        )
        if kept_in is not None:
            self._line(f"Look around: actae serve --dev --data-dir {ledger_directory(kept_in)}")

    def _paragraph(self, sentence: str, *, style: str = "", hanging: int = 0) -> None:
        width = self._console.width - 2 * _MARGIN
        for line in textwrap.wrap(sentence, width, subsequent_indent=" " * hanging):
            self._line(line, style=style)
        self._console.print()

    def _line(self, line: str | Text, *, style: str = "") -> None:
        self._console.print(Text(" " * _MARGIN).append(line), style=style, soft_wrap=True)

    def _block(self, table: Table) -> None:
        self._console.print(Padding(table, (0, _MARGIN), expand=False))
        self._console.print()


def _row(*cells: str | Text) -> Text:
    row = Text()
    for cell, width in zip(cells, _ROW_WIDTHS, strict=True):
        row.append(cell)
        row.append(" " * (width - len(cell)))
    row.rstrip()
    return row
