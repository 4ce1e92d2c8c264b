"""What notebooks show, and the scripts in docs/notebooks."""
