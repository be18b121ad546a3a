"""The client for asyncio, written by hand; `_sync` is generated from it."""
