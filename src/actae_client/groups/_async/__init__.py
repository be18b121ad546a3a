"""Groups for asyncio."""
