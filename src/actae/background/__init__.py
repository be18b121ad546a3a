"""Loops that act when time passes."""
