"""Blocks of transformers: Vaswani et al. 2017 (arXiv:1706.03762)."""

from __future__ import annotations

from collections.abc import Iterator

from algorithms.workloads.base import WorkloadLayer
from algorithms.workloads.layers import linear, norm, work


def attention(name: str, width: int, words: int, *, joined: bool) -> Iterator[WorkloadLayer]:
    """Self-attention over ``words`` positions; ``joined``: one matrix for query, key and value."""
    if joined:
        yield linear(f"{name}.qkv", width, 3 * width, rows=words)
    else:
        for part in ("query", "key", "value"):
            yield linear(f"{name}.{part}", width, width, rows=words)
    yield work(f"{name}.scores", 2.0 * words * words * width)
    yield linear(f"{name}.output", width, width, rows=words)


def block(
    name: str, width: int, inner: int, words: int, *, norm_first: bool
) -> Iterator[WorkloadLayer]:
    """Attention and two matrices, each with its normalisation before (GPT) or behind (BERT)."""
    parts = (
        tuple(attention(f"{name}.attention", width, words, joined=norm_first)),
        (
            linear(f"{name}.widen", width, inner, rows=words),
            linear(f"{name}.narrow", inner, width, rows=words),
        ),
    )
    for i, layers in enumerate(parts):
        normed = norm(f"{name}.norm{i + 1}", width)
        yield from (normed, *layers) if norm_first else (*layers, normed)
