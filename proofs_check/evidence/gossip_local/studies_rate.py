"""Studies: the rate of local SGD over gossip, plain and compressed."""

from __future__ import annotations

import numpy as np
import torch

from algorithms.compressors.rand_k import RandK
from algorithms.engine.run import run
from algorithms.methods.gossip.choco import ChocoRound
from algorithms.methods.gossip_local.gossip_local_sgd import GossipLocalSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.fixed import FixedMatrix
from proofs_check.evidence.gossip_local.closed_forms import Build, ChocoBuild, plain
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
from proofs_check.instruments.evidence import ALPHA, identity
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.study import StudyResult, noise_free_rate, study
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep

_ROW = "gossip-local-sgd"


# What H and the gap cost local SGD over gossip: drift, spread, and when the leading term rules.
#
# Quadratics of unequal curvature a_i = 1 + cos(2 pi i/n)/2 and minimisers that differ along with
# it, W = (1 - gap) I + gap J, constant gamma; exact moments in the long run, and simulation. What
# is found:
#
# - without noise the models stop gamma H zeta lam / gap apart (root mean square) after a round;
#   noise alone spreads them by gamma^2 H sigma^2 lam^2 / (1 - lam^2) (mean square);
# - the mean model's error is that of parallel SGD, gamma sigma^2/(2n), whatever H and gap are,
#   plus a
#   bias squared of the order (gamma H zeta / gap)^2. The leading term rules once
#   gamma <= c gap^2 / (n H^2): a transient of T ~ 1/gamma ~ n H^2 / gap^2 steps (strongly convex).
#   With gamma = sqrt(n/T) the same condition reads T >= n^3 H^4 / gap^4, D-PSGD's for H = 1.


_PROBLEM = "quadratic"
_PERIODS, _GAPS, _WORKERS = (1, 2, 4, 8), (0.02, 0.04, 0.08), (8, 16, 32)
_SMALL, _SEED, _REPLICAS, _D = 1e-4, 93, 64, 32
_SETTINGS = ((1, 0.4), (1, 0.1), (4, 0.4), (4, 0.1), (16, 0.1))  # H, gap of the lines drawn


def transient(n: int, period: int, gap: float) -> float:
    """1 / the largest gamma at which the bias squared is below parallel SGD's variance."""
    return 1 / boundary(lambda gamma: plain_errors(n, period, gap, gamma)[0] - 1, 1e-9, 0.5, 1e-6)


def _transients() -> tuple[Verdict, ...]:
    """Exponents of n, H and 1/gap in the transient; the variance there."""
    sweeps = (
        ("n", 1.0, np.array(_WORKERS, dtype=float), [transient(n, 4, 0.04) for n in _WORKERS]),
        ("H", 2.0, np.array(_PERIODS, dtype=float), [transient(8, h, 0.02) for h in _PERIODS]),
        ("1/gap", 2.0, 1 / np.array(_GAPS)[::-1], [transient(8, 8, g) for g in _GAPS[::-1]]),
    )  # fmt: skip
    ratios = [
        plain_errors(n, h, g, 0.01 / transient(n, h, g))[1]
        for n in _WORKERS for h in _PERIODS for g in (0.02, 0.08)
    ]  # fmt: skip
    powers = tuple(
        noise_free_rate(
            x,
            np.array(y),
            order,
            0.1,
            tight=True,
            subject=_ROW,
            problem=_PROBLEM,
            variable=name,
            claim=f"the transient 1/gamma* grows as {name}^{order:g}",
            provenance="exact moments, no seed; lower orders take up to 5 percent",
        )
        for name, order, x, y in sweeps
    )
    leading = identity(
        _ROW, "the leading term is parallel SGD's, gamma sigma^2/(2n), for every H and gap",
        ratios, 1.0, check="leading term", problem=_PROBLEM, tolerance=1e-3,
        provenance=f"exact moments at gamma*/100, no seed, {len(ratios)} settings",
    )  # fmt: skip
    return (*powers, leading)


def _settled(build: Build, problem: Quadratic, gap: float, period: int, replicas: int) -> Floats:
    """Consensus distance ``[R]`` after 20/gap rounds."""
    topology = FixedMatrix(lazy_complete(problem.n, gap), f"gap {gap:g}")
    steps = int(20 / gap) * period
    method = build(ConstantStep(_SMALL), topology, period)
    trace = run(method, problem, steps=steps, seed=_SEED, replicas=replicas, points=2)
    return np.asarray(trace.consensus[:, -1])


def _spreads(build: Build) -> tuple[Verdict, ...]:
    """Exponents of H and 1/gap in drift and in spread by noise, in simulation."""
    a, c = (torch.from_numpy(v)[:, None] for v in workers(8))
    quiet = Quadratic.from_arrays(a, c / a)
    ones = torch.ones((8, _D), dtype=torch.float64)
    noisy = Quadratic.from_arrays(ones, 0 * ones, sigma2=1.0)
    gaps, periods = np.array([0.2, 0.1, 0.05]), np.array(_PERIODS, dtype=float)
    lam = 1 - gaps
    sweeps = (
        ("H", periods, periods, [(h, 0.1) for h in _PERIODS]),
        ("1/gap", lam / gaps, lam**2 / (1 - lam**2), [(2, float(g)) for g in gaps]),
    )
    verdicts = []
    for name, of_drift, of_noise, settings in sweeps:
        drift = np.array([_settled(build, quiet, g, h, 1)[0] ** 0.5 for h, g in settings])
        spread = np.stack([_settled(build, noisy, g, h, _REPLICAS) for h, g in settings], axis=1)
        verdicts += [
            noise_free_rate(
                of_drift,
                drift,
                1.0,
                0.02,
                tight=True,
                subject=_ROW,
                problem=_PROBLEM,
                variable=name if name == "H" else "lam/gap",
                claim=f"drift without noise: exponent 1 of {name}",
                provenance=f"simulation without noise, no seed, gamma "
                f"{_SMALL}, 20/gap rounds; "
                "unequal curvatures bend the law by gamma H",
            ),
            rate_verdict(
                fit_power(of_noise, spread, ALPHA, floor=0.0),
                1.0,
                True,
                subject=_ROW,
                problem=_PROBLEM,
                variable=name if name == "H" else "lam^2/(1 - lam^2)",
                claim=f"spread by noise (mean square): exponent 1 of {name}",
                provenance=f"simulation, gamma {_SMALL}, seed "
                f"{_SEED}, {_REPLICAS} replicas, "
                f"error {ALPHA:g}",
            ),
        ]
    return tuple(verdicts)


