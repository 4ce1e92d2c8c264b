"""Effects of gossip over directed links, and faults in push methods; a study of speed-up by SGP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from algorithms.catalogue import problem
from algorithms.catalogue.gossip_directed import uneven_exponential
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.exchanges.unreliable import LostWeight
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_directed.gossipgrad import GossipGraD
from algorithms.methods.gossip_directed.overlap_sgp import OverlapSGP
from algorithms.methods.gossip_directed.push_sum import PushSum
from algorithms.methods.gossip_directed.sgp import SGP
from algorithms.methods.gossip_directed.subgradient_push import SubgradientPush
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import unequal
from algorithms.topologies.averaging import Averaging
from algorithms.topologies.base import MixingSequence
from algorithms.topologies.directed_ring import DirectedRing
from algorithms.topologies.ring import Ring
from algorithms.topologies.time_varying_digraph import TimeVaryingDigraph
from proofs_check.curves import PanelLine, band
from proofs_check.evidence.gossip_directed.closed_forms import (
    DIGRAPH,
    Build,
    exact_after_rounds,
    mass_is_kept,
    overlap_keeps_mass,
    reaches_mean,
    sgp_fixed_point,
    subgradient_push_fixed_point,
)
from proofs_check.evidence.gossip_directed.closed_forms_losses import told_senders
from proofs_check.instruments.contrast import arm, contrast
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import Setting
from proofs_check.instruments.speedup_verdicts import error_ratio
from proofs_check.instruments.study import StudyResult, study
from proofs_check.methods.faulty.faulty_method import wrapped
from proofs_check.methods.faulty.push import (
    DividedTwice,
    DroppedInFlight,
    GradientAtSum,
    GradientSent,
    MeanOfHeard,
    PushAtSum,
    StalePushSum,
    Undivided,
    WeightKept,
)
from proofs_check.mutants.method_mutant import MethodMutant, fault
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, Stepsize

# Faults in push methods: weights, ratios, messages in flight, what is sent, who is partner.

_STATIC = (FixedLinks(DIGRAPH),)


def _reaches_mean(build: Build = PushSum) -> tuple[Verdict, ...]:
    return reaches_mean(build, _STATIC)


# Effects of gossip over directed links, and with rotating partners.

_UNEQUAL = Setting(
    "quadratic-unequal, no noise", partial(unequal, sigma2=0.0), 16, 1000,
    (0.0125, 0.025, 0.05, 0.1, 0.2), points=200, d=20,
)  # fmt: skip
_D_PSGD = arm("D-PSGD on a ring", lambda it: DPSGD(it.step, Ring(it.problem.n)))

GOSSIPGRAD = contrast(
    "gossipgrad", "partners that rotate keep workers together with one message a step",
    replace(_UNEQUAL, note="dissemination, samples pass round"),
    Reading("sent_bits", "distance_of_workers", budget=6e5),
    method="GossipGraD",
    baseline=_D_PSGD,
    without=arm(
        "partners that never rotate: always the next worker",
        lambda it: GossipGraD(it.step, FixedLinks(DirectedRing(it.problem.n))),
    ),
    at_most=0.05,
    source="Daily, Vishnu, Siegel, Warfel, Amatya 2018, arXiv:1803.05880, section 4: diffusion in "
    "ceil(log2 n) steps",
)  # fmt: skip

PUSH_SUM = contrast(
    "push-sum", "weights that travel along lead all workers to the mean over directed links",
    Setting(
        "consensus", partial(problem, "consensus"), 16, 60, None, replicas=64,
        note="uniform gossip, d = 20",
    ),
    Reading(quantity="distance_of_workers"),
    method="push-sum",
    baseline=arm(
        "the mean of what one hears, over the same links", lambda it: MeanOfHeard(it.own)
    ),
    without=arm("the weight is not sent", lambda it: WeightKept(it.own)),
    at_most=1e-6,
    source="Kempe, Dobra, Gehrke 2003, FOCS, Theorem 3.1: accuracy eps after O(log n + log 1/eps)",
    scales=("linear", "log"),
)  # fmt: skip

SGP_EFFECT = contrast(
    "sgp", "one-way messages over far links keep workers together for fewer bits",
    replace(_UNEQUAL, steps=1500, note="exponential graph with uneven in-degrees"),
    Reading("sent_bits", "distance_of_workers", budget=9.5e5),
    method="SGP",
    baseline=_D_PSGD,
    without=arm("the weight is not sent", lambda it: WeightKept(it.own)),
    at_most=0.2,
    source="Assran, Loizou, Ballas, Rabbat 2018, arXiv:1811.10792, section 4 and Theorem 1",
)  # fmt: skip

SUBGRADIENT_PUSH = contrast(
    "subgradient-push", "directed links that change bring no bias",
    replace(
        _UNEQUAL, n=10, steps=2500, step=(0.005, 0.01, 0.02, 0.04, 0.08),
        note="ring whose links are alive in turn",
    ),
    Reading(of=" of the mean model"),
    method="subgradient-push",
    baseline=arm(
        "gradient steps and the mean of what one hears",
        lambda it: GossipGraD(
            it.step, FixedLinks(Averaging(TimeVaryingDigraph.ring_by_parts(it.problem.n, 3))),
            shuffle=False,
        ),
    ),
    without=arm("gradients at the sums, not at the ratios", lambda it: PushAtSum(it.own)),
    at_most=0.2, source="Nedic, Olshevsky 2016, arXiv:1406.2075, Theorem 1",
)  # fmt: skip


# SGP and its overlapped form over directed graphs err as BSP-SGD does: E||zbar - x*||^2 ~ 1/n.
#
# Quadratic with noise and workers that differ, small constant stepsize, from the minimiser, on
# directed graphs that change every step and whose in-degrees differ: \bar x moves by the plain mean
# of the gradients whatever the graph, so the leading term \gamma\sigma^2/n is that of BSP-SGD
# (Assran, Loizou, Ballas, Rabbat 2018, arXiv:1811.10792, Theorem 1; stated there to order only).
# The time average of the last half of each run is compared.


_WORKERS = (4, 8, 16, 32)
_SGP_SPEEDUP_REPLICAS, _STEPS, _SGP_SPEEDUP_SEED, _WITHIN, _GROUPS = 128, 300, 160, 1.05, 32
_STEP = ConstantStep(0.04)
_DESCRIPTION = (
    f"seeds {_SGP_SPEEDUP_SEED} + n, {_SGP_SPEEDUP_REPLICAS} replicas, {_STEPS} steps from "
    f"x*, gamma 0.04, uneven "
    f"exponential graphs, error {ALPHA:g}"
)

SgpSpeedupBuild = Callable[[Stepsize, MixingSequence], Method[Any]]


def sgp(step: Stepsize, graph: MixingSequence) -> Method[Any]:
    """Stochastic gradient push along a graph."""
    return SGP(step, FixedLinks(graph))


def bulk(step: Stepsize, graph: MixingSequence) -> Method[Any]:
    """BSP-SGD, which needs no graph."""
    return BSP(step)


@study(
    "sgp",
    "quadratic-sc",
    "1/n for SGP over directed graphs that change with time",
    "workers n",
    "E||zbar - x*||^2 [x^2]",
)
def sgp_speedup_measure(
    build: SgpSpeedupBuild = sgp, overlapped: SgpSpeedupBuild = OverlapSGP
) -> StudyResult:
    """Ratios to BSP-SGD at every n, and SGP's exponent of n."""
    x = np.array(_WORKERS, dtype=np.float64)
    by = {
        label: np.stack([_sgp_speedup_errors(made, n) for n in _WORKERS], axis=1)
        for label, made in (("BSP-SGD", bulk), ("SGP", build), ("1-OSGP", overlapped))
    }
    verdicts = [
        _ratio(label, n, by[label][:, k], by["BSP-SGD"][:, k])
        for label in ("SGP", "1-OSGP")
        for k, n in enumerate(_WORKERS)
    ]
    fit = fit_power(x, by["SGP"], ALPHA, groups=_GROUPS)
    verdicts.append(
        rate_verdict(
            fit, -1.0, False, subject="sgp", variable="n", problem="quadratic-sc",
            claim="linear speedup on directed graphs: SGP's error falls as 1/n",
            provenance=_DESCRIPTION,
        )
    )  # fmt: skip
    return StudyResult(tuple(verdicts), _lines(x, by))


