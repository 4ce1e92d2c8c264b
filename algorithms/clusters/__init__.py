"""Clusters: machines of workers, their links by message size, and what computing takes there.

One file format (TOML) for those that lie here and for those that are measured:
:mod:`algorithms.clusters.files`.
"""
