"""Rows of the family quantisation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import torch

from algorithms.catalogue.compose import compressed
from algorithms.catalogue.downlink import Received, RunRecord
from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import OBJECTIVES, Recipe, Row
from algorithms.compressors.atomo import AtomBudget, Atomo
from algorithms.compressors.base import Compressor
from algorithms.compressors.centred import Centred
from algorithms.compressors.elias_qsgd import EliasQSGD
from algorithms.compressors.k_level import KLevel, Span
from algorithms.compressors.layerwise import Buckets, LayerWise
from algorithms.compressors.max_levels import MaxLevels
from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.natural_dithering import NaturalDithering
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rotated import Rotated
from algorithms.compressors.spectral_atomo import SpectralAtomo
from algorithms.compressors.ternary import UnitTernary
from algorithms.compressors.terngrad import TernGrad
from algorithms.compressors.variable_length import VariableLength
from algorithms.methods.quantisation.terngrad import TernGradSGD
from algorithms.problems.base import Problem
from algorithms.problems.logistic_data import MANY_SAMPLES
from theory.estimation.atomic_sparsification import atomic_sparsification
from theory.estimation.k_level import k_level
from theory.estimation.randomised_mean import randomised_mean
from theory.estimation.rotated_k_level import rotated_k_level
from theory.estimation.stochastic_binary import stochastic_binary
from theory.estimation.variable_length import variable_length
from theory.theorems.compressed_bsp_pl import compressed_bsp_pl


def _terngrad_bits(problem: Problem, float_bits: int) -> float:
    """A scale a layer, then two bits a coordinate."""
    return (len(problem.shapes) * float_bits + 2 * problem.d) / 2


def _terngrad_answers(run: RunRecord) -> Received:
    """The largest scale of every layer, then the sum of n ternaries."""
    n, rounds = run.problem.n, run.replicas * run.problem.n * run.steps
    width = (2 * n).bit_length()  # ceil(log2(2n + 1))
    bits = len(run.problem.shapes) * run.float_bits + width * run.problem.d
    return Received(2 * rounds, float(rounds * bits))


def _longest(compressor: Compressor) -> Callable[[Problem, int], float]:
    """The longest message of an operator whose messages are lists: everything is named."""

    def bits(problem: Problem, float_bits: int) -> float:
        operator = compressor.for_shapes(problem.shapes)
        named = torch.zeros(1, problem.d, dtype=problem.dtype)
        return float(operator.stated_lengths(named, float_bits).most)

    return bits


_SPECTRAL, _CENTRED, _ATOMO = LayerWise(SpectralAtomo(1)), Centred(0.25), Atomo(0.25)

ENTRIES: tuple[Row, ...] = (
    entry(
        "qsgd",
        compressed(
            QSGD(4),
            problems=(*OBJECTIVES, MANY_SAMPLES),
            results=(compressed_bsp_pl,),
            operators=(QSGD(1), EliasQSGD(1), EliasQSGD(4), Buckets(QSGD(4), 25), MaxLevels(4)),
        ),
        advised=True,
    ),
    entry(
        "terngrad",
        Recipe(
            lambda step, _p, _t: TernGradSGD(step),
            (),
            TernGrad(),
            operators=(LayerWise(TernGrad()), UnitTernary()),
            message_bits=_terngrad_bits,
            downlink=_terngrad_answers,
            why="almost sure convergence is stated for a bound on max-norm times one-norm, "
            "without a rate; clipping is biased and a shared scale is not relative to a "
            "worker's own gradient",
        ),
    ),
    entry("natural-compression", compressed(NaturalCompression()), advised=True),
    entry(
        "natural-dithering",
        compressed(NaturalDithering(8), operators=(NaturalDithering(4, math.inf),)),
    ),
    entry(
        "stochastic-binary",
        compressed(
            Buckets(KLevel(2), 20),
            operators=(KLevel(2), KLevel(16), KLevel(16, Span.NORM)),
            results=(stochastic_binary, k_level),
        ),
    ),
    entry(
        "variable-length-coding",
        replace(
            compressed(VariableLength(), operators=(VariableLength(4), VariableLength(4, False))),
            bits_vary=True,
            results=(variable_length,),
        ),
    ),
    entry(
        "atomo",
        replace(
            compressed(
                _ATOMO, operators=(Atomo(2), Atomo(AtomBudget.QSGD), Atomo(AtomBudget.TERNGRAD))
            ),
            bits_vary=True,
            results=(atomic_sparsification,),
        ),
    ),
    entry(
        "spectral-atomo",
        replace(
            compressed(_SPECTRAL, operators=(SpectralAtomo(1),)),
            message_bits=_longest(_SPECTRAL),
            bits_vary=True,
            results=(atomic_sparsification,),
        ),
    ),
    entry(
        "randomised-mean",
        replace(
            compressed(_CENTRED, operators=(Centred(0.25, False), Centred(0.25, False, False))),
            message_bits=_longest(_CENTRED),
            bits_vary=True,
            results=(randomised_mean,),
        ),
    ),
    entry("rotated-quantisation", compressed(Rotated(KLevel(16)), results=(rotated_k_level,))),
)
