"""The agent: asks the model, acts, records the step, saves its state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from actae_client import SyncAgentSession
from evidence.failures import EvidenceError
from evidence.harness.bench import Bench
from evidence.harness.effects import perform
from evidence.models.model import Completion, Message, Model
from evidence.scenarios.scenario import Scenario, Step


@dataclass(frozen=True, kw_only=True)
class Asking:
    """How the model is asked, in each step of a run."""

    temperature: float
    seed: int


class Agent:
    """Works on one run of a scenario. All that it knows is its state, and that is what it saves."""

    def __init__(self, bench: Bench, scenario: Scenario, model: Model, asking: Asking) -> None:
        self._bench = bench
        self._scenario = scenario
        self._model = model
        self._asking = asking
        self._messages: list[Message] = [{"role": "system", "content": scenario.system}]
        self._texts: dict[str, str] = {}

    def start(self, channel_id: str) -> None:
        """Run the scenario from its first step to its last."""
        with SyncAgentSession(self._bench.client, channel_id, state_fn=self._state) as session:
            self._work(session)

    def start_fork(self, source: str, channel_id: str, intervention: Mapping[str, Any] | None) -> None:
        """Fork a run at the scenario's step, and run the rest of the scenario from the state inherited."""
        session = SyncAgentSession.resume(
            self._bench.client,
            source,
            fork_at_step=self._scenario.fork_at,
            name=channel_id,
            state_fn=self._state,
            reason=self._scenario.change_reason,
            intervention=dict(intervention) if intervention else None,
            tool_policies=dict(self._scenario.tool_policies) or None,
        )
        inherited = session.inherited_state
        if not isinstance(inherited, dict):
            raise EvidenceError(f"The fork {channel_id} inherited no state.")
        self._messages, self._texts = inherited["messages"], inherited["texts"]
        with session:
            self._work(session)

    def _state(self) -> dict[str, Any]:
        return {"messages": self._messages, "texts": self._texts}

    def _work(self, session: SyncAgentSession) -> None:
        for step in self._scenario.steps[session.step_count :]:
            self._take(step, session)

    def _take(self, step: Step, session: SyncAgentSession) -> None:
        self._messages.append({"role": "user", "content": step.ask})
        said = self._model.complete(self._messages, **asdict(self._asking))
        self._messages.append({"role": "assistant", "content": said.text})
        self._texts[step.name] = said.text
        outcomes = [
            perform(self._bench, session.channel_id, effect, self._texts).to_json() for effect in step.effects
        ]
        session.step(
            step.name,
            input={"ask": step.ask},
            output={"text": said.text, "effects": outcomes},
            metadata={"finish_reason": said.finish_reason, "usage": _usage(said)},
        )


def _usage(said: Completion) -> dict[str, Any]:
    """In the words that the server's comparison of two runs adds up."""
    return {
        "input_tokens": said.usage.input_tokens,
        "output_tokens": said.usage.output_tokens,
        "returned": dict(said.returned_usage),
    }