def _sgp_speedup_errors(build: SgpSpeedupBuild, n: int) -> Floats:
    """||zbar - x*||^2 ``[R]``, averaged over the last half of a run."""
    problem = Quadratic.strongly_convex(n, 8, L=1.0, mu=0.25, zeta2=1.0)
    trace = run(
        build(_STEP, uneven_exponential(n)), problem, steps=_STEPS, seed=_SGP_SPEEDUP_SEED + n,
        replicas=_SGP_SPEEDUP_REPLICAS, points=_STEPS + 1, x0=problem.x_star,
    )  # fmt: skip
    return np.asarray(trace.squared_distance[:, _STEPS // 2 :].mean(axis=1))


def _ratio(label: str, n: int, errors: Floats, bulk_errors: Floats) -> Verdict:
    found = error_ratio(
        errors, bulk_errors, _WITHIN, subject="sgp", problem="quadratic-sc",
        description=_DESCRIPTION,
        claim=f"{label} on directed graphs errs at most {_WITHIN:g} times as BSP-SGD, n={n}",
    )  # fmt: skip
    evidence = f"{found.statistic:.4f} +- {found.uncertainty:.2g} times the error of BSP-SGD"
    return replace(found, check="error against BSP-SGD", evidence=evidence)


def _lines(x: Floats, by: dict[str, Floats]) -> list[PanelLine]:
    lines: list[PanelLine] = []
    for label, y in by.items():
        lines.append(PanelLine(label, x, *band(y)))
    return lines


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    MethodMutant(
        "push-sum with row-stochastic weights", "rows sum to 1 instead of columns",
        lambda: reaches_mean(PushSum, (FixedLinks(Averaging(DIGRAPH)),)),
        lambda: reaches_mean(PushSum, _STATIC),
    ),
    MethodMutant(
        "push-sum with row-stochastic weights, mass", "rows sum to 1 instead of columns",
        lambda: mass_is_kept(PushSum, (FixedLinks(Averaging(DIGRAPH)),)),
        lambda: mass_is_kept(PushSum, _STATIC),
    ),
    fault(
        "push-sum not divided", "s is taken for the mean",
        _reaches_mean, wrapped(Undivided, PushSum),
    ),
    fault(
        "push-sum without its weight", "the weight is not sent",
        _reaches_mean, wrapped(WeightKept, PushSum),
    ),
    fault(
        "push-sum divided twice", "the ratio goes into the next round's sum",
        _reaches_mean, wrapped(DividedTwice, PushSum),
    ),
    fault(
        "push-sum hearing old values", "neighbours' rows are a step old, flights are not counted",
        _reaches_mean, lambda e: StalePushSum(PushSum(e), DIGRAPH),
    ),
    fault(
        "overlap SGP dropping flights", "what is under way is forgotten",
        overlap_keeps_mass, wrapped(DroppedInFlight, OverlapSGP),
    ),
    fault(
        "SGP sending gradients", "the survey's description, E34",
        sgp_fixed_point, wrapped(GradientSent, SGP),
    ),
    fault(
        "SGP with gradients at x", "the gradient is taken at the biased x",
        sgp_fixed_point, wrapped(GradientAtSum, SGP),
    ),
    fault(
        "subgradient-push with gradients at x", "the gradient is taken at the mixed sum",
        subgradient_push_fixed_point, wrapped(PushAtSum, SubgradientPush),
    ),
    MethodMutant(
        "lost push replaced by the own value", "the receiver keeps rows where the sender should "
        "keep columns", lambda: told_senders(PushSum, LostWeight.OWN_INSTEAD), told_senders,
    ),
    MethodMutant(
        "partner that never rotates", "every hop is 1 instead of 2^t",
        lambda: exact_after_rounds(graph=DirectedRing), exact_after_rounds,
    ),
)  # fmt: skip
