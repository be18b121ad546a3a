"""The token report: what a fork did not pay for again, step by step."""
