"""Events on their way to readers: over a WebSocket, or as server-sent events."""
