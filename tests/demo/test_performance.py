"""All six cells, with real processes and real kills."""

from dataclasses import replace
from signal import SIGKILL

import pytest

from actae.demo.cast import CELLS, Cell, Keys, Strategy
from actae.demo.performance import Performance
from actae.demo.stage import Stage
from actae.demo.story import Outcome
from actae.demo.verdict import judge

ACTAE_CELLS = [cell for cell in CELLS if cell.strategy is Strategy.ACTAE]


def outcome_of(performance: Performance, cell: Cell) -> Outcome:
    return next(outcome for outcome in performance.outcomes if outcome.cell == cell)


def test_actae_promises_one_charge_only_where_the_key_is_honoured() -> None:
    """The honest number stands in the table of what is expected."""
    expected = {(cell.strategy, cell.keys): cell.charges_expected for cell in CELLS}
    assert expected == {
        (Strategy.NO_RECORD, Keys.HONOURED): 2,
        (Strategy.NO_RECORD, Keys.IGNORED): 2,
        (Strategy.CHECKPOINT, Keys.HONOURED): 2,
        (Strategy.CHECKPOINT, Keys.IGNORED): 2,
        (Strategy.ACTAE, Keys.HONOURED): 1,
        (Strategy.ACTAE, Keys.IGNORED): 2,
    }


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell.strategy}-{cell.keys}")
def test_the_provider_counts_what_is_expected(performance: Performance, stage: Stage, cell: Cell) -> None:
    """Each cell ends in its number of charges, asked for twice, after a kill by SIGKILL."""
    outcome = outcome_of(performance, cell)
    assert stage.provider(cell.keys).account(outcome.order_id) == outcome.account
    assert len(outcome.account.charges) == cell.charges_expected
    assert len(outcome.account.asked_with_keys) == 2
    assert outcome.killed.exit_code == -SIGKILL
    assert outcome.killed.confirmed_charge_id == outcome.account.charges[0]
    assert outcome.restarted.charge_id == outcome.account.charges[-1]
    assert outcome.restarted.pid != outcome.killed.pid


@pytest.mark.parametrize("cell", ACTAE_CELLS, ids=lambda cell: cell.keys)
def test_with_actae_both_attempts_use_one_key(performance: Performance, cell: Cell) -> None:
    """The key outlives the process that used it first."""
    first, second = outcome_of(performance, cell).account.asked_with_keys
    assert first == second


@pytest.mark.parametrize("cell", ACTAE_CELLS, ids=lambda cell: cell.keys)
def test_started_again_after_the_end_actae_replays(performance: Performance, cell: Cell) -> None:
    """The third agent gets the results that the second recorded, and asks the provider nothing."""
    outcome = outcome_of(performance, cell)
    assert outcome.started_again is not None
    assert outcome.started_again.charge_id == outcome.restarted.charge_id
    assert outcome.started_again.mail_id == outcome.restarted.mail_id
    assert outcome.account == outcome.account_after_restart


@pytest.mark.parametrize("keys", Keys)
def test_the_ledger_tells_the_run(performance: Performance, keys: Keys) -> None:
    """Both attempts, one completion for each effect, and the replays, in gapless order."""
    run = performance.ledger_runs[keys]
    assert [event.cursor for event in run.events] == list(range(1, 10))
    assert [event.event_type for event in run.events] == [
        "sources.gathered",
        "invoice.drafted",
        "tool.started",
        "tool.started",
        "tool.completed",
        "tool.started",
        "tool.completed",
        "tool.replayed",
        "tool.replayed",
    ]
    assert run.charge_attempts() == [1, 2]


@pytest.mark.parametrize("keys", Keys)
def test_the_kill_stands_between_the_two_attempts(performance: Performance, keys: Keys) -> None:
    """The timeline shows the one moment that nobody could record, where it happened."""
    moments = performance.ledger_runs[keys].moments
    kill = next(index for index, moment in enumerate(moments) if moment.event_type == "SIGKILL")
    assert moments[kill].cursor is None
    assert moments[kill - 1].what == "charge_customer, attempt 1"
    assert moments[kill + 2].what == "charge_customer, attempt 2: reclaimed"


def test_a_performance_as_it_should_be_is_as_promised(performance: Performance) -> None:
    """All checks hold, and say so one by one."""
    assert [check.sentence for check in performance.checks if not check.holds] == []
    assert performance.is_as_promised()


def test_a_second_charge_with_actae_is_not_as_promised(performance: Performance) -> None:
    """The demo would not hide a customer who paid twice."""
    honest = next(o for o in performance.outcomes if o.cell.charges_expected == 1)
    charged_twice = replace(honest.account, charges=(*honest.account.charges, "ch_more"))
    outcomes = [replace(o, account=charged_twice) if o is honest else o for o in performance.outcomes]
    new = {keys: {"charges": 6, "asks": 6, "mails": 3} for keys in Keys}
    failed = [check.sentence for check in judge(outcomes, performance.ledger_runs, new) if not check.holds]
    assert "actae, keys honoured: the provider counts 1." in failed


def test_a_charge_that_no_cell_knows_of_is_not_as_promised(performance: Performance) -> None:
    """Every charge at the provider has to be accounted for."""
    new = {
        Keys.HONOURED: {"charges": 6, "asks": 6, "mails": 3},
        Keys.IGNORED: {"charges": 6, "asks": 6, "mails": 3},
    }
    failed = [check for check in judge(performance.outcomes, performance.ledger_runs, new) if not check.holds]
    assert len(failed) == 1
    assert failed[0].sentence.startswith("keys honoured: the provider made no other charge")


def test_a_cell_left_out_is_not_as_promised(performance: Performance) -> None:
    """Half a story proves nothing."""
    new = {keys: {"charges": 0, "asks": 0, "mails": 0} for keys in Keys}
    checks = judge(performance.outcomes[:-1], performance.ledger_runs, new)
    assert not checks[0].holds
