"""Writes that keep their identity however often they are sent, and know what must be found of them later."""

from typing import Any
from uuid import uuid4

from tests.support.history import History


class Write:
    """One write. `reply` is the body of its acknowledgement, once there was one."""

    repeats_its_reply = True  # however much later it is sent again

    def __init__(self, method: str, path: str, body: dict[str, Any]) -> None:
        self.method = method
        self.path = f"/api/v1{path}"
        self.body = body
        self.reply: Any = None

    def look(self, history: History) -> None:
        """Assert that what was acknowledged is there."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{self.method} {self.path} {self.body} -> {self.reply}"


class Note(Write):
    """An event under an operation id."""

    def __init__(self, channel_id: str, text: str) -> None:
        metadata = {"actor": "load", "agent_id": None, "user_id": None, "metadata": None}
        body = {
            "channel_id": channel_id,
            "event_type": "note",
            "payload": text,
            "metadata": metadata,
            "operation_id": str(uuid4()),
        }
        super().__init__("POST", "/events/record", body)

    def look(self, history: History) -> None:
        """The very event, at its cursor."""
        event = self.reply["event"]
        assert history.event(event["channel_id"], event["cursor"]) == event
        assert event["payload"] == self.body["payload"]


class Move(Write):
    """A transition from one version of the state to the next."""

    def __init__(self, channel_id: str, version: int) -> None:
        body = {
            "channel_id": channel_id,
            "type": "moved",
            "payload": {"to": version},
            "state": {"at": version},
            "metadata": {"actor": "load"},
            "expected_version": version - 1,
            "operation_id": str(uuid4()),
        }
        super().__init__("POST", "/events/transition", body)

    def look(self, history: History) -> None:
        """The event and the state, both or neither."""
        event, version = self.reply["event"], self.reply["state_version"]
        assert version == self.body["expected_version"] + 1, "a guard was passed by twice"
        assert history.event(event["channel_id"], event["cursor"]) == event
        assert history.state(event["channel_id"], version) == (event["cursor"], self.body["state"])


class Claim(Write):
    """A claim under an attempt id. Its lease outlives every test."""

    repeats_its_reply = False  # once completed, it is replayed

    def __init__(self, channel_id: str, key_name: str) -> None:
        body = {
            "channel_id": channel_id,
            "key_name": key_name,
            "tool_name": "charge",
            "params": {"order": key_name},
            "lease_seconds": 3600,
            "attempt_id": str(uuid4()),
        }
        super().__init__("POST", "/executions/claim", body)

    @property
    def is_owner(self) -> bool:
        """Whether the caller must run the operation."""
        return self.reply["status"] in ("claimed", "reclaimed")

    def look(self, history: History) -> None:
        """A live lease was never handed out twice, and its start is in the log."""
        execution = self.reply["execution"]
        assert execution["attempts"] == 1, "a key was handed out a second time"
        started = history.event(execution["channel_id"], execution["started_cursor"])
        assert started["id"] == execution["started_event_id"]
        assert started["payload"]["params"] == self.body["params"]


class Complete(Write):
    """The result of a claim, under its token."""

    def __init__(self, claim: Claim) -> None:
        self._execution_id = claim.reply["execution"]["id"]
        body = {"claim_token": claim.reply["claim_token"], "result": {"receipt": str(uuid4())}}
        super().__init__("POST", f"/executions/{self._execution_id}/complete", body)

    def look(self, history: History) -> None:
        """Completed with this result, and its end is in the log."""
        execution = history.execution(self._execution_id)
        assert execution == self.reply["execution"]
        assert (execution["status"], execution["result"]) == ("completed", self.body["result"])
        ended = history.event(execution["channel_id"], execution["completed_cursor"])
        assert (ended["type"], ended["payload"]["result"]) == ("tool.completed", self.body["result"])


class Describe(Write):
    """A story: metadata of a channel, each time a later number."""

    repeats_its_reply = False  # and would bring the earlier number back

    def __init__(self, channel_id: str, number: int) -> None:
        self._channel_id = channel_id
        self.number = number
        super().__init__("PUT", f"/channels/{channel_id}/metadata", {"display_name": str(number)})

    def look(self, history: History) -> None:
        """This number or a later one."""
        assert int(history.metadata(self._channel_id)["display_name"]) >= self.number


class Enlist(Write):
    """A group, or a member of it: what letters need."""

    repeats_its_reply = False  # a group says when its last member came

    def look(self, history: History) -> None:
        """Its letters tell."""


class Letter(Write):
    """A message between two members of a group."""

    def __init__(self, group_id: str, sender: str, recipient: str, text: str) -> None:
        body = {
            "from_member_id": sender,
            "to_member_id": recipient,
            "type": "letter",
            "payload": text,
            "operation_id": str(uuid4()),
        }
        super().__init__("POST", f"/execution-groups/{group_id}/messages", body)

    def look(self, history: History) -> None:
        """Both events, of the same envelope, the one because of the other."""
        message = self.reply["message"]
        channel_id, _, cursor = message["message_id"].rpartition("~")
        received = history.event(channel_id, int(cursor))
        assert (received["id"], received["depends_on"]) == (
            message["delivery_event_id"],
            message["source_event_id"],
        )
        assert received["payload"]["payload"] == self.body["payload"]
        assert [each["payload"] for each in history.sent(message["source_event_id"])] == [received["payload"]]
