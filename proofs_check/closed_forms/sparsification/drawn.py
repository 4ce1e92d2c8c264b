"""Draws that the checks of sparsifiers share."""

from __future__ import annotations

import torch

from algorithms.core.key import Draws, Key

SEED = 61


def draws_of(replicas: int, word: str) -> Draws:
    """One worker's draws in ``replicas`` replicas, a stream for each ``word``."""
    key = Key.seed(SEED).fold(word)
    return key.draws(torch.arange(replicas), torch.zeros(1, dtype=torch.int64))
