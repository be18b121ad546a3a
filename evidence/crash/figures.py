"""The crash report for programs."""

from __future__ import annotations

from typing import Any

from actae_client.testing import Cell, Matrix
from evidence.crash.measuring import CrashReport
from evidence.origin import Origin


def crash_figures(report: CrashReport, origin: Origin) -> dict[str, Any]:
    """Every cell, the sums, and the checks."""
    return {
        "command": origin.command,
        "holds": report.holds,
        "checks": [check.to_json() for check in report.checks],
        "sums": summed(report.matrix),
        "cells": [cell_figures(cell) for cell in report.matrix.cells],
    }


def cell_figures(cell: Cell) -> dict[str, Any]:
    """One cell, without the id of its run, which is another one each time."""
    figures = cell.to_dict()
    del figures["run_id"]
    return figures


def summed(matrix: Matrix) -> list[dict[str, Any]]:
    """For each memory and each kind of provider: kills, and in how many of them something went amiss."""
    pairs = dict.fromkeys((cell.policy, cell.provider) for cell in matrix.cells)
    sums = []
    for policy, provider in pairs:
        part = matrix.of(policy=policy, provider=provider)
        sums.append(
            {
                "policy": policy,
                "provider": provider,
                "kills": sum(cell.is_killed for cell in part.cells),
                "doubled": len(part.duplicates),
                "lost": len(part.losses),
                "unfinished": len(part.stuck),
            }
        )
    return sums
