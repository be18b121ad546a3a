"""The web console: pages that were built from `console/`, and use the API like anybody else."""
