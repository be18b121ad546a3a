"""Actae: effect history for AI agents. The server, its storage and its command line."""

__version__ = "0.1.0"
