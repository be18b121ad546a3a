"""Programs that put load on something, each run as a process of its own.

They print one line of JSON (see `tally`) and share no interpreter with what they measure. Only the standard
library is imported at module level, so that the published client's environment can run them too.
"""
