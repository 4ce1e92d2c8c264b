"""Rows as communication hooks of DistributedDataParallel."""
