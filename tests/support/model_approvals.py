"""A small model of questions, answers and claims: what the next claim is told, written from the guide."""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Question:
    """One request, and the call that it is about."""

    request_id: str
    key: str | None
    params: Any
    deadline: int | None
    status: str = "pending"

    def standing(self, now: int) -> str:
        """A deadline passes by itself."""
        overdue = self.status == "pending" and self.deadline is not None and now >= self.deadline
        return "expired" if overdue else self.status


@dataclass
class Operation:
    """One operation of the ledger."""

    params: Any
    status: str
    lease_until: int


@dataclass
class Channel:
    """Everything that was asked, answered and claimed."""

    now: int = 0
    questions: list[Question] = field(default_factory=list)
    operations: dict[str, Operation] = field(default_factory=dict)

    def ask(self, request_id: str, key: str | None, params: Any, seconds: int | None) -> str:
        """`recorded`, or the code of a refusal."""
        known = self.find(request_id)
        if known is None:
            held = None if key is None else self.operations.get(key)
            if held is not None and held.status == "completed":
                return "approval_not_needed"
            deadline = None if seconds is None else self.now + seconds
            for before in self.questions:
                is_open = before.standing(self.now) in ("pending", "approved")
                if key is not None and before.key == key and is_open:
                    before.status = "superseded"
            self.questions.append(Question(request_id, key, params, deadline))
        elif key is not None and (known.key, known.params) != (key, params):
            return "idempotency_conflict"
        return "recorded"

    def answer(self, request_id: str, verdict: str) -> str:
        """What somebody says."""
        question = self.find(request_id)
        if question is not None:
            standing = question.standing(self.now)
            may_change = standing == "pending" or (standing, verdict) == ("approved", "rejected")
            question.status = verdict if may_change else standing
        return "recorded"

    def claim(self, key: str, params: Any, *, seconds: int, insists: bool) -> str:
        """`claimed` and the like, or the code of a refusal."""
        held = self.operations.get(key)
        if held is not None:
            if held.params != params:
                return "idempotency_key_mismatch"
            if held.status == "completed":
                return "replayed"
            if held.status == "running" and self.now < held.lease_until:
                return "in_progress"
        refused = self._refused(key, params, insists)
        if refused is not None:
            return refused
        self.operations[key] = Operation(params, "running", self.now + seconds)
        return "claimed" if held is None else "reclaimed"

    def _refused(self, key: str, params: Any, insists: bool) -> str | None:
        about = [question for question in self.questions if question.key == key]
        if not about:
            return "approval_not_found" if insists else None
        if about[-1].params != params:
            return "approval_mismatch"
        standing = about[-1].standing(self.now)
        return None if standing == "approved" else f"approval_{standing}"

    def settle(self, key: str, verb: str) -> None:
        """Complete, fail or cancel what runs."""
        self.operations[key].status = {"complete": "completed", "fail": "failed", "cancel": "cancelled"}[verb]

    def free(self, key: str) -> None:
        """Delete an operation; what was approved was approved once."""
        del self.operations[key]
        for question in self.questions:
            if (question.key, question.status) == (key, "approved"):
                question.status = "expired"

    def find(self, request_id: str) -> Question | None:
        """A request by its id."""
        return next((each for each in self.questions if each.request_id == request_id), None)

    def listed(self) -> dict[str, str]:
        """How each request stands."""
        return {each.request_id: each.standing(self.now) for each in self.questions}
