"""What a worker does to its gradient before anything else."""
