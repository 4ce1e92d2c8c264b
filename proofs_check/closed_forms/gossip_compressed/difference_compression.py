"""What DCD- and ECD-PSGD share: consensus without forces, added noise, and the limit C = I."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.core.key import Draws
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import Topology
from algorithms.topologies.fixed import FixedMatrix
from algorithms.topologies.ring import Ring
from proofs_check.closed_forms.gossip.consensus import consensus_problem
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import path
from proofs_check.verdict import Verdict
from theory.claims import Claim
from theory.stepsizes import ConstantStep, Stepsize

Build = Callable[[Stepsize, Topology, Compressor], Method[Any]]
NOTHING = ConstantStep(1e-300)  # no gradient step at all: x - 1e-300 g is x
SEED = 61


@final
@dataclass(frozen=True)
class AdditiveNoise(Compressor):
    """C(x) = x + scale times a standard normal row: an error of the same law for every x.

    A probe: it compresses nothing.
    """

    scale: float

    @property
    def name(self) -> str:
        return f"additive noise({self.scale:g})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        return ()

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (Field.floats("values", d, dtype),)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return (x + self.scale * draws.normal(x.shape[-1], x.dtype),)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return symbols[0].to(dtype)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return float(d * float_bits)


def one_mode(n: int, eigenvalue: float) -> FixedMatrix:
    """W = (1 - l) J + l I, whose eigenvalues but the first all equal l."""
    return FixedMatrix(np.full((n, n), (1 - eigenvalue) / n) + eigenvalue * np.eye(n))


def still(n: int, d: int) -> Quadratic:
    """No forces: f_i = 0, so that only the exchange moves anything."""
    zero = torch.zeros((n, d), dtype=torch.float64)
    return Quadratic.from_arrays(zero, zero)


def apart(x: Tensor) -> Tensor:
    """||X - \bar X||_F^2 of rows ``[..., n, d]``, shape ``[...]``."""
    return (x - x.mean(-2, keepdim=True)).square().sum((-2, -1))


def equals_d_psgd(build: Build, row: str) -> Verdict:
    """C = I gives D-PSGD, step by step."""
    problem, step = consensus_problem(8, 5, 62), ConstantStep(0.1)
    moments = path(build(step, Ring(8), Identity()), problem, 40)
    right = path(DPSGD(step, Ring(8)), problem, 40)
    return identity(
        row,
        "C = I: the models of D-PSGD",
        torch.stack([m.state.x for m in moments]),
        torch.stack([m.state.x for m in right]),
        check="no compression",
        problem=problem.name,
        tolerance=1e-11,
        provenance="no noise, 40 steps, gamma 0.1, ring of 8, seed 62",
    )
