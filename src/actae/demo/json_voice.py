"""The demo as one JSON document, for machines."""

import json
import sys
from pathlib import Path
from typing import Any

from actae.demo.performance import Performance
from actae.demo.reasons import REASONS
from actae.demo.stage import Stage
from actae.demo.story import Finished, Outcome
from actae.demo.timeline import LedgerRun


class JsonVoice:
    """Says nothing until the end, then one document with `ok` in it."""

    def opening(self) -> None:
        """Nothing to say yet."""

    def stage_is_set(self, stage: Stage) -> None:
        """Nothing to say yet."""

    def outcome(self, outcome: Outcome) -> None:
        """Nothing to say yet."""

    def closing(self, performance: Performance, *, kept_in: Path | None) -> None:
        document = {**describe(performance), "kept_in": None if kept_in is None else str(kept_in)}
        self._say(document)

    def failed(self, sentence: str) -> None:
        self._say({"ok": False, "error": sentence})

    def _say(self, document: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def describe(performance: Performance) -> dict[str, Any]:
    """The facts of a performance as JSON: `cells`, `ledger`, `reasons`, `checks` and how long it took."""
    return {
        "ok": performance.is_as_promised(),
        "set_up_seconds": round(performance.set_up_seconds, 3),
        "played_seconds": round(performance.played_seconds, 3),
        "cells": [_describe_cell(outcome) for outcome in performance.outcomes],
        "ledger": {keys: _describe_ledger(run) for keys, run in performance.ledger_runs.items()},
        "reasons": REASONS if performance.is_as_promised() else {},
        "checks": [{"sentence": check.sentence, "holds": check.holds} for check in performance.checks],
    }


def _describe_cell(outcome: Outcome) -> dict[str, Any]:
    return {
        "strategy": outcome.cell.strategy,
        "keys": outcome.cell.keys,
        "order_id": outcome.order_id,
        "charges_expected": outcome.cell.charges_expected,
        "charges": list(outcome.account.charges),
        "asked_with_keys": list(outcome.account.asked_with_keys),
        "killed": {
            "pid": outcome.killed.pid,
            "exit_code": outcome.killed.exit_code,
            "at": outcome.killed.killed_at.isoformat(),
            "confirmed_charge_id": outcome.killed.confirmed_charge_id,
        },
        "restarted": _describe_end(outcome.restarted),
        "started_again": None if outcome.started_again is None else _describe_end(outcome.started_again),
    }


def _describe_end(finished: Finished) -> dict[str, Any]:
    return {"pid": finished.pid, "charge_id": finished.charge_id, "mail_id": finished.mail_id}


def _describe_ledger(run: LedgerRun) -> dict[str, Any]:
    return {
        "channel_id": run.channel_id,
        "timeline": [
            {
                "cursor": moment.cursor,
                "at": moment.at.isoformat(),
                "event_type": moment.event_type,
                "what": moment.what,
            }
            for moment in run.moments
        ],
    }
