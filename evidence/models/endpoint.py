"""A model behind any endpoint that speaks OpenAI's chat completions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import urllib3

from evidence.failures import EvidenceError
from evidence.models.model import Completion, Message, Usage

_SECONDS_MAX: Final = 600.0
_QUOTED_CHARACTERS_MAX: Final = 300


class EndpointModel:
    """Asks `POST {base_url}/chat/completions`, once per question.

    A call that fails is not sent again: the endpoint may have worked, and charged, for an answer that
    was lost, and no sum could show it. The report fails instead.
    """

    def __init__(
        self, base_url: str, model: str, api_key: str | None = None, *, max_tokens: int | None = None
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._model = model
        self._max_tokens = max_tokens
        headers = {"authorization": f"Bearer {api_key}"} if api_key else {}
        self._http = urllib3.PoolManager(retries=False, timeout=_SECONDS_MAX, headers=headers)

    def complete(self, messages: Sequence[Message], *, temperature: float, seed: int) -> Completion:
        """The endpoint's first choice. Raises `EvidenceError` for anything but an answer with its usage."""
        body: dict[str, Any] = {
            "model": self._model,
            "messages": list(messages),
            "temperature": temperature,
            "seed": seed,
        }
        if self._max_tokens is not None:
            body["max_tokens"] = self._max_tokens
        return self._read(self._send(body))

    def describe(self) -> dict[str, Any]:
        """What a report says about it; never the key."""
        return {"model": self._model, "max_tokens": self._max_tokens}

    def _send(self, body: Mapping[str, Any]) -> Any:
        try:
            answer = self._http.request(
                "POST",
                f"{self._base_url}/chat/completions",
                json=body,
                headers={**self._http.headers, "content-type": "application/json"},
            )
        except urllib3.exceptions.HTTPError as failure:
            raise EvidenceError(f"{self._base_url} did not answer: {failure}") from failure
        text = answer.data.decode(errors="replace")
        if answer.status != 200:
            raise EvidenceError(f"{self._base_url} answered {answer.status}: {text[:_QUOTED_CHARACTERS_MAX]}")
        try:
            return answer.json()
        except ValueError:
            raise EvidenceError(
                f"{self._base_url} answered no JSON: {text[:_QUOTED_CHARACTERS_MAX]}"
            ) from None

    def _read(self, answer: Any) -> Completion:
        try:
            choice = answer["choices"][0]
            text = choice["message"]["content"] or ""
            returned = answer["usage"]
            usage = Usage(
                input_tokens=_count(returned, "prompt_tokens"),
                output_tokens=_count(returned, "completion_tokens"),
            )
        except (KeyError, IndexError, TypeError) as missing:
            raise EvidenceError(
                f"The answer of {self._model!r} lacks what a report needs: {missing!r}"
            ) from None
        return Completion(
            text=text.strip(),
            usage=usage,
            finish_reason=choice.get("finish_reason"),
            returned_usage=returned,
        )


def _count(usage: Mapping[str, Any], name: str) -> int:
    count = usage[name]
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        raise EvidenceError(f"The endpoint says {name} = {count!r}, which is no count of tokens.")
    return count
