# Written by tools/generate_sync.py from _async/experiments.py. Do not edit.
"""Methods about experiments."""

from __future__ import annotations

from typing import Any

from actae_client._calls import experiments
from actae_client._sync.sender import Sender
from actae_client._types.json import Json


class ExperimentMethods(Sender):
    """Channels side by side: a baseline and its variants, ranked by the scores of their outcomes."""

    def create_experiment(
        self, name: str, *, description: str | None = None, baseline_channel_id: str | None = None
    ) -> dict[str, Any]:
        """Open an experiment; its `group_id` names it in the other calls.

        The baseline becomes its first member. Raises ChannelNotFoundError.
        """
        return self._send(
            experiments.create_experiment(
                name, description=description, baseline_channel_id=baseline_channel_id
            )
        )

    def list_experiments(self) -> list[dict[str, Any]]:
        """All experiments of which the key may observe a member, or that have none."""
        return self._send(experiments.list_experiments())

    def get_experiment(self, group_id: str) -> dict[str, Any]:
        """One experiment with its members. Raises ExperimentNotFoundError."""
        return self._send(experiments.get_experiment(group_id))

    def add_experiment_member(
        self,
        group_id: str,
        channel_id: str,
        *,
        role: str = "variant",
        declared_delta: dict[str, Json] | None = None,
    ) -> dict[str, Any]:
        """Add a channel; `declared_delta` says what is different about it.

        Adding it again sets role and delta anew. Raises ExperimentNotFoundError,
        ChannelNotFoundError.
        """
        return self._send(
            experiments.add_experiment_member(group_id, channel_id, role=role, declared_delta=declared_delta)
        )

    def rank_experiment(self, group_id: str) -> dict[str, Any]:
        """The members by score, the highest first and those without one last.

        Raises ExperimentNotFoundError.
        """
        return self._send(experiments.rank_experiment(group_id))
