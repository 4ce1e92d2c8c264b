r"""DCD-PSGD beyond its signal-to-noise condition: disagreement grows.

Without forces the second moment of the disagreement is multiplied a step by
l^2 + (1 - l)^2 omega (n - 1)/n on W = (1 - l) J + l I, exactly for rand-k (omega = d/k - 1; E15:
n = 2, l = 0 gives omega/2); measured for three networks over k. On other graphs the factor is a
spectral radius. The paper's condition, omega < (1 - lambda)^2 / (4 mu^2), is sufficient: on every
graph it lies below the omega at which the factor is 1. (Tang, Gan, Zhang, Zhang, Liu 2018,
arXiv:1803.06443, Theorem 1.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
import torch

from algorithms.compressors.base import Compressor
from algorithms.compressors.rand_k import RandK
from algorithms.methods.base import Method
from algorithms.methods.gossip_compressed.dcd_psgd import DCDPSGD
from algorithms.methods.parts.public_copies import PublicCopiesState
from algorithms.topologies.base import Topology
from proofs_check.closed_forms.gossip_compressed.difference_compression import (
    apart,
    one_mode,
    still,
)
from proofs_check.curves import PanelLine
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.paths import path
from proofs_check.instruments.study import Study, StudyResult
from proofs_check.studies.gossip.settings import topologies
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.networks.compressed_gossip import dcd_consensus_factor, dcd_critical, dcd_margin
from theory.stepsizes import ConstantStep, Stepsize

Build = Callable[[Stepsize, Topology, Compressor], Method[Any]]

_D, _REPLICAS, _SEED = 16, 3000, 101
_KEPT = (16, 10, 8, 6, 5, 4, 3, 2)
_NETWORKS = ((2, 0.0), (8, 0.0), (8, 0.5))
_NOTHING = ConstantStep(1e-300)


def factors(build: Build, n: int, mode: float, k: int) -> Floats:
    """V_1/V_0 ``[R]`` of independent replicas from one random start: its mean is the factor."""
    topology, random = one_mode(n, mode), np.random.default_rng(_SEED)
    x = torch.from_numpy(random.normal(size=(n, _D))).expand(_REPLICAS, n, _D)
    mixed = torch.from_numpy(topology.matrix(0).copy()) @ x
    method = build(_NOTHING, topology, RandK(k))
    state = PublicCopiesState(x, mixed)
    moments = path(method, still(n, _D), 1, seed=_SEED + k, replicas=_REPLICAS, state=state)
    before, after = (apart(method.models(moment.state)) for moment in moments)
    return (after / before).numpy()


def line(build: Build, n: int, mode: float) -> tuple[Verdict, list[PanelLine]]:
    """Factors over omega for one network, each within Student's interval of the formula."""
    kept = np.array(_KEPT)
    omega = _D / kept - 1
    y = np.stack([factors(build, n, mode, int(k)) for k in kept], axis=1)
    half = (
        scipy.stats.t.isf(ALPHA / (2 * len(kept)), _REPLICAS - 1)
        * y.std(0, ddof=1)
        / _REPLICAS**0.5
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
        provenance=f"seeds {_SEED} + k, {_REPLICAS} replicas, one step, d={_D}, error {ALPHA:g}",
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


def measure(build: Build = DCDPSGD) -> StudyResult:
    """Three networks over omega, and the condition on others."""
    found = [line(build, n, mode) for n, mode in _NETWORKS]
    picture = [drawn for _, part in found for drawn in part]
    return StudyResult((*(verdict for verdict, _ in found), condition()), picture)


STUDY = Study(
    "dcd_noise",
    "dcd-psgd",
    "quadratic",
    "divergence beyond the signal-to-noise condition",
    "omega = d/k - 1 of rand-k",
    "factor of E||X - Xbar||^2 a step",
    measure,
    ("linear", "linear"),
)
