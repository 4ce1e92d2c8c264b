"""Studies: dcd noise, ecd noise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.fixed_point import FixedPoint
from algorithms.compressors.rand_k import RandK
from algorithms.methods.base import Method
from algorithms.methods.gossip_compressed.dcd_psgd import DCDPSGD
from algorithms.methods.gossip_compressed.ecd_psgd import ECDPSGD
from algorithms.methods.parts.public_copies import PublicCopiesState
from algorithms.topologies.base import Topology
from algorithms.topologies.ring import Ring
from proofs_check.curves import PanelLine
from proofs_check.evidence.gossip.studies import topologies
from proofs_check.evidence.gossip_compressed.closed_forms_difference import apart, one_mode, still
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.paths import path
from proofs_check.instruments.study import StudyResult, study
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.networks.compressed_gossip import (
    dcd_consensus_factor,
    dcd_critical,
    dcd_margin,
    ecd_estimate_error,
    ecd_moments,
)
from theory.stepsizes import ConstantStep, Stepsize

# DCD-PSGD beyond its signal-to-noise condition: disagreement grows.
#
# Without forces the second moment of the disagreement is multiplied a step by
# l^2 + (1 - l)^2 omega (n - 1)/n on W = (1 - l) J + l I, exactly for rand-k (omega = d/k - 1; E15:
# n = 2, l = 0 gives omega/2); measured for three networks over k. On other graphs the factor is a
# spectral radius. The paper's condition, omega < (1 - lambda)^2 / (4 mu^2), is sufficient: on every
# graph it lies below the omega at which the factor is 1. (Tang, Gan, Zhang, Zhang, Liu 2018,
# arXiv:1803.06443, Theorem 1.)


Build = Callable[[Stepsize, Topology, Compressor], Method[Any]]

_D, _DCD_NOISE_REPLICAS, _DCD_NOISE_SEED = 16, 3000, 101
_DCD_NOISE_KEPT = (16, 10, 8, 6, 5, 4, 3, 2)
_NETWORKS = ((2, 0.0), (8, 0.0), (8, 0.5))
_NOTHING = ConstantStep(1e-300)


def factors(build: Build, n: int, mode: float, k: int) -> Floats:
    """V_1/V_0 ``[R]`` of independent replicas from one random start: its mean is the factor."""
    topology, random = one_mode(n, mode), np.random.default_rng(_DCD_NOISE_SEED)
    x = torch.from_numpy(random.normal(size=(n, _D))).expand(_DCD_NOISE_REPLICAS, n, _D)
    mixed = torch.from_numpy(topology.matrix(0).copy()) @ x
    method = build(_NOTHING, topology, RandK(k))
    state = PublicCopiesState(x, mixed)
    moments = path(
        method, still(n, _D), 1, seed=_DCD_NOISE_SEED + k, replicas=_DCD_NOISE_REPLICAS, state=state
    )
    before, after = (apart(method.models(moment.state)) for moment in moments)
    return (after / before).numpy()


def line(build: Build, n: int, mode: float) -> tuple[Verdict, list[PanelLine]]:
    """Factors over omega for one network, each within Student's interval of the formula."""
    kept = np.array(_DCD_NOISE_KEPT)
    omega = _D / kept - 1
    y = np.stack([factors(build, n, mode, int(k)) for k in kept], axis=1)
    half = (
        scipy.stats.t.isf(ALPHA / (2 * len(kept)), _DCD_NOISE_REPLICAS - 1)
        * y.std(0, ddof=1)
        / _DCD_NOISE_REPLICAS**0.5
    )
    half += 1e-12
    expected = np.array([dcd_consensus_factor(mode, float(w), n) for w in omega])
    off = np.abs(y.mean(0) - expected)
    worst = int((off / half).argmax())
    label = f"n={n}, l={mode:g}"
    verdict = Verdict(
        subject="dcd-psgd",
        problem="quadratic",
        claim=f"disagreement is multiplied by l^2+(1-l)^2 omega (n-1)/n, {label}: it grows beyond "
        f"omega={(1 + mode) / (1 - mode) * n / (n - 1):.4g}",
        check="growth by noise",
        outcome=Outcome.SUPPORTED if (off <= half).all() else Outcome.REFUTED,
        statistic=float(y.mean(0)[worst]),
        bound=float(expected[worst]),
        uncertainty=float(half[worst]),
        resolution=2 * float(half.max()),
        evidence=f"measured {y.mean(0)[worst]:.5g} +- {half[worst]:.2g}, expected "
        f"{expected[worst]:.5g} (worst of {len(kept)} omega from 0 to {omega.max():g})",
        provenance=f"seeds {_DCD_NOISE_SEED} + k, {_DCD_NOISE_REPLICAS} replicas, one step, "
        f"d={_D}, error {ALPHA:g}",
    )
    return verdict, [
        PanelLine(label, omega, y.mean(0), y.mean(0) - half, y.mean(0) + half),
        PanelLine(f"theory {label}", omega, expected, theory=True),
    ]


