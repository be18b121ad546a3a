"""Runs a scenario for real: a server of its own, an agent's session, a provider in another process."""
