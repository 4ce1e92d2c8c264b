"""Studies: the rate of local SGD over compressed gossip."""

from __future__ import annotations

import numpy as np

from algorithms.compressors.rand_k import RandK
from algorithms.methods.gossip.choco import ChocoRound
from algorithms.methods.gossip_local.gossip_local_sgd import GossipLocalSGD
from algorithms.topologies.fixed import FixedMatrix
from proofs_check.evidence.gossip_local.closed_forms import ChocoBuild
from proofs_check.evidence.gossip_local.closed_forms_moments import (
    Recursion,
    boundary,
    lazy_complete,
    mean_square,
)
from proofs_check.evidence.gossip_local.studies import (
    moment_in_simulation,
    pictured,
    plain_errors,
    workers,
)
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.study import StudyResult, noise_free_rate, study
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

_N = 4
_D = 16
_ROW = "gossip-local-sgd"


# At what rate local SGD over compressed gossip converges: delta, gap and H.
#
# The setting of :mod:`proofs_check.evidence.gossip_local.studies` over CHOCO's exchange
# with unscaled rand-k, gamma_c = delta/2; exact second moments in the long run. What is found:
#
# - the mean model's error is that of plain gossip with I + gamma_c (W - I): delta is felt only
#   through the gamma_c that it allows, the gap being gamma_c gap;
# - the leading term is that of parallel SGD, and the transient 1/gamma* grows as
#   n H^2 / (gamma_c gap)^2, hence as n H^2 / (delta gap)^2 where gamma_c is proportional to delta.


_PROBLEM = "quadratic"
_DELTAS, _GAPS, _PERIODS = (1 / 8, 1 / 4, 1 / 2), (0.05, 0.1, 0.2), (1, 2, 4, 8)

_SEED, _REPLICAS = 94, 96


def compressed(period: int, gap: float, delta: float, gamma: float) -> Recursion:
    """CHOCO's exchange with gamma_c = delta/2."""
    a, c = workers(_N)
    w = lazy_complete(_N, gap)
    return Recursion(w, a, c, gamma, period, delta, delta / 2, variance=1.0)


def error(period: int, gap: float, delta: float, gamma: float) -> float:
    """E (xbar - x*)^2 in the long run over that of parallel SGD."""
    parallel = gamma / (_N * (2 - gamma))
    return mean_square(compressed(period, gap, delta, gamma).rest(), _N, 0.0) / parallel


def plain_error(period: int, gap: float, gamma: float) -> float:
    """The same for plain gossip."""
    return sum(plain_errors(_N, period, gap, gamma))


def transient(period: int, gap: float, delta: float) -> float:
    """1 / the gamma at which the error is twice that of parallel SGD."""
    return 1 / boundary(lambda gamma: error(period, gap, delta, gamma) - 2, 1e-8, 0.1, 1e-3)


def _same_as_plain() -> Verdict:
    """Errors with compression over those of plain gossip with the gap gamma_c gap."""
    settings = [
        (h, g, delta, gamma) for h in (1, 4) for g in (0.2, 1.0) for delta in _DELTAS
        for gamma in (1e-4, 1e-2)
    ]  # fmt: skip
    ratios = [
        error(h, g, delta, gamma) / plain_error(h, delta / 2 * g, gamma)
        for h, g, delta, gamma in settings
    ]
    return identity(
        _ROW,
        "the mean model's error is that of plain gossip with the gap gamma_c gap, to 0.5 percent",
        ratios,
        1.0,
        check="exact second moments",
        problem=_PROBLEM,
        tolerance=5e-3,
        provenance=f"no seed; {len(settings)} settings, gamma up to 0.01, n={_N}",
    )


def _transients() -> tuple[Verdict, ...]:
    """Exponents of H, 1/gap and 1/delta in the transient."""
    sweeps = (
        ("H", np.array(_PERIODS, dtype=float), [transient(h, 0.1, 0.25) for h in _PERIODS]),
        ("1/gap", 1 / np.array(_GAPS)[::-1], [transient(4, g, 0.25) for g in _GAPS[::-1]]),
        ("1/delta", 1 / np.array(_DELTAS)[::-1], [transient(4, 0.1, k) for k in _DELTAS[::-1]]),
    )
    return tuple(
        noise_free_rate(
            x,
            np.array(y),
            2.0,
            0.1,
            tight=True,
            subject=_ROW,
            problem=_PROBLEM,
            variable=name,
            claim=f"rand-k, gamma_c = delta/2: the transient 1/gamma* grows as {name}^2",
            provenance="exact second moments, no seed; gap 0.1, delta 1/4, H = 4 but for the "
            f"variable; n={_N}",
        )
        for name, x, y in sweeps
    )


def _in_simulation(build: ChocoBuild) -> Verdict:
    """E (xbar - x*)^2 after 60 rounds of H = 4, delta = 1/4, against the recursion."""
    period, gap, delta, gamma, rounds = 4, 0.5, 0.25, 0.02, 60
    own = compressed(period, gap, delta, gamma)
    gossip = ChocoRound(
        FixedMatrix(own.w, f"gap {gap:g}"), RandK(int(delta * _D), scaled=False), delta / 2
    )
    return moment_in_simulation(
        _ROW,
        f"rand-k: E (xbar - x*)^2 after {rounds} rounds, H={period}, delta={delta:g}",
        build(ConstantStep(gamma), gossip, period),
        own,
        rounds,
        seed=_SEED,
        replicas=_REPLICAS,
        d=_D,
    )


@study(
    _ROW,
    _PROBLEM,
    "transient of n H^2 / (gamma_c gap)^2 steps over compressed gossip, then parallel SGD's error",
    "1 / gamma [steps]",
    "E (xbar - x*)^2 over that of parallel SGD",
)
def gossip_local_compressed_rate_measure(build: ChocoBuild = GossipLocalSGD) -> StudyResult:
    """Laws, and errors over parallel SGD's against 1/gamma."""
    gammas = np.geomspace(1e-5, 0.1, 9)
    lines = {
        f"delta = 1/{1 / delta:g}, H={h}": (
            1 / gammas, np.array([error(h, 0.2, delta, g) for g in gammas]),
        )
        for delta in (1 / 8, 1 / 2) for h in (1, 8)
    }  # fmt: skip
    for h in (1, 8):
        ideal = np.array([plain_error(h, 0.2, g) for g in gammas])
        lines[f"no compression, H={h}"] = (1 / gammas, ideal)
        scaled = np.array([plain_error(h, 0.2 / 16, g) for g in gammas])
        lines[f"no compression, gap/16, H={h}"] = (1 / gammas, scaled)
    return StudyResult((_same_as_plain(), *_transients(), _in_simulation(build)), pictured(lines))
