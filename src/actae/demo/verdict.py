"""What must have happened for the demo to end with 0."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from signal import SIGKILL

from actae.demo.cast import CELLS, Keys, Strategy
from actae.demo.story import Outcome
from actae.demo.timeline import LedgerRun


@dataclass(frozen=True, kw_only=True)
class Check:
    """A sentence about the run, and whether it is true."""

    sentence: str
    holds: bool


def judge(
    outcomes: Sequence[Outcome],
    ledger_runs: Mapping[Keys, LedgerRun],
    new_at_provider: Mapping[Keys, Mapping[str, int]],
) -> list[Check]:
    """Compare what the providers and the ledger say with what they must say.

    `new_at_provider` counts all charges, asks and mails of each provider since the story began.
    """
    actae = [outcome for outcome in outcomes if outcome.cell.strategy is Strategy.ACTAE]
    return [
        Check(
            sentence="Every cell was played.",
            holds=[outcome.cell for outcome in outcomes] == list(CELLS),
        ),
        Check(
            sentence="Each agent died by SIGKILL after the provider had made its charge.",
            holds=all(_died_after_the_charge(outcome) for outcome in outcomes),
        ),
        *(_charges_as_expected(outcome) for outcome in outcomes),
        *(_nothing_uncounted(keys, outcomes, new) for keys, new in new_at_provider.items()),
        Check(
            sentence="With Actae, both attempts asked the provider under one key.",
            holds=all(_asked_twice_under_one_key(outcome) for outcome in actae),
        ),
        Check(
            sentence="The ledger shows attempt 1, its take-over as attempt 2, and one completion.",
            holds=all(_shows_the_take_over(run) for run in ledger_runs.values()),
        ),
        Check(
            sentence="Started again after the end, the agent got the recorded results and called nobody.",
            holds=all(_replayed_without_a_call(outcome) for outcome in actae),
        ),
    ]


def _died_after_the_charge(outcome: Outcome) -> bool:
    first_charge = outcome.account.charges[:1]
    return outcome.killed.exit_code == -SIGKILL and first_charge == (outcome.killed.confirmed_charge_id,)


def _charges_as_expected(outcome: Outcome) -> Check:
    cell = outcome.cell
    return Check(
        sentence=f"{cell.strategy}, keys {cell.keys}: the provider counts {cell.charges_expected}.",
        holds=len(outcome.account.charges) == cell.charges_expected,
    )


def _nothing_uncounted(keys: Keys, outcomes: Sequence[Outcome], new: Mapping[str, int]) -> Check:
    here = [outcome for outcome in outcomes if outcome.cell.keys is keys]
    charges = sum(len(outcome.account.charges) for outcome in here)
    return Check(
        sentence=f"keys {keys}: the provider made no other charge, and sent one mail for each order.",
        holds=new["charges"] == charges and new["mails"] == len(here),
    )


def _asked_twice_under_one_key(outcome: Outcome) -> bool:
    keys = outcome.account.asked_with_keys
    return len(keys) == 2 and len(set(keys)) == 1


def _shows_the_take_over(run: LedgerRun) -> bool:
    return run.charge_attempts() == [1, 2] and run.charge.attempts == 2 and run.charge.status == "completed"


def _replayed_without_a_call(outcome: Outcome) -> bool:
    again = outcome.started_again
    return (
        again is not None
        and (again.charge_id, again.mail_id) == (outcome.restarted.charge_id, outcome.restarted.mail_id)
        and outcome.account == outcome.account_after_restart
    )
