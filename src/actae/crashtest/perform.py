"""The whole test on a stage that is set: run the agent untouched, then once for each place of death."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import product

from actae.crashtest.agents import Agents
from actae.crashtest.journal import Operation
from actae.crashtest.kinds import Behaviour
from actae.crashtest.plan import CrashtestError, Plan, Scene
from actae.crashtest.play import Played, play
from actae.crashtest.stage import Stage
from actae_client.testing import Boundary, Cell, Cells, EffectCount, Matrix

Tell = Callable[[Cell], None]


def perform(stage: Stage, plan: Plan, tell: Tell) -> Matrix:
    """Play every cell. `tell` hears of each, in order, once it is known.

    Raises CrashtestError when the agent does not come to its end although nobody kills it, or when there is
    nothing to kill it at.
    """
    scenes = [
        Scene(kind=kind, behaviour=behaviour, policy=policy)
        for policy, behaviour, kind in product(plan.policies, plan.behaviours, plan.kinds)
    ]
    with (
        ThreadPoolExecutor(plan.jobs) as pool,
        Agents(plan.command, start_seconds=plan.start_seconds) as agents,
    ):

        def begin(scene: Scene, kill_at: Boundary | None = None) -> Future[Played]:
            return pool.submit(play, stage, agents, scene, kill_at, starts_max=plan.starts_max)

        untouched = {scene: begin(scene) for scene in dict.fromkeys([*map(_calm, scenes), *scenes])}
        owners: dict[Operation, str] = {}
        for run in untouched.values():
            _check_it_is_apart(run.result(), owners)
        for scene in dict.fromkeys(map(_calm, scenes)):
            _check_it_ends(scene, untouched[scene].result())
        deaths = {scene: _deaths(plan, untouched[scene].result()) for scene in scenes}
        runs = {
            scene: [(None, untouched[scene]), *((boundary, begin(scene, boundary)) for boundary in places)]
            for scene, places in deaths.items()
        }
        cells = []
        for scene, played in runs.items():
            expected = untouched[_calm(scene)].result().account
            for boundary, run in played:
                _check_it_is_apart(run.result(), owners)
                cells.append(_cell(scene, boundary, run.result(), expected))
                tell(cells[-1])
    return Matrix(Cells(cells))


def _calm(scene: Scene) -> Scene:
    """The same where the provider answers: what it is asked for there is what is expected everywhere."""
    return replace(scene, behaviour=Behaviour.NORMAL)


def _check_it_is_apart(run: Played, owners: dict[Operation, str]) -> None:
    """A run that meets what another one has claimed is answered from that one's record, and does nothing."""
    for channel_id, key_name in sorted(run.operations):
        if owners.setdefault((channel_id, key_name), run.run_id) != run.run_id:
            raise CrashtestError(
                f"The agent uses the same channel in every run: {key_name!r} on the channel {channel_id!r} "
                "was claimed by an earlier run, so what a run does would be counted wrongly. Make the "
                "channel (or the key) from ACTAE_CRASHTEST_RUN_ID, which is a new one for each run."
            )


def _check_it_ends(scene: Scene, run: Played) -> None:
    if not run.is_finished:
        raise CrashtestError(
            f"The agent does not come to its end even if nobody kills it ({scene}): it ended with "
            f"{', '.join('too late' if code is None else str(code) for code in run.exit_codes)}. "
            f"It last said:\n{run.last_words or '(nothing)'}"
        )


def _deaths(plan: Plan, run: Played) -> list[Boundary]:
    if not run.boundaries:
        raise CrashtestError(
            "The agent came by no boundary: it claims nothing through actae_client, calls no "
            "actae_client.testing.Provider, and announces none with actae_client.testing.boundary."
        )
    wanted = [boundary for boundary in run.boundaries if plan.wants(boundary)]
    if not wanted:
        met = "\n".join(f"{boundary.index:4}  {boundary}" for boundary in run.boundaries)
        raise CrashtestError(f"The agent never comes by {', '.join(plan.kill_at)}. It comes by:\n{met}")
    return wanted


def _cell(
    scene: Scene, boundary: Boundary | None, run: Played, expected: Mapping[str, Mapping[str, int]]
) -> Cell:
    nothing = {"calls": 0, "applied": 0}
    return Cell(
        provider=scene.kind,
        behaviour=scene.behaviour,
        policy=scene.policy,
        boundary=boundary,
        effects=tuple(
            EffectCount(
                reference=reference,
                expected=expected.get(reference, nothing)["applied"],
                **run.account.get(reference, nothing),
            )
            for reference in dict.fromkeys([*expected, *run.account])
        ),
        stuck=run.unsettled,
        exit_codes=run.exit_codes,
        is_finished=run.is_finished,
        is_killed=run.is_killed,
        run_id=run.run_id,
    )
