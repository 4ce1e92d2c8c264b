"""Effects of sparsifiers and truncations: what each row is for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, final

import numpy as np
import torch
from torch import Tensor

from algorithms.catalogue import problem, row
from algorithms.compressors.blocks import BlockInTurn
from algorithms.compressors.gaussian_k import GaussianK
from algorithms.compressors.identity import Identity
from algorithms.compressors.layerwise import LayerWise
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.random_mask import RandomMask
from algorithms.compressors.row_top_k import RowTopK
from algorithms.compressors.top_k import TopK
from algorithms.engine.run import run
from algorithms.engine.trace import Trace
from algorithms.memories.base import NoMemory
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.base import Method, RunContext
from algorithms.methods.local_updates.local_sgd import LocalSGDState
from algorithms.methods.sparsification.communication_delay import CommunicationDelay
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.evidence.sparsification.faults import (
    SignedTopK,
    SmallestRows,
    SpreadlessGaussianK,
    TruncatedTransform,
)
from proofs_check.instruments.bits_setting import EQUAL_CURVATURES, UNEQUAL, noisy
from proofs_check.instruments.contrast import arm, contrast
from proofs_check.instruments.effect_check import StepsizeChoice
from proofs_check.instruments.mean_estimation_setting import (
    REPLICAS,
    by_operator,
    by_row,
    estimate,
    normal_rows,
)
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting, around
from proofs_check.instruments.sizes import Sizes, SweepPlace, swept
from proofs_check.instruments.variants import Fixed
from proofs_check.methods.faulty.faulty_method import FaultyMethod
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

FULL = "BSP with full gradients"
WITH_NOISE = replace(noisy(10.0), steps=600)
"""Noise rules the steps to an accuracy, so that what is sent late costs few more."""


def _bits(target: float, cost: str = "sent_bits") -> Reading:
    return Reading(cost, target=target)


AJI_HEAFIELD = contrast(
    "aji-heafield",
    "nine tenths of every gradient can wait behind one threshold, found in a sample, at less than "
    "a third of the bits of full gradients at their best stepsize, where gradients have noise",
    WITH_NOISE, _bits(0.1),
    method="one threshold from a sample, a tenth is sent",
    baseline=arm(FULL, lambda it: BSP(it.step)),
    without=arm(
        "what lies below the threshold is dropped for good",
        lambda it: replace(it.own, memory=NoMemory()),
    ),
    at_most=0.33, source="Aji, Heafield 2017, arXiv:1704.05021, Algorithm 1 and Section 4",
)  # fmt: skip

DRYDEN = contrast(
    "dryden",
    "a fixed share of the positive and of the negative entries, each side by its mean, takes less "
    "than a quarter of the bits of full gradients at their best stepsize, where gradients have "
    "noise",
    WITH_NOISE, _bits(0.05),
    method="adaptive thresholds, pi = 0.1",
    baseline=arm(FULL, lambda it: BSP(it.step)),
    without=arm("what is not sent is forgotten", lambda it: replace(it.own, memory=NoMemory())),
    at_most=0.25,
    source="Dryden, Jacobs, Moon, Van Essen 2016 (MLHPC), Section 3: adaptive quantisation",
)  # fmt: skip


GAUSSIAN_K = contrast(
    "gaussian-k",
    "a threshold from mean and deviation, found without a selection, picks the few large "
    "coordinates: less than half of the bits of full gradients at their best stepsize, where "
    "gradients have noise",
    WITH_NOISE, _bits(0.1),
    method="Gaussian-k with memory, k = d/10",
    baseline=arm(FULL, lambda it: BSP(it.step)),
    without=arm(
        "the threshold is the mean, without the deviation",
        lambda it: replace(it.own, compressor=SpreadlessGaussianK(GaussianK(0.1))),
    ),
    at_most=0.5, source="Shi, Chu, Cheung, See 2019, arXiv:1911.08772, Algorithm 1 and Section 4",
)  # fmt: skip

MEPROP = contrast(
    "meprop",
    "the half of each layer's rows that has the largest gradients learns nearly as much a step as "
    "all rows, so a loss takes fewer rows",
    Setting(
        "mlp-digits", lambda n: problem("mlp-digits", n), 2, 52, around(0.3), replicas=96,
        points=26, d=Fixed.LAYERS,
    ),
    _bits(1.25),
    method="meProp, half of the rows",
    baseline=arm("BSP with full gradients", lambda it: BSP(it.step)),
    without=arm(
        "the half of the rows that has the smallest gradients",
        lambda it: BSP(
            it.step, LayerWise(SmallestRows(RowTopK(0.5))).for_shapes(it.problem.shapes)
        ),
    ),
    at_most=0.85, source="Sun, Ren, Ma, Wang 2017, arXiv:1706.06197, Section 2 and Table 1",
)  # fmt: skip

RANDOM_K = contrast(
    "random-k",
    "workers that each send a random quarter of the coordinates, scaled up, need at most twice the "
    "steps of full gradients",
    replace(EQUAL_CURVATURES, replicas=48), _bits(1e-4),
    method="random-k, k = d/4",
    baseline=arm(FULL, lambda it: BSP(it.step), replicas=1),
    without=arm(
        "the same quarter for all workers", lambda it: BSP(it.step, BlockInTurn(4, lot=0))
    ),
    at_most=0.5,
    source="Stich, Cordonnier, Jaggi 2018, arXiv:1809.07599, Section 1: unbiased rand-k; omega/n "
    "in the rate of n workers",
)  # fmt: skip


def _meetings(trace: Trace) -> Trace:
    """Every fourth record: between meetings there is no common model."""
    meets = slice(None, None, 4)
    return replace(
        trace,
        steps=trace.steps[meets],
        suboptimality=trace.suboptimality[:, meets],
        sent_bits=trace.sent_bits[:, meets],
    )


@final
@dataclass(frozen=True)
class EmptyMemory(FaultyMethod):
    """Every step starts with an empty memory: what was not sent is lost."""

    right: CommunicationDelay

    def step(self, state: LocalSGDState, t: int, context: RunContext) -> LocalSGDState:
        empty = torch.zeros_like(state.memory)
        return self.right.step(state._replace(memory=empty), t, context)


SBC = contrast(
    "sbc",
    "delay, sparsity, one value for all and Golomb's code take a tenth of the bits of full "
    "gradients, at most, at the best stepsizes of both, where gradients have noise",
    WITH_NOISE, _bits(0.1),
    method=arm(
        "sparse binary compression of 4 local steps, k = d/10", lambda it: it.own, view=_meetings
    ),
    baseline=arm(FULL, lambda it: BSP(it.step)),
    without=arm(
        "what is not sent is forgotten", lambda it: EmptyMemory(it.own), view=_meetings
    ),
    at_most=0.1,
    source="Sattler, Wiedemann, Mueller, Samek 2018, arXiv:1805.08768, Sections 2 and 3: the gains "
    "of delay and sparsity multiply",
)  # fmt: skip

STC = contrast(
    "stc",
    "ternary entries in both directions take less than a fifth of the bits, where compressing only "
    "what workers send cannot even halve them, as what they hear is half",
    WITH_NOISE, _bits(0.05, "both_ways"),
    method="sparse ternary compression both ways, k = d/4",
    baseline=arm(FULL, lambda it: BSP(it.step)),
    without=arm(
        "the server's answer is not compressed",
        lambda it: replace(it.own, downlink=Identity(), server_memory=NoMemory()),
    ),
    at_most=0.2,
    source="Sattler, Wiedemann, Mueller, Samek 2019, arXiv:1903.02891, Section V: extended to "
    "downstream compression",
)  # fmt: skip

TOP_K = contrast(
    "top-k",
    "the largest coordinates, with a memory of the others, take less than half of the bits that as "
    "many random ones take, although their places have to be sent",
    replace(UNEQUAL, step=(0.1, 0.2, 0.5, 1.0)), _bits(0.3),
    method="top-k with memory, k = d/10",
    baseline=arm(
        "random-k with memory, k = d/10, places known",
        lambda it: BSP(it.step, RandK(0.1, scaled=False), ErrorFeedback()), replicas=128,
    ),
    without=arm(
        "the largest signed values: negative ones wait",
        lambda it: replace(it.own, compressor=SignedTopK(TopK(0.1))),
    ),
    at_most=0.5,
    source="Stich, Cordonnier, Jaggi 2018, arXiv:1809.07599, Section 4.2 and Figure 2: top-k with "
    "memory converges faster than rand-k",
)  # fmt: skip

_D, _RELEVANT = 64, 6


def _sparse_truth(n: int, d: int, sigma2: float = 0.0) -> Quadratic:
    """6 weights are 1, the others 0."""
    truth = (torch.arange(d) < _RELEVANT).to(torch.float64).expand(n, d).clone()
    return Quadratic.from_arrays(torch.ones_like(truth), truth, sigma2=sigma2)


TWO_WAY_TRUNCATION = contrast(
    "two-way-truncation",
    "truncating gradients on their way up and models on their way down costs no steps where the "
    "truth is sparse, and saves nearly half of the bits both ways",
    Setting(
        f"{_RELEVANT} weights of {_D} matter, without noise", _sparse_truth, 4, 150,
        around(0.1), d=_D,
    ),
    _bits(1e-3, "both_ways"),
    method="two-way truncation, half of the entries",
    baseline=arm(
        "BSP with full gradients and models", lambda it: BSP(it.step)
    ),
    without=arm("models go down in full", lambda it: replace(it.own, down=Identity())),
    at_most=0.65, source="Ren, Haupt 2017, arXiv:1709.00537, Section 3",
)  # fmt: skip


def _nonzero(make: Callable[[Quadratic, int], Method[Any]], at: SweepPlace) -> Floats:
    """Weights that are not zero after so many steps, in 16 replicas."""
    truth = _sparse_truth(at.n, at.d, 0.01)
    trace = run(
        make(truth, at.size), truth, steps=at.size, replicas=16, points=2, seed=at.seed
    )  # fmt: skip
    return np.asarray((trace.model != 0).sum(-1), dtype=np.float64)


_STEP = ConstantStep(0.1)

TRUNCATED_GRADIENT = swept(
    "truncated-gradient",
    "a small pull every tenth step leaves the weights that do not matter at zero, where SGD's are "
    "never zero",
    Sizes(
        f"{_RELEVANT} weights of {_D} matter, gradients with noise", (10, 40, 100, 200), "steps",
        "weights that are not zero", "n = 4, gamma = 0.1, sigma2 = 0.01, 16 replicas", n=4, d=_D,
    ),
    _nonzero,
    method=(
        "truncated gradient, g0 = 0.01, theta = 0.5, K = 10",
        lambda truth, steps: row("truncated-gradient").tune(truth, steps, _STEP).method,
    ),
    baseline=("SGD", lambda *_: BSP(_STEP)),
    without=(
        "gradients are truncated in place of weights",
        lambda *_: BSP(_STEP, transform=TruncatedTransform()),
    ),
    at_most=0.25, source="Langford, Li, Zhang 2009, JMLR 10, Sections 3.3 and 6.2",
    tuning=StepsizeChoice.ANY,
)  # fmt: skip


def _error(make: Callable[[Tensor], Method[Any]], at: SweepPlace) -> Floats:
    """Squared error of the mean of n updates that are alike, in squared norms."""
    common = normal_rows(1, at.d, "one update").expand(at.size, at.d)
    found = estimate(make(common), common, REPLICAS, at.seed)
    return found.error / float(common[0].square().sum())


RANDOM_MASK = swept(
    "random-mask",
    "a quarter of each update is enough for an estimate whose error falls with the number of "
    "workers",
    Sizes(
        "mean of n workers' updates that are alike, d = 256", (4, 8, 16, 32, 64), "workers n",
        "squared error of the mean / squared norm", f"q = 0.25, {REPLICAS} replicas", None, 256,
    ),
    _error,
    method=("masks of the workers' own, scaled by 1/q", partial(by_row, "random-mask")),
    baseline=("random masks that are not scaled", lambda _: by_operator(RandomMask(0.25))),
    without=(
        "one mask for all workers",
        lambda _: BSP(ConstantStep(1.0), downlink=RandomMask(0.25, scaled=True)),
    ),
    at_most=0.2,
    source="Konecny, McMahan, Yu, Richtarik, Suresh, Bacon 2016, arXiv:1610.05492, Section 3: "
    "subsampling is unbiased",
)  # fmt: skip


def _price(make: Callable[[Tensor], Method[Any]], at: SweepPlace) -> Floats:
    """Error times bits of a mean of uneven rows, in squared norms / n times 64 d bits."""
    rows = normal_rows(at.n, at.size, "uneven") / (1 + torch.arange(at.size))
    unit = float(rows.square().sum(-1).mean()) / at.n * 64 * at.size
    return np.asarray(estimate(make(rows), rows, 192, at.seed).product / unit)


WANGNI = swept(
    "wangni",
    "chances that go with the size of an entry send an uneven gradient in a small part of the bits "
    "that equal chances take for the same variance",
    Sizes(
        "mean of 64 rows whose entries fall as 1/j", (64, 256), "dimension d",
        "variance x bits / (squared norm x 64 d)", "n = 64, 192 replicas", 64, None,
    ),
    _price,
    method=("Wangni et al., variance budget 1", partial(by_row, "wangni")),
    baseline=(
        "random-k with the same variance bound, k = d/2",
        lambda _: by_operator(RandK(0.5, scaled=True)),
    ),
    without=(
        "equal chances of 1/2 for all entries",
        lambda _: by_operator(RandomMask(0.5, scaled=True, send_indices=True)),
    ),
    at_most=0.2,
    source="Wangni, Wang, Liu, Zhang 2018, arXiv:1710.09854, Section 3, Algorithm 2 and Lemma 3",
)  # fmt: skip
