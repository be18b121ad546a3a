"""Every statement, readable alone."""
