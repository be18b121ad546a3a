"""The fidelity suite: whether the tail that a fork runs is as good as that of a whole re-run."""
