"""BERT with both heads of its pre-training: Devlin et al. 2019 (arXiv:1810.04805), Section 3.

30,522 word pieces, 512 positions; a sample is a sentence of 64 words, as in survey 001. The head
that predicts words multiplies by the embedding's matrix, which is the same tensor: its gradient
is complete only when backward reaches the first layer.
"""

from __future__ import annotations

from collections.abc import Iterator

from algorithms.workloads.base import ParameterTensor, Workload, WorkloadLayer
from algorithms.workloads.layers import embedding, linear, norm, work
from algorithms.workloads.transformer import block
from theory.claims import Source

_WORDS, _PIECES, _POSITIONS = 64, 30522, 512


def _layers(width: int, blocks: int) -> Iterator[WorkloadLayer]:
    yield embedding("embedding.word", _PIECES, width)
    yield embedding("embedding.position", _POSITIONS, width)
    yield embedding("embedding.segment", 2, width)
    yield norm("embedding.norm", width)
    for i in range(blocks):
        yield from block(f"block{i}", width, 4 * width, _WORDS, norm_first=False)
    yield linear("pooler", width, width)
    yield linear("words.transform", width, width, rows=_WORDS)
    yield norm("words.norm", width)
    tied = work("words.tied", float(_PIECES * width * _WORDS))
    yield WorkloadLayer("words.tied", (ParameterTensor("bias", (_PIECES,)),), tied.macs)
    yield linear("next.sentence", width, 2)


def _bert(name: str, title: str, width: int, blocks: int) -> Workload:
    return Workload(
        name,
        title,
        f"a sentence of {_WORDS} words",
        tuple(_layers(width, blocks)),
        Source("Devlin, Chang, Lee, Toutanova", 2019, "1810.04805", "Section 3"),
    )


BERT_BASE = _bert("bert-base", "BERT-Base", 768, 12)
BERT_LARGE = _bert("bert-large", "BERT-Large", 1024, 24)
