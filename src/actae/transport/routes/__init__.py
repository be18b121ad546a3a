"""Every route, one file per concept. Thin: decode, call one operation, encode."""
