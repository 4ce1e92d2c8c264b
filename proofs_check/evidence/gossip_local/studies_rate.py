"""Studies: the rate of local SGD over gossip."""

from __future__ import annotations

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.fixed import FixedMatrix
from proofs_check.evidence.gossip_local.closed_forms import Build, plain
from proofs_check.evidence.gossip_local.closed_forms_moments import (
    Recursion,
    boundary,
    lazy_complete,
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
