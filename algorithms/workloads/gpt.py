"""GPT-2, the smallest: Radford et al. 2019 (Language Models are Unsupervised Multitask Learners).

50,257 pieces, 1,024 positions, 12 blocks of width 768; the output matrix is the embedding's.
"""

from __future__ import annotations

from collections.abc import Iterator

from algorithms.workloads.base import Workload, WorkloadLayer
from algorithms.workloads.layers import embedding, norm, work
from algorithms.workloads.transformer import block
from theory.claims import Source

_WORDS, _PIECES, _WIDTH, _BLOCKS = 1024, 50257, 768, 12


def _layers() -> Iterator[WorkloadLayer]:
    yield embedding("embedding.piece", _PIECES, _WIDTH)
    yield embedding("embedding.position", _WORDS, _WIDTH)
    for i in range(_BLOCKS):
        yield from block(f"block{i}", _WIDTH, 4 * _WIDTH, _WORDS, norm_first=True)
    yield norm("norm", _WIDTH)
    yield work("tied.output", float(_PIECES * _WIDTH * _WORDS))


GPT_2 = Workload(
    "gpt-2",
    "GPT-2 small",
    f"a text of {_WORDS} pieces",
    tuple(_layers()),
    Source("Radford, Wu, Child, Luan, Amodei, Sutskever", 2019, "", "Table 2"),
)
