"""A model behind an OpenAI-compatible endpoint."""

from typing import Any

import pytest

from evidence.failures import EvidenceError
from evidence.models.endpoint import EndpointModel
from evidence.models.model import Message
from tests.evidence.support.endpoint import completion, endpoint

ASKED: list[Message] = [{"role": "user", "content": "Well?"}]
KEY = "sk-canary-1234567890"


def test_the_usage_is_what_the_endpoint_returned() -> None:
    """Details that it adds are kept as they came."""
    answer = completion(" Yes. ", 12, 3, total_tokens=15, prompt_tokens_details={"cached_tokens": 8})
    with endpoint(lambda _: (200, answer)) as server:
        said = EndpointModel(server.base_url, "m", KEY, max_tokens=50).complete(
            ASKED, temperature=0.7, seed=4
        )
    assert (said.text, said.usage.input_tokens, said.usage.output_tokens) == ("Yes.", 12, 3)
    assert said.returned_usage == answer["usage"]
    assert server.requests == [
        {"model": "m", "messages": ASKED, "temperature": 0.7, "seed": 4, "max_tokens": 50}
    ]
    assert server.keys == [f"Bearer {KEY}"]


def test_without_a_key_none_is_sent() -> None:
    """And without a limit none either."""
    with endpoint(lambda _: (200, completion("Yes.", 1, 1))) as server:
        EndpointModel(server.base_url + "/", "m").complete(ASKED, temperature=0, seed=1)
    assert server.keys == [None]
    assert "max_tokens" not in server.requests[0]


NO_USAGE = {name: value for name, value in completion("Yes.", 1, 1).items() if name != "usage"}


@pytest.mark.parametrize(
    ("status", "answer", "said"),
    [
        (500, {"error": "overloaded"}, "answered 500.*overloaded"),
        (401, {"error": "no such key"}, "answered 401"),
        (200, b"<html>", "answered no JSON"),
        (200, NO_USAGE, "usage"),
        (200, {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}, "lacks"),
        (200, [], "lacks"),
        (200, completion("Yes.", -1, 1), "prompt_tokens = -1"),
        (200, completion("Yes.", True, 1), "prompt_tokens = True"),
    ],
)
def test_an_answer_that_cannot_be_counted_fails_at_once(status: int, answer: Any, said: str) -> None:
    """It is not asked again: what was already worked for would be in no sum. The key is in no message."""
    with endpoint(lambda _: (status, answer)) as server:
        model = EndpointModel(server.base_url, "m", KEY)
        with pytest.raises(EvidenceError, match=said) as caught:
            model.complete(ASKED, temperature=0, seed=1)
    assert len(server.requests) == 1
    assert KEY not in str(caught.value)


def test_an_endpoint_that_is_not_there_is_named() -> None:
    """The sentence has its address."""
    with endpoint(lambda _: (200, {})) as server:
        base_url = server.base_url
    with pytest.raises(EvidenceError, match=base_url):
        EndpointModel(base_url, "m").complete(ASKED, temperature=0, seed=1)
