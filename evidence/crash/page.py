"""The crash report for people."""

from __future__ import annotations

from actae.crashtest.kinds import Kind
from evidence.checks import checks_page
from evidence.crash.figures import summed
from evidence.crash.measuring import STARTS_MAX, CrashReport
from evidence.crash.policies import Policy
from evidence.markdown import points, prose, quote, table
from evidence.origin import Origin

_HEADINGS = ("memory", "provider", "kills", "doubled", "lost", "unfinished")

_MEMORIES = {
    Policy.NO_RECORD: """Nothing. Each start begins at the beginning, and each call draws a new idempotency
        key.""",
    Policy.CHECKPOINT: """A file with the result of every finished step, on disk before the next step
        begins.""",
    Policy.LEDGER: """Each effect is claimed in Actae before it is called and completed after it, and the
        provider gets the key that belongs to the operation. What was begun and not completed is called
        again.""",
    Policy.RECONCILING: """The same, with `on_lapse="ambiguous"` and a probe: before anything is called
        again, the provider is asked for it by its reference. Where a provider honours keys, the call is the
        question. Where it does neither, the operation is left to a person.""",
}

_KINDS = {
    Kind.HONOURS_KEY: "answers a second request with one `Idempotency-Key` like the first.",
    Kind.QUERYABLE: "looks at no key, and can be asked what it has done under a reference.",
    Kind.BLIND: "does neither.",
}

_LIMITS = (
    """A boundary is a moment that the client or the agent announces. What happens within the provider, or
    between the provider and the network, is not killed.""",
    """With the ledger alone, what is doubled is what was under way: the tool had returned, and its result was
    not recorded yet. The ledger says so to the next attempt, which here does not listen.""",
    """What is lost with a blind provider is what comes after the effect in doubt, and that one where it had
    not been had: the agent stops there. That is the choice of `on_lapse="ambiguous"`; with `"reclaim"` it is
    called again, and doubled instead.""",
    """The leases of a killed agent are ended at once, in the test's own database, so that nobody waits for
    them.""",
)


def crash_page(report: CrashReport, origin: Origin) -> str:
    """The whole page."""
    matrix = report.matrix
    sums = [[str(value) for value in row.values()] for row in summed(matrix)]
    parts = [
        "# What a crash costs, by what the agent remembers",
        prose(f"""
            The demo's agent gathers what is owed, drafts an invoice, charges a customer and mails the
            receipt. It is killed by SIGKILL at each of its boundaries, once for each, and started again until
            it has come to its end ({STARTS_MAX} starts at most). The provider, a process with a durable
            record of its own, counts what it has done. The agent kills itself at the boundary, so nothing
            depends on time, and the same figures come out each time.
        """),
        prose(f"Reproduce it with `{origin.command}`. `report.json` beside this page has every run."),
        table(_HEADINGS, sums, words=2),
        prose("""
            Doubled: runs in which some effect was had more often than once. Lost: in which some effect was
            never had. Unfinished: in which the agent did not come to its end, because it waits for a person.
        """),
        "## What was checked",
        checks_page(report.checks),
        "## The memories",
        points([f"**{policy}**: {_MEMORIES[policy]}" for policy in Policy]),
        "## The providers",
        points([f"**{kind}** {said}" for kind, said in _KINDS.items()]),
        "## Every run",
        *(quote(str(matrix.of(policy=policy))) for policy in Policy),
        "## What this shows, and what it does not",
        points(_LIMITS),
    ]
    return "\n\n".join(parts)
