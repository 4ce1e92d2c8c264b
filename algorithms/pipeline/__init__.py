"""Blocks of steps: loops over parts that are compiled by themselves (``kernels/row_parts.py``)."""
