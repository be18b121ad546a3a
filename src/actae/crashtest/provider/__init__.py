"""The fake provider: a process of its own, with its own durable record."""
