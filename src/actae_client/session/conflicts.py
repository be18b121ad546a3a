"""What to say when a step meets another one under its identity."""

from __future__ import annotations

from actae_client.errors import IdempotencyConflictError
from actae_client.session.draft import StepDraft, StepIdentity


def explained(
    conflict: IdempotencyConflictError,
    channel_id: str,
    step_number: int,
    draft: StepDraft,
    kind: StepIdentity,
) -> IdempotencyConflictError:
    """The refusal, with what was refused and what the caller can do about it."""
    sentence = (
        f"step {step_number} ({draft.step_type!r}) of {channel_id!r} is not recorded: its operation id "
        "names a step that was recorded there with other content"
    )
    if draft.operation_id is not None:
        sentence += ". Pass another operation_id"
    elif kind == "shared":
        sentence += (
            ", because only the beginning of a step counts for its id and the two begin alike. Call step() "
            "again with an operation_id, or give the session step_identity='full'"
        )
    told = IdempotencyConflictError(sentence)
    told.__dict__.update(conflict.__dict__)
    return told
