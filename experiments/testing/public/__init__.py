"""Modules that are imported as ``rateproof.NAME``: the folder is the path of the module."""