def condition() -> Verdict:
    """The paper's omega against the critical one on small graphs: it is never larger."""
    graphs = [g for g in topologies(4) + topologies(8) if g.constants().symmetric]
    limits = np.array([dcd_critical(g.matrix(0)) for g in graphs])
    stated = []
    for g in graphs:
        c = g.constants()
        allowed = (1 - c.need("lam")) ** 2 / (4 * c.need("beta") ** 2)
        assert (
            dcd_margin(c.state(omega=allowed * 0.999))
            > 0
            > dcd_margin(c.state(omega=allowed * 1.001))
        )
        stated.append(allowed)
    share = np.array(stated) / limits
    names = ", ".join(
        f"{g.name} {s:.3g} of {w:.3g}" for g, s, w in zip(graphs, stated, limits, strict=True)
    )
    return Verdict(
        subject="dcd-psgd",
        problem="quadratic",
        claim="(1-lambda)^2 > 4 mu^2 omega suffices for agreement: stated omega <= critical omega",
        check="growth by noise",
        outcome=Outcome.SUPPORTED if (share <= 1).all() else Outcome.REFUTED,
        statistic=float(share.max()),
        bound=1.0,
        tightness=float(share.max()),
        evidence=f"stated and critical omega: {names}",
        provenance="spectral radius of the second moments, no seed: nothing is drawn",
    )


@study(
    "dcd-psgd",
    "quadratic",
    "divergence beyond the signal-to-noise condition",
    "omega = d/k - 1 of rand-k",
    "factor of E||X - Xbar||^2 a step",
    scales=("linear", "linear"),
)
def dcd_noise_measure(build: Build = DCDPSGD) -> StudyResult:
    """Three networks over omega, and the condition on others."""
    found = [line(build, n, mode) for n, mode in _NETWORKS]
    picture = [drawn for _, part in found for drawn in part]
    return StudyResult((*(verdict for verdict, _ in found), condition()), picture)


# ECD-PSGD needs an absolute error: with a relative one its estimates blow up in the end.
#
# What is sent, z = (1 - s/2) x + (s/2) x^+, grows like s/2 times a step. An error of fixed size
# leaves E||\tilde x - x||^2 = O(1/s); one of omega ||z||^2 comes back multiplied by 1 + omega sum_j
# W_ij^2 - O(1/s) a step, and falls at first. Second moments are exact for rand-k and for additive
# noise (:func:`theory.networks.compressed_gossip.ecd_moments`). (Tang, Gan, Zhang, Zhang, Liu 2018,
# arXiv:1803.06443, Algorithm 2, Assumption 2.)


_N, _ECD_NOISE_SEED = 8, 111
_SHORT, _LONG, _FAR, _ECD_NOISE_REPLICAS = 8, 150, 800, 1500
_ECD_NOISE_KEPT = (15, 12, 8)
_GRID = FixedPoint(4, 16)


def start() -> Floats:
    """A random start ``[n, d]``."""
    return np.random.default_rng(_ECD_NOISE_SEED).normal(size=(_N, _D))


def estimate_errors(build: Build, operator: Compressor, steps: int, replicas: int) -> Floats:
    r"""||W (\tilde X - X)||_F^2 ``[R, steps + 1]``: a worker keeps its neighbours' sum only."""
    topology = Ring(_N)
    w = torch.from_numpy(topology.matrix(0).copy())
    x = torch.from_numpy(start()).expand(replicas, _N, _D)
    method = build(_NOTHING, topology, operator)
    moments = path(
        method,
        still(_N, _D),
        steps,
        seed=_ECD_NOISE_SEED,
        replicas=replicas,
        state=PublicCopiesState(x, w @ x),
    )
    errors = [(m.state.mixed - w @ m.state.x).square().sum((-2, -1)) for m in moments]
    return torch.stack(errors, dim=1).numpy()


