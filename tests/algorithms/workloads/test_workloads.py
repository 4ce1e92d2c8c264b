"""Workloads have the tensors, parameters and multiply-adds that were published of them."""

from __future__ import annotations

import pytest

from algorithms.workloads import WORKLOADS
from algorithms.workloads.base import ParameterTensor, Workload, WorkloadLayer
from theory.claims import Source

PUBLISHED = {  # tensors, parameters, multiply-adds of a forward pass [1e9] and their last digit
    "resnet-50": (161, 25_557_032, 4.09, 0.005),
    "bert-base": (206, 110_106_428, None, None),
    "bert-large": (398, 336_226_108, None, None),
    "vgg-16": (32, 138_357_544, 15.47, 0.005),
    "googlenet": (None, None, 1.5, 0.1),
    "alexnet": (16, 61_100_840, 0.71, 0.005),
    "gpt-2": (148, 124_439_808, None, None),
}
INCEPTION = {  # Szegedy et al. 2015, Table 1: parameters [1024] and operations [1e6] of a module
    "3a": (159, 128), "3b": (380, 304), "4a": (364, 73), "4b": (437, 88), "4c": (463, 100),
    "4d": (580, 119), "4e": (840, 170), "5a": (1072, 54), "5b": (1388, 71),
}  # fmt: skip


@pytest.mark.parametrize("name", PUBLISHED)
def test_counts_are_the_published_ones(name: str) -> None:
    tensors, parameters, macs, digit = PUBLISHED[name]
    workload = WORKLOADS[name]
    assert tensors is None or len(workload.tensors) == tensors
    assert parameters is None or workload.parameters == parameters
    assert macs is None or workload.macs / 1e9 == pytest.approx(macs, abs=digit)


@pytest.mark.parametrize("module", INCEPTION)
def test_inception_modules_are_those_of_the_table(module: str) -> None:
    """Weights without biases; the paper's operations are multiply-adds, rounded. Two rows of its
    table are known to be rounded otherwise, so a tenth is allowed."""
    layers = [x for x in WORKLOADS["googlenet"].layers if x.name.startswith(f"{module}.")]
    weights = sum(t.size for x in layers for t in x.tensors if t.name == "weight")
    thousands, millions = INCEPTION[module]
    assert weights / 1024 == pytest.approx(thousands, rel=0.21)
    assert sum(x.macs for x in layers) / 1e6 == pytest.approx(millions, rel=0.1)


def test_lstm_has_66_million_parameters() -> None:
    assert round(WORKLOADS["lstm"].parameters / 1e6) == 66  # Zaremba et al. 2014, Section 4.1


def test_tied_matrices_are_counted_once_and_first() -> None:
    bert = WORKLOADS["bert-large"]
    assert bert.tensors[0].shape == (30522, 1024)
    assert sum(tensor.shape == (30522, 1024) for tensor in bert.tensors) == 1


def test_bad_layers_are_refused() -> None:
    with pytest.raises(ValueError, match="shape must have axes of at least 1, got w="):
        ParameterTensor("w", (0, 2))
    with pytest.raises(ValueError, match="macs must be at least 0, got macs=-1"):
        WorkloadLayer("x", (), -1.0)
    with pytest.raises(ValueError, match="workload none has none"):
        Workload("none", "none", "", (WorkloadLayer("x", (), 1.0),), Source("a", 2000))
