"""What a fork saves and whether its tail is as good: measured, on a real server, with every sample shown."""
