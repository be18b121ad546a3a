"""What Actae does, verb by verb."""
