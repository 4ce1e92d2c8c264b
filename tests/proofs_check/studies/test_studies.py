"""The rate studies, and for each a fault that it must see."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.memories.base import Memory, Round
from algorithms.methods.gossip.choco import ChocoGossip
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from proofs_check.curves import PanelLine
from proofs_check.evidence.auxiliary import error_feedback as ef_residual
from proofs_check.evidence.gossip import studies as d_psgd_gap
from proofs_check.evidence.gossip import studies as d_psgd_leading
from proofs_check.evidence.gossip import studies_choco as choco_gap
from proofs_check.evidence.local_updates import studies as local_period_drift
from proofs_check.evidence.local_updates import studies as local_period_variance
from proofs_check.evidence.sparsification import theorems as ef_leading
from proofs_check.evidence.synchronous import studies as bsp_speedup_nonconvex
from proofs_check.evidence.synchronous import studies as bsp_speedup_strongly_convex
from proofs_check.evidence.synchronous import studies as bsp_time_nonconvex
from proofs_check.evidence.synchronous import studies as bsp_time_strongly_convex
from proofs_check.instruments.study import StudyResult, noise_free_rate
from proofs_check.methods.faulty.methods import (
    ForgetfulFeedback,
    GradientAveragingLocalSGD,
    LeakyRing,
    MisscaledBSP,
    MisscaledStep,
)
from proofs_check.registry import STUDIES
from proofs_check.verdict import Outcome
from theory.stepsizes import ConstantStep, Stepsize

COMPARED: dict[str, int | None] = {
    "steps_to_target_logistic": 1,
    "steps_to_target_mlp": 1,
    "batch_noise_scale": 1,
    "generalisation_gap": None,
    "pairwise_bias": 1,
    "sharp_minima": None,
    "ad_psgd_rate": None,
    "saps_psgd_rate": None,
    "quantimed_rates": None,
    "randomised_gossip_contraction": 1,
}
"""How many lines of a study measure what theory has no constant for (None: all of them), or are no
power law at the sizes that are run: rings of 12 to 48 have lower powers of n, which eigenvalues of
64 to 512 do not show."""


def outcomes(result: StudyResult) -> set[Outcome]:
    return {verdict.outcome for verdict in result.verdicts}


@pytest.mark.slow
@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.name)
def test_every_study_supports_its_claim(study) -> None:
    result = study.run()
    compared = [v for v in result.verdicts if v.outcome is Outcome.COMPARED]
    expected = COMPARED.get(study.name, 0)
    assert len(compared) == (len(result.verdicts) if expected is None else expected)
    for verdict in result.verdicts:
        if verdict not in compared:
            assert verdict.outcome.holds, verdict
            assert verdict.bound is not None
        assert verdict.statistic is not None
        assert verdict.evidence and "seed" in verdict.provenance
    assert result.curves and len({type(one) for one in result.curves}) == 1
    for one in result.curves:
        if isinstance(one, PanelLine):
            assert np.isfinite([one.x, one.y]).all()
        else:
            assert np.isfinite([one.x, one.mean, one.low, one.high, one.fit, one.reference]).all()
            assert (one.low <= one.mean).all() and (one.mean <= one.high).all()


def test_names_are_unique() -> None:
    assert len({study.name for study in STUDIES}) == len(STUDIES) >= 11


@dataclass(frozen=True)
class Hoarding(Memory[Tensor]):
    """Keeps the residual twice."""

    holds_steps = True
    name = "hoarding"

    def init(self, shape: torch.Size, dtype: torch.dtype, device: torch.device) -> Tensor:
        return torch.zeros(shape, dtype=dtype, device=device)

    def before(self, state: Tensor, x: Tensor) -> Tensor:
        return state + x

    def after(self, state: Tensor, round_: Round) -> Tensor:
        return 2 * (round_.wanted - round_.sent)


def constant(step: Stepsize) -> BSP:
    """BSP whose stepsize does not decrease with time."""
    return BSP(ConstantStep(0.1))


FAULTS = {
    "a stepsize that never decreases has no 1/T": lambda: (
        bsp_time_strongly_convex.bsp_time_strongly_convex(constant)
    ),
    "a stepsize free of the horizon has no T^-1/2": lambda: bsp_time_nonconvex.bsp_time_nonconvex(
        constant
    ),
    "gradients summed and divided by sqrt(n) lose the speedup": (
        lambda: bsp_speedup_strongly_convex.bsp_speedup_strongly_convex(
            lambda step: MisscaledBSP(step, 0.5)
        )
    ),
    "gradients summed and divided by sqrt(n), non-convex": (
        lambda: bsp_speedup_nonconvex.bsp_speedup_nonconvex(lambda step: MisscaledBSP(step, 0.5))
    ),
    "steps that grow with the period raise the variance": (
        lambda: local_period_variance.local_period_variance(
            lambda step, period: LocalSGD(MisscaledStep(step, period), period)
        )
    ),
    "averaging gradients has another fixed point": (
        lambda: local_period_drift.local_period_drift_measure(GradientAveragingLocalSGD)
    ),
    "D-PSGD that ignores its graph": (
        lambda: d_psgd_gap.d_psgd_gap_measure(lambda step, graph: DPSGD(step, Complete(graph.n)))
    ),
    "rows that sum to 0.99 bias the mean model": (
        lambda: d_psgd_leading.d_psgd_leading_measure(leaky_but_for_complete)
    ),
    "a consensus step smaller by one more gap": lambda: choco_gap.choco_gap_measure(timid),
    "a residual kept twice": lambda: ef_residual.measure(Hoarding()),
    "a residual forgotten": lambda: ef_leading.measure(ForgetfulFeedback()),
}


def timid(graph: Topology, compressor: Compressor, gamma: float) -> ChocoGossip:
    """The prescribed consensus stepsize times the spectral gap."""
    return ChocoGossip(graph, compressor, gamma * (1 - graph.constants().need("lam")))


def leaky_but_for_complete(step: Stepsize, graph: Topology) -> DPSGD:
    """Weights that lose a hundredth on every graph but the complete one."""
    return DPSGD(step, graph if isinstance(graph, Complete) else LeakyRing(graph.n))


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_planted_faults_are_refuted(fault: str) -> None:
    assert Outcome.REFUTED in outcomes(FAULTS[fault]())


def test_noise_free_rates_see_both_sides() -> None:
    x = np.array([1.0, 2.0, 4.0, 8.0])
    told = {
        "subject": "s", "claim": "c", "variable": "x", "problem": "p", "provenance": "none",
    }  # fmt: skip

    def outcome(power: float, tight: bool) -> Outcome:
        return noise_free_rate(x, 3 * x**power, 2.0, 0.05, tight=tight, **told).outcome

    assert outcome(2.02, True) is Outcome.SUPPORTED
    assert outcome(1.9, False) is Outcome.SUPPORTED
    assert outcome(1.9, True) is Outcome.REFUTED
    assert outcome(2.1, False) is Outcome.REFUTED
