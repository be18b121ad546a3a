"""What can be read from a session, without asking anybody."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from actae_client._calls.channel_ids import validate_channel_id
from actae_client._calls.frozen import frozen
from actae_client._types.forks import ForkReceipt
from actae_client._types.json import Json
from actae_client.errors import SessionCompletedError, SessionError
from actae_client.session.settings import SessionSettings
from actae_client.session.start import Start, Status


class SessionFacts:
    """The properties that both kinds of session have. What can be changed is given out as a copy."""

    def __init__(self, name: str, params: dict[str, Json] | None, settings: SessionSettings) -> None:
        validate_channel_id(name)
        self._name = name
        self._params: dict[str, Json] = frozen("params", params or {})
        self._settings = settings
        self._begin(Start())

    def _begin(self, start: Start) -> None:
        self._start = start
        if start.params is not None:
            self._params = start.params
        self._status: Status = start.status
        self._progress = start.progress

    @property
    def channel_id(self) -> str:
        """The channel that the session is recorded on."""
        return self._name

    @property
    def name(self) -> str:
        """The same."""
        return self._name

    @property
    def status(self) -> Status:
        """`created`, `started`, `stepping`, `completed` or `crashed`."""
        return self._status

    @property
    def step_count(self) -> int:
        """The number of the last step; those that a fork inherits count."""
        return self._progress.count

    @property
    def cursors(self) -> list[int]:
        """The cursor of each step; 0 where it was recorded elsewhere and is not known here."""
        return list(self._progress.cursors)

    @property
    def params(self) -> dict[str, Json]:
        """The parameters of the run."""
        return deepcopy(self._params)

    @property
    def intervention(self) -> dict[str, Json] | None:
        """What is to be different in this fork. The application applies it."""
        return deepcopy(self._start.intervention)

    @property
    def tool_policies(self) -> dict[str, Any] | None:
        """The tool policies of this fork, which the server enforces."""
        return deepcopy(self._receipt.tool_policies) if self._receipt is not None else None

    @property
    def inherited_state(self) -> Json:
        """The state to go on from: that of the last snapshot, None if there is none.

        It may be older than the last step: what was recorded after `inherited_state_cursor`, and
        the steps after `inherited_state_step`, are not in it.
        """
        inherited = self._start.inherited
        return deepcopy(inherited.state) if inherited is not None else None

    @property
    def inherited_state_cursor(self) -> int | None:
        """The cursor of that snapshot on the session's channel, None without one."""
        return self._start.inherited.cursor if self._start.inherited is not None else None

    @property
    def inherited_state_step(self) -> int | None:
        """The step after which that snapshot was saved, None where that is not known."""
        return self._start.inherited.step if self._start.inherited is not None else None

    @property
    def fork_receipt(self) -> ForkReceipt | None:
        """How this session was forked, None if it was not."""
        return self._receipt

    @property
    def boundary_restorable(self) -> bool | None:
        """Whether the fork was given a snapshot; None if the session is no fork."""
        return self._start.lineage.has_state if self._start.lineage is not None else None

    @property
    def requested_boundary_cursor(self) -> int | None:
        """The cursor of the step at which the session was forked, in the numbering of its owner."""
        return self._start.lineage.requested_cursor if self._start.lineage is not None else None

    @property
    def resolved_boundary_cursor(self) -> int | None:
        """The cursor of the snapshot that was copied. Before the requested one, it lacks some steps."""
        return self._receipt.resolved_cursor if self._receipt is not None else None

    @property
    def source_state_version(self) -> int | None:
        """The version of the snapshot that was copied, 0 without one."""
        return self._receipt.source_state_version if self._receipt is not None else None

    @property
    def source_state_sha256(self) -> str | None:
        """The digest of the state that was copied."""
        return self._receipt.source_state_sha256 if self._receipt is not None else None

    @property
    def reproducibility(self) -> str | None:
        """How exactly the fork repeats its source, as the server grades it."""
        return self._start.lineage.reproducibility if self._start.lineage is not None else None

    @property
    def _receipt(self) -> ForkReceipt | None:
        return self._start.lineage.receipt if self._start.lineage is not None else None

    def _require_open(self) -> None:
        if self._status == "completed":
            raise SessionCompletedError(f"session {self._name!r} is completed and takes no more steps")
        if self._status not in ("started", "stepping"):
            raise SessionError(
                f"session {self._name!r} is {self._status}; steps are recorded inside of `async with session`"
            )

    def _described(self, **changes: Json) -> dict[str, Any]:
        """What the session says about itself in the metadata of its channel."""
        described: dict[str, Any] = {
            "session_name": self._name,
            "params": self._params,
            "status": self._status,
            **self._progress.to_metadata(),
            **changes,
        }
        if self._start.intervention is not None:
            described["intervention"] = self._start.intervention
        if self._settings.step_identity != "shared":
            described["step_identity"] = self._settings.step_identity
        return described

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._name} {self._status} at step {self.step_count}>"
