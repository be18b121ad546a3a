"""What a fork's log tells of effects that did not run there: results handed out again, and calls refused."""

from typing import Final, TypeVar

import msgspec

from actae.domain.literal_json import members_of

_T = TypeVar("_T", bound=msgspec.Struct)

TOLD_MAX: Final = 1_000

REPLAYED: Final = "tool.replayed"
BLOCKED: Final = "tool.blocked"


class BlockedCall(msgspec.Struct, frozen=True):
    """A call that a fork's tool policy refused."""

    key_name: str
    tool_name: str
    policy: str
    cursor: int


class Effects(msgspec.Struct, frozen=True):
    """Where the effects of one side come from.

    `ran` counts the channel's own operations, `inherited` those that it has from its ancestors. `replayed`
    names the keys whose recorded result was handed out; it is told only where the claim asked for an event.
    """

    ran: int
    inherited: int
    replayed: list[str]
    blocked: list[BlockedCall]
    truncated: bool


class EffectsOfBoth(msgspec.Struct, frozen=True):
    """Both sides."""

    left: Effects
    right: Effects


class ToldEffects:
    """Collects what events tell. Anybody may record an event of these types, so it need not be ours."""

    def __init__(self) -> None:
        self.replayed: dict[str, None] = {}
        self.blocked: list[BlockedCall] = []
        self.truncated = False

    def add(self, event_type: str, payload: bytes, cursor: int) -> None:
        """Hear one event; those of other types, and payloads that the server did not write, tell nothing."""
        try:
            if event_type == REPLAYED:
                self._add_replayed(_told(_Replayed, payload))
            elif event_type == BLOCKED:
                self._add_blocked(_told(_Blocked, payload), cursor)
        except msgspec.DecodeError:
            pass

    def _add_replayed(self, told: "_Replayed") -> None:
        if len(self.replayed) < TOLD_MAX or told.key_name in self.replayed:
            self.replayed[told.key_name] = None
        else:
            self.truncated = True

    def _add_blocked(self, told: "_Blocked", cursor: int) -> None:
        if len(self.blocked) < TOLD_MAX:
            self.blocked.append(BlockedCall(told.key_name, told.tool_name, told.policy, cursor))
        else:
            self.truncated = True

    def show(self, *, ran: int, inherited: int) -> Effects:
        """Together with what the ledger counts."""
        return Effects(ran, inherited, list(self.replayed), self.blocked, self.truncated)


class _Replayed(msgspec.Struct):
    key_name: str


class _Blocked(msgspec.Struct):
    key_name: str
    tool_name: str
    policy: str


def _told(kind: type[_T], payload: bytes) -> _T:
    """What a payload says of this; whatever else it holds may be no Unicode."""
    members = members_of(payload)
    names = kind.__struct_fields__
    return kind(*(msgspec.json.decode(members.get(name, b"null"), type=str) for name in names))
