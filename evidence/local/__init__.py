"""A run with a real model, small enough for any machine, from packages alone."""
