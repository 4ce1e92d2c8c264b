"""Operations of a worker on its gradient before anything else."""
