"""Experiments, on a real server."""

import pytest

from actae_client import ActaeClient, errors


async def test_channels_are_ranked_by_their_scores(actae: ActaeClient, channel: str) -> None:
    """The highest first, those without a score last; the score is read when it is asked for."""
    variants = [f"{channel}.{letter}" for letter in "bcd"]
    for name in (channel, *variants):
        await actae.record(name, "note", None, actor="a")
    opened = await actae.create_experiment("prompts", description="which", baseline_channel_id=channel)
    group = opened["group_id"]
    for name in variants:
        await actae.add_experiment_member(group, name, declared_delta={"prompt": name})
    await actae.add_experiment_member(group, variants[0], role="control", declared_delta={"prompt": "none"})
    await actae.set_outcome(variants[1], "promoted", score=0.9)
    await actae.set_outcome(variants[0], "rejected", score=0.1)
    ranking = (await actae.rank_experiment(group))["ranking"]
    assert [each["channel_id"] for each in ranking[:2]] == [variants[1], variants[0]]
    assert {each["channel_id"] for each in ranking[2:]} == {channel, variants[2]}
    read = await actae.get_experiment(group)
    assert read["description"] == "which"
    roles = {member["channel_id"]: member["role"] for member in read["members"]}
    assert roles == {
        channel: "baseline",
        variants[0]: "control",
        variants[1]: "variant",
        variants[2]: "variant",
    }
    assert group in [each["group_id"] for each in await actae.list_experiments()]


async def test_what_does_not_exist_is_named(actae: ActaeClient, channel: str) -> None:
    """The experiment, or the channel that was to take part."""
    with pytest.raises(errors.ExperimentNotFoundError):
        await actae.get_experiment("unknown")
    with pytest.raises(errors.ChannelNotFoundError):
        await actae.create_experiment("prompts", baseline_channel_id=channel)
    opened = await actae.create_experiment("prompts")
    with pytest.raises(errors.ChannelNotFoundError):
        await actae.add_experiment_member(opened["group_id"], channel)
