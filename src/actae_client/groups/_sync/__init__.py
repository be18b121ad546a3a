"""Groups for code that blocks, generated from the asyncio ones; only `_io` is written by hand."""
