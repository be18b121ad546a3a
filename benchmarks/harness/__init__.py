"""What the questions share: servers, load, rounds, goals and reports."""
