"""What happens to a step before it moves the model."""
