"""What calls answer with, one file per concept."""