def _moment_in_simulation(build: Build) -> Verdict:
    """E (xbar - x*)^2 after 80 rounds of H = 4 in simulation against the recursion."""
    n, period, gap, gamma, rounds = 8, 4, 0.1, 0.05, 80
    own = Recursion(lazy_complete(n, gap), *workers(n), gamma, period, variance=1.0)
    return moment_in_simulation(
        _ROW, f"E (xbar - x*)^2 after {rounds} rounds, H={period}, gap={gap:g}",
        build(ConstantStep(gamma), FixedMatrix(own.w, f"gap {gap:g}"), period), own, rounds,
        seed=_SEED, replicas=_REPLICAS, d=_D,
    )  # fmt: skip


@study(
    _ROW,
    _PROBLEM,
    "transient of n H^2 / gap^2 steps, then the leading term of parallel SGD",
    "1 / gamma [steps]",
    "E (xbar - x*)^2 over that of parallel SGD",
)
def gossip_local_rate_measure(build: Build = plain) -> StudyResult:
    """Laws, and the error of the mean model over parallel SGD's against 1/gamma."""
    gammas = np.geomspace(1e-5, 0.2, 12)
    lines = {
        f"H={period}, gap={gap:g}": (
            1 / gammas, np.array([sum(plain_errors(8, period, gap, g)) for g in gammas]),
        )
        for period, gap in _SETTINGS
    }  # fmt: skip
    verdicts = (*_transients(), *_spreads(build), _moment_in_simulation(build))
    return StudyResult(verdicts, pictured(lines))


_CHOCO_N = 4
_CHOCO_D = 16
_DELTAS, _CHOCO_GAPS, _CHOCO_PERIODS = (1 / 8, 1 / 4, 1 / 2), (0.05, 0.1, 0.2), (1, 2, 4, 8)

_CHOCO_SEED, _CHOCO_REPLICAS = 94, 96


def compressed(period: int, gap: float, delta: float, gamma: float) -> Recursion:
    """CHOCO's exchange with gamma_c = delta/2."""
    a, c = workers(_CHOCO_N)
    w = lazy_complete(_CHOCO_N, gap)
    return Recursion(w, a, c, gamma, period, delta, delta / 2, variance=1.0)


def error(period: int, gap: float, delta: float, gamma: float) -> float:
    """E (xbar - x*)^2 in the long run over that of parallel SGD."""
    parallel = gamma / (_CHOCO_N * (2 - gamma))
    return mean_square(compressed(period, gap, delta, gamma).rest(), _CHOCO_N, 0.0) / parallel


def plain_error(period: int, gap: float, gamma: float) -> float:
    """The same for plain gossip."""
    return sum(plain_errors(_CHOCO_N, period, gap, gamma))


def choco_transient(period: int, gap: float, delta: float) -> float:
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
        provenance=f"no seed; {len(settings)} settings, gamma up to 0.01, n={_CHOCO_N}",
    )


def _choco_transients() -> tuple[Verdict, ...]:
    """Exponents of H, 1/gap and 1/delta in the transient."""
    sweeps = (
        (
            "H",
            np.array(_CHOCO_PERIODS, dtype=float),
            [choco_transient(h, 0.1, 0.25) for h in _CHOCO_PERIODS],
        ),
        (
            "1/gap",
            1 / np.array(_CHOCO_GAPS)[::-1],
            [choco_transient(4, g, 0.25) for g in _CHOCO_GAPS[::-1]],
        ),
        (
            "1/delta",
            1 / np.array(_DELTAS)[::-1],
            [choco_transient(4, 0.1, k) for k in _DELTAS[::-1]],
        ),
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
            f"variable; n={_CHOCO_N}",
        )
        for name, x, y in sweeps
    )


def _in_simulation(build: ChocoBuild) -> Verdict:
    """E (xbar - x*)^2 after 60 rounds of H = 4, delta = 1/4, against the recursion."""
    period, gap, delta, gamma, rounds = 4, 0.5, 0.25, 0.02, 60
    own = compressed(period, gap, delta, gamma)
    gossip = ChocoRound(
        FixedMatrix(own.w, f"gap {gap:g}"), RandK(int(delta * _CHOCO_D), scaled=False), delta / 2
    )
    return moment_in_simulation(
        _ROW,
        f"rand-k: E (xbar - x*)^2 after {rounds} rounds, H={period}, delta={delta:g}",
        build(ConstantStep(gamma), gossip, period),
        own,
        rounds,
        seed=_CHOCO_SEED,
        replicas=_CHOCO_REPLICAS,
        d=_CHOCO_D,
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
    return StudyResult(
        (_same_as_plain(), *_choco_transients(), _in_simulation(build)), pictured(lines)
    )
