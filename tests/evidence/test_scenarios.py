"""The scenarios are what the reports say they are."""

from itertools import combinations

from evidence.models.tokenizer import Tokenizer
from evidence.running import scripted_model
from evidence.scenarios.library import FLAGSHIP, load_scenario, load_scenarios


def test_there_are_five_and_each_has_an_effect_before_its_boundary_and_a_tail_after_it() -> None:
    """The tail asks for the inherited effect again, so that replaying it is put to the test."""
    scenarios = load_scenarios()
    assert len(scenarios) == 5
    for scenario in scenarios:
        inherited = {effect.key for step in scenario.steps[: scenario.fork_at] for effect in step.effects}
        asked_again = {effect.key for step in scenario.tail for effect in step.effects}
        assert inherited, scenario.name
        assert inherited <= asked_again, scenario.name
        assert len(scenario.tail) >= 3


def test_the_flagship_is_a_run_of_nine_steps_forked_at_the_fifth() -> None:
    """And its fork changes something."""
    flagship = load_scenario(FLAGSHIP)
    assert (len(flagship.steps), flagship.fork_at) == (9, 5)
    assert flagship.changed().steps[:5] == flagship.steps[:5]
    assert flagship.changed().tail != flagship.tail


def test_the_scenarios_are_unrelated() -> None:
    """No effect, no order and no question is shared."""
    scripted_model()  # asserts it of the questions
    for one, other in combinations(load_scenarios(), 2):
        keys = [
            {effect.key for step in scenario.steps for effect in step.effects} for scenario in (one, other)
        ]
        assert not keys[0] & keys[1]


def test_the_tokenizer_counts_what_the_public_vocabulary_says() -> None:
    """Counts that are published for it: a marker in a text is text, and counted as such."""
    tokenizer = Tokenizer()
    assert [tokenizer.count(text) for text in ("", "hello world", "tiktoken is great!")] == [0, 2, 6]
    assert tokenizer.count("<|endoftext|>") > 1
