"""HTTP and WebSocket in, answers out. Knows no SQL."""
