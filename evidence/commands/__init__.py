"""The command line of the evidence: one file per report."""
