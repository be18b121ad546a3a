"""Sessions for asyncio."""
