"""Training torch modules under DistributedDataParallel with rows as communication hooks."""
