"""Pure records and rules: no I/O, and no clock of its own."""
