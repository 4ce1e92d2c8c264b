"""Sparsifiers that adapt: what each row is for."""
