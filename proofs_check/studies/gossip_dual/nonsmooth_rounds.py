r"""MSPD on least absolute deviations: error against rounds of messages, and across networks.

Diabetes data sorted by target over 8 workers (16 for the longest path), M subgradients in each of M
outer steps: at most O(1/rounds) for the worst worker, while D-PSGD, one subgradient a round with
the best constant step for its horizon, R/(L sqrt T), takes its rate from T^{-1/2}. The outer steps
to a given error do not depend on the eigengap: Chebyshev's polynomial pays for it in rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_dual.mspd import MSPD
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.complete import Complete
from algorithms.topologies.laplacian import Laplacian
from algorithms.topologies.path import Path
from algorithms.topologies.ring import Ring
from proofs_check.curves import PanelLine
from proofs_check.instruments.study import Study, StudyResult, exponent, noise_free_rate
from proofs_check.studies.gossip_dual.nonsmooth_settings import PERIODS, problem, ratio, worst_error
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, Stepsize

Build = Callable[[Stepsize, StaticTopology, int], Method[Any]]
_NETWORKS: tuple[StaticTopology, ...] = (Complete(8), Ring(8), Path(8), Path(16))
_ROUNDS = (16, 32, 64, 128)


def errors(build: Build, topology: StaticTopology) -> Floats:
    """Errors after M outer steps of M subgradients, for each M."""
    p = problem(topology.n)
    step = ConstantStep(ratio(p))
    return np.array([worst_error(build(step, topology, m), p, m * m) for m in PERIODS])


def measure(build: Build = MSPD) -> StudyResult:
    """Exponents of rounds, independence of the eigengap, D-PSGD beside."""
    found = {topology: errors(build, topology) for topology in _NETWORKS}
    x = np.array(PERIODS, dtype=np.float64)
    told = (
        "diabetes sorted by target, whitened; M = T = 8 to 64, scale R/L, seed 0 (nothing is drawn)"
    )
    verdicts = [
        noise_free_rate(
            x, y, -1.0, 0.0, tight=False, variable="rounds", subject="mspd",
            problem=problem(topology.n).name, provenance=f"{told}; {topology.name}",
            claim="MSPD: error of the worst worker at most O(1/rounds)",
        )
        for topology, y in found.items()
    ]  # fmt: skip
    ring = found[_NETWORKS[1]]
    p, topology = problem(8), _NETWORKS[1]
    plain = np.array(
        [worst_error(DPSGD(ConstantStep(ratio(p) / t**0.5), topology), p, t) for t in _ROUNDS]
    )
    curves: list[PanelLine] = []
    for network, y in found.items():
        curves.append(PanelLine(f"MSPD, {network.name}", x * Laplacian(network).degree, y))
    rounds = np.array(_ROUNDS, dtype=np.float64)
    scale = p.constants().need("R2") / ratio(p) / Laplacian(topology).gamma ** 0.5
    curves += [
        PanelLine("D-PSGD, ring(n=8)", rounds, plain),
        PanelLine("lower bound's order, ring(n=8)", rounds, scale / rounds, theory=True),
    ]
    verdicts += [_independent(found, told), _plain(rounds, plain, x, ring)]
    return StudyResult(tuple(verdicts), curves)


def _independent(found: dict[StaticTopology, Floats], told: str) -> Verdict:
    """Errors at the longest run over paths, against the complete graph: 1/gamma up to 103."""
    ends = {topology.name: y[-1] for topology, y in found.items()}
    complete = ends[_NETWORKS[0].name]
    worst = max(ends.values()) / complete
    gap = max(1 / Laplacian(topology).gamma for topology in found)
    return Verdict(
        subject="mspd",
        problem="lad-diabetes-sorted",
        claim="after equally many outer steps the error hardly depends on the eigengap",
        check="ratio of errors",
        outcome=Outcome.SUPPORTED if worst <= gap**0.25 else Outcome.REFUTED,
        statistic=worst,
        bound=gap**0.25,
        evidence=f"errors at most {worst:.3g} times the complete graph's for 1/gamma up to "
        f"{gap:.4g} (limit: its fourth root; without Chebyshev's polynomial its square root)",
        provenance=told,
    )


def _plain(rounds: Floats, plain: Floats, x: Floats, mspd: Floats) -> Verdict:
    """MSPD's exponent of rounds is below D-PSGD's."""
    own, other = exponent(x, mspd), exponent(rounds, plain)
    return Verdict(
        subject="mspd",
        problem="lad-diabetes-sorted",
        claim="in rounds MSPD's error falls faster than D-PSGD's",
        check="exponents of rounds",
        outcome=Outcome.SUPPORTED if own < other else Outcome.REFUTED,
        statistic=own,
        bound=other,
        evidence=f"exponents {own:.3f} and {other:.3f} on the ring of 8",
        provenance=f"MSPD M = T = 8 to 64; D-PSGD T = {_ROUNDS}, step R/(L sqrt T), seed 0",
    )


STUDY = Study(
    "nonsmooth_rounds",
    "mspd",
    "lad-diabetes-sorted",
    "MSPD: error O(1/rounds) on non-smooth convex functions, whatever the eigengap",
    "rounds of messages",
    "f - f* at the worst worker",
    measure,
)
