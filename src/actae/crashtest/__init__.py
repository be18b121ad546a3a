"""`actae crashtest`: somebody's own agent, killed at every boundary, against providers that count."""
