"""What a crash costs an agent, by what it remembers and by whom it calls."""
