"""Scaling: seconds to a target as workers are added, each with its own batch or a share of one."""
