"""Workflows of an agent, as data: what it is asked at each step, and what it does in the world."""
