"""Why the numbers are what they are, for the numbers that are promised."""

REASONS = {
    "Why 1": (
        "Both starts asked under one key, and the provider answered the second with the charge"
        " that it had made for the first."
    ),
    "Why 2": (
        "Actae sent one key here too, but this provider looks at none, and no ledger sees into a"
        " provider. Actae does tell the tool that it is attempt 2, so the first may have charged"
        " (`current_operation().attempt`); to look that up before asking again is yours."
        " See docs/explanation/what-you-still-own.md."
    ),
    "Keys": (
        "Without Actae each call drew a new key, as ordinary code does. Derive the key from the"
        " order by hand, and the checkpoint row reads 1 and 2 as well; it still cannot tell a charge"
        " in doubt from one never tried."
    ),
}
