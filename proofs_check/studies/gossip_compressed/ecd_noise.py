r"""ECD-PSGD needs an absolute error: with a relative one its estimates blow up in the end.

What is sent, z = (1 - s/2) x + (s/2) x^+, grows like s/2 times a step. An error of fixed size
leaves E||\tilde x - x||^2 = O(1/s); one of omega ||z||^2 comes back multiplied by
1 + omega sum_j W_ij^2 - O(1/s) a step, and falls at first. Second moments are exact for rand-k and
for additive noise (:func:`theory.networks.compressed_gossip.ecd_moments`). (Tang, Gan, Zhang,
Zhang, Liu 2018, arXiv:1803.06443, Algorithm 2, Assumption 2.)
"""

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
from algorithms.methods.gossip_compressed.ecd_psgd import ECDPSGD
from algorithms.methods.parts.public_copies import PublicCopiesState
from algorithms.topologies.base import Topology
from algorithms.topologies.ring import Ring
from proofs_check.closed_forms.gossip_compressed.difference_compression import still
from proofs_check.curves import PanelLine
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.paths import path
from proofs_check.instruments.study import Study, StudyResult
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.networks.compressed_gossip import ecd_estimate_error, ecd_moments
from theory.stepsizes import ConstantStep, Stepsize

Build = Callable[[Stepsize, Topology, Compressor], Method[Any]]

_N, _D, _SEED = 8, 16, 111
_NOTHING = ConstantStep(1e-300)
_SHORT, _LONG, _FAR, _REPLICAS = 8, 150, 800, 1500
_KEPT = (15, 12, 8)
_GRID = FixedPoint(4, 16)


def start() -> Floats:
    """A random start ``[n, d]``."""
    return np.random.default_rng(_SEED).normal(size=(_N, _D))


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
        seed=_SEED,
        replicas=replicas,
        state=PublicCopiesState(x, w @ x),
    )
    errors = [(m.state.mixed - w @ m.state.x).square().sum((-2, -1)) for m in moments]
    return torch.stack(errors, dim=1).numpy()


def as_computed(build: Build, k: int) -> Verdict:
    """Estimates after a few steps, before heavy tails, against the exact second moments."""
    d, w = _D, Ring(_N).matrix(0)
    y = estimate_errors(build, RandK(k), _SHORT, _REPLICAS)
    expected = neighbours_errors(w, omega=d / k - 1, steps=_SHORT)
    half = (
        scipy.stats.t.isf(ALPHA / (2 * _SHORT), _REPLICAS - 1) * y.std(0, ddof=1) / _REPLICAS**0.5
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
        provenance=f"seed {_SEED}, {_REPLICAS} replicas, ring of {_N}, error {ALPHA:g}",
    )


def neighbours_errors(w: Floats, omega: float, steps: int) -> Floats:
    r"""E||W (\tilde X - X)||_F^2: what :func:`estimate_errors` sees of the second moments."""
    return ecd_moments(w, start(), steps, omega=omega, seen=w)


def relative_blows_up() -> tuple[Verdict, list[PanelLine]]:
    """Exact second moments fall first and then grow, for three relative errors."""
    w = Ring(_N).matrix(0)
    picture: list[PanelLine] = []
    grown = []
    for k in _KEPT:
        exact = neighbours_errors(w, _D / k - 1, _FAR)[1:]
        grown.append(float(exact[-1] / exact.min()))
        picture.append(PanelLine(f"omega={_D / k - 1:.3g}", np.arange(1.0, _FAR + 1), exact))
    omegas = ", ".join(f"{_D / k - 1:.3g}: {g:.3g}" for k, g in zip(_KEPT, grown, strict=True))
    verdict = Verdict(
        subject="ecd-psgd",
        problem="quadratic",
        claim="with an error relative to the message the estimates end up growing",
        check="growth by noise",
        outcome=Outcome.SUPPORTED if min(grown) > 10 else Outcome.REFUTED,
        statistic=min(grown),
        bound=10.0,
        evidence=f"E||x~ - x||^2 after {_FAR} steps over its least, by omega: {omegas}",
        provenance=f"exact second moments, ring of {_N}, no forces, seed {_SEED} for the start",
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
        provenance=f"seed {_SEED}, {replicas} replicas, {_GRID.name}, error {ALPHA:g}",
    )
    since: Floats = np.arange(1, _LONG + 1, dtype=np.float64)
    return verdict, [
        PanelLine("grid", since, y.mean(0)),
        PanelLine("grid, bound", since, bound, theory=True),
    ]


def measure(build: Build = ECDPSGD) -> StudyResult:
    """Relative errors as computed and in the end, and a grid."""
    blown, picture = relative_blows_up()
    settled, grid = absolute_settles(build)
    return StudyResult((*(as_computed(build, k) for k in _KEPT), blown, settled), [*picture, *grid])


STUDY = Study(
    "ecd_noise",
    "ecd-psgd",
    "quadratic",
    "an absolute error, or divergence",
    "steps",
    "E||W (x~ - x)||^2 [x^2]",
    measure,
)