def as_computed(build: Build, k: int) -> Verdict:
    """Estimates after a few steps, before heavy tails, against the exact second moments."""
    d, w = _D, Ring(_N).matrix(0)
    y = estimate_errors(build, RandK(k), _SHORT, _ECD_NOISE_REPLICAS)
    expected = neighbours_errors(w, omega=d / k - 1, steps=_SHORT)
    half = (
        scipy.stats.t.isf(ALPHA / (2 * _SHORT), _ECD_NOISE_REPLICAS - 1)
        * y.std(0, ddof=1)
        / _ECD_NOISE_REPLICAS**0.5
    )
    off = np.abs(y.mean(0) - expected)[1:] / half[1:]
    worst = 1 + int(off.argmax())
    return Verdict(
        subject="ecd-psgd",
        problem="quadratic",
        claim=f"second moments of the estimates as computed, rand-{k} of {d}",
        check="growth by noise",
        outcome=Outcome.SUPPORTED if off.max() <= 1 else Outcome.REFUTED,
        statistic=float(y.mean(0)[worst]),
        bound=float(expected[worst]),
        uncertainty=float(half[worst]),
        resolution=2 * float(half[worst]),
        evidence=f"measured {y.mean(0)[worst]:.5g} +- {half[worst]:.2g}, expected "
        f"{expected[worst]:.5g} after {worst} steps, the worst of {_SHORT}",
        provenance=f"seed {_ECD_NOISE_SEED}, {_ECD_NOISE_REPLICAS} replicas, ring of {_N}, "
        f"error {ALPHA:g}",
    )


def neighbours_errors(w: Floats, omega: float, steps: int) -> Floats:
    r"""E||W (\tilde X - X)||_F^2: what :func:`estimate_errors` sees of the second moments."""
    return ecd_moments(w, start(), steps, omega=omega, seen=w)


def relative_blows_up() -> tuple[Verdict, list[PanelLine]]:
    """Exact second moments fall first and then grow, for three relative errors."""
    w = Ring(_N).matrix(0)
    picture: list[PanelLine] = []
    grown = []
    for k in _ECD_NOISE_KEPT:
        exact = neighbours_errors(w, _D / k - 1, _FAR)[1:]
        grown.append(float(exact[-1] / exact.min()))
        picture.append(PanelLine(f"omega={_D / k - 1:.3g}", np.arange(1.0, _FAR + 1), exact))
    omegas = ", ".join(
        f"{_D / k - 1:.3g}: {g:.3g}" for k, g in zip(_ECD_NOISE_KEPT, grown, strict=True)
    )
    verdict = Verdict(
        subject="ecd-psgd",
        problem="quadratic",
        claim="with an error relative to the message the estimates end up growing",
        check="growth by noise",
        outcome=Outcome.SUPPORTED if min(grown) > 10 else Outcome.REFUTED,
        statistic=min(grown),
        bound=10.0,
        evidence=f"E||x~ - x||^2 after {_FAR} steps over its least, by omega: {omegas}",
        provenance=f"exact second moments, ring of {_N}, no forces, seed {_ECD_NOISE_SEED} "
        f"for the start",
    )
    return verdict, picture


def absolute_settles(build: Build) -> tuple[Verdict, list[PanelLine]]:
    r"""A grid's error stays below \tilde\sigma^2/s from s = 5 on, row by row of W."""
    replicas = 50
    y = estimate_errors(build, _GRID, _LONG, replicas)[:, 1:]
    square = float(np.square(Ring(_N).matrix(0)).sum())
    noise = _D * _GRID.step**2 / 4
    s: Floats = np.arange(2, _LONG + 2, dtype=np.float64)
    bound: Floats = np.array([square * ecd_estimate_error(int(v), noise) for v in s])
    spread = scipy.stats.t.isf(ALPHA / _LONG, replicas - 1) * y.std(0, ddof=1) / replicas**0.5
    share = (y.mean(0) - spread) / bound
    worst = int(share.argmax())
    verdict = Verdict(
        subject="ecd-psgd",
        problem="quadratic",
        claim="with a grid of fixed width E||x~ - x||^2 <= (2/3)(2s-3)/((s-1)(s-2)) d D^2/4",
        check="growth by noise",
        outcome=Outcome.SUPPORTED if share.max() <= 1 else Outcome.REFUTED,
        statistic=float(y.mean(0)[worst]),
        bound=float(bound[worst]),
        uncertainty=float(spread[worst]),
        evidence=f"largest share of the bound {share.max():.3g} after {worst + 1} steps of {_LONG}",
        provenance=f"seed {_ECD_NOISE_SEED}, {replicas} replicas, {_GRID.name}, error {ALPHA:g}",
    )
    since: Floats = np.arange(1, _LONG + 1, dtype=np.float64)
    return verdict, [
        PanelLine("grid", since, y.mean(0)),
        PanelLine("grid, bound", since, bound, theory=True),
    ]


@study(
    "ecd-psgd", "quadratic", "an absolute error, or divergence", "steps", "E||W (x~ - x)||^2 [x^2]"
)
def ecd_noise_measure(build: Build = ECDPSGD) -> StudyResult:
    """Relative errors as computed and in the end, and a grid."""
    blown, picture = relative_blows_up()
    settled, grid = absolute_settles(build)
    return StudyResult(
        (*(as_computed(build, k) for k in _ECD_NOISE_KEPT), blown, settled), [*picture, *grid]
    )
