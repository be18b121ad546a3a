"""The client that blocks, generated from `_async` by `tools/generate_sync.py`."""
