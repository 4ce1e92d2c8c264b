"""The large LSTM language model: Zaremba, Sutskever, Vinyals 2014 (arXiv:1409.2329), Section 4.1.

Two layers of 1,500 units over 35 words of a vocabulary of 10,000.
"""

from __future__ import annotations

from collections.abc import Iterator

from algorithms.workloads.base import ParameterTensor, Workload, WorkloadLayer
from algorithms.workloads.layers import embedding, linear
from theory.claims import Source

_WORDS, _VOCABULARY, _UNITS, _LAYERS = 35, 10_000, 1500, 2
_GATES = 4


def _recurrent(name: str, inside: int, units: int) -> WorkloadLayer:
    """Four gates, each with a matrix for the input, one for the state, and two biases."""
    tensors = (
        ParameterTensor("weight.input", (_GATES * units, inside)),
        ParameterTensor("weight.state", (_GATES * units, units)),
        ParameterTensor("bias.input", (_GATES * units,)),
        ParameterTensor("bias.state", (_GATES * units,)),
    )
    return WorkloadLayer(name, tensors, float((tensors[0].size + tensors[1].size) * _WORDS))


def _layers() -> Iterator[WorkloadLayer]:
    yield embedding("embedding", _VOCABULARY, _UNITS)
    for i in range(_LAYERS):
        yield _recurrent(f"lstm{i + 1}", _UNITS, _UNITS)
    yield linear("output", _UNITS, _VOCABULARY, rows=_WORDS)


LSTM = Workload(
    "lstm",
    "LSTM of 2 x 1500",
    f"a text of {_WORDS} words",
    tuple(_layers()),
    Source("Zaremba, Sutskever, Vinyals", 2014, "1409.2329", "Section 4.1"),
)
