"""Methods about forks."""

from __future__ import annotations

from collections.abc import Coroutine, Mapping
from typing import Any

from actae_client._async.sender import Sender
from actae_client._calls import forks
from actae_client._types.channels import ChannelMetadata
from actae_client._types.forks import ForkInfo, ForkReceipt, ToolPolicy
from actae_client._types.json import Json


class ForkMethods(Sender):
    """A fork starts with the state and the completed effects that its source had at a cursor."""

    def fork(
        self,
        source_channel_id: str,
        new_channel_id: str,
        at_cursor: int = 0,
        *,
        display_name: str | None = None,
        reason: str | None = None,
        experiment_metadata: dict[str, Json] | None = None,
        operation_id: str | None = None,
        manifest: dict[str, Json] | None = None,
        tool_policies: Mapping[str, ToolPolicy] | None = None,
        expected_version: int | None = None,
        expected_cursor: int | None = None,
        copy_state: bool = True,
    ) -> Coroutine[Any, Any, ForkReceipt]:
        """Start a new channel from a cursor of another one; 0 is its latest state.

        The child gets the newest snapshot at or before the cursor, and replays the effects that
        were completed by then. Its log is its own and begins with `fork.started`. `tool_policies`
        maps tool names, or `*`, to `auto`, `replay`, `block` or `live`. The expectations are those
        of the source's latest snapshot. With `copy_state=False` the child starts without a state;
        servers that do not know this wish copy one, and then `restorable` is True.

        Forking again under the same name, from the same source and cursor, returns the first
        receipt with `replayed=True`. An `operation_id` is made for each call that names none.

        Raises SnapshotBoundaryError when there is no snapshot at or before the cursor,
        ChannelConflictError when the new channel exists already and is not this fork,
        VersionConflictError when an expectation does not hold, IdempotencyConflictError when
        `operation_id` names another fork, ChannelNotFoundError, and InvalidRequestError when
        `forked_at_step` in `experiment_metadata` counts more steps than the source has there.
        """
        return self._send(
            forks.fork(
                source_channel_id,
                new_channel_id,
                at_cursor,
                display_name=display_name,
                reason=reason,
                experiment_metadata=experiment_metadata,
                operation_id=operation_id,
                manifest=manifest,
                tool_policies=tool_policies,
                expected_version=expected_version,
                expected_cursor=expected_cursor,
                copy_state=copy_state,
            )
        )

    def get_fork_receipt(self, channel_id: str) -> Coroutine[Any, Any, ForkReceipt]:
        """The receipt of a fork. Raises NotAForkError, ChannelNotFoundError."""
        return self._send(forks.get_fork_receipt(channel_id))

    def list_forks(self, channel_id: str) -> Coroutine[Any, Any, list[ChannelMetadata]]:
        """What was forked from a channel directly, oldest first."""
        return self._send(forks.list_forks(channel_id))

    def get_fork_tree(self, root_channel_id: str) -> Coroutine[Any, Any, ForkInfo]:
        """A channel with all that was forked from it, level by level. Raises ChannelNotFoundError."""
        return self._send(forks.get_fork_tree(root_channel_id))

    def diff_states(self, left: str, right: str) -> Coroutine[Any, Any, dict[str, Any]]:
        """Where the latest states of two channels differ.

        `entries` lists `{"path", "kind", "left", "right"}`, where `kind` is `added` (only on the
        right), `removed` or `changed`; at most 500 of them, `truncated` says whether there are
        more. `common` is the state of the nearest common ancestor. Raises ChannelNotFoundError.
        """
        return self._send(forks.diff_states(left, right))

    def compare_channels(self, left: str, right: str) -> Coroutine[Any, Any, dict[str, Any]]:
        """All in which two channels differ: state, manifest, effects, output, and what they cost.

        Raises ChannelNotFoundError.
        """
        return self._send(forks.compare_channels(left, right))

    def decision_trail(self, channel_id: str) -> Coroutine[Any, Any, dict[str, Any]]:
        """Where a channel comes from and what it did.

        `ancestry` goes from the channel to its root, `boundary` is the snapshot that was copied
        when it was forked, `executions` are its own, oldest first. If `truncated`, they are not all:
        `list_executions` has the others. Raises ChannelNotFoundError.
        """
        return self._send(forks.decision_trail(channel_id))

    def set_outcome(
        self, channel_id: str, outcome: str | None, *, score: float | None = None
    ) -> Coroutine[Any, Any, dict[str, Any]]:
        """Say how a channel ended: `promoted`, `rejected`, `inconclusive` or `crashed`.

        Without a score the one that is stored stays. None takes back `crashed`, and nothing else; what
        was promoted does not become `crashed`. Raises ChannelNotFoundError.
        """
        return self._send(forks.set_outcome(channel_id, outcome, score=score))

    def promote_channel(self, channel_id: str) -> Coroutine[Any, Any, dict[str, Any]]:
        """Append a fork's outcome, and its state where it has one, to its parent.

        The state is that of a step, and the parent has that step from then on. The effects stay the
        fork's: the parent would run them again. Nothing of the parent is rewritten; a second time
        returns the first result with
        `replayed=True`. Raises NotAForkError, ChannelNotFoundError.
        """
        return self._send(forks.promote_channel(channel_id))
