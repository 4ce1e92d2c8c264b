"""Memories, momentum, clipping and warm-up: what each row is for."""
