"""Studies: rounds of push-sum, and what lost messages cost."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.catalogue.gossip_directed import uneven_exponential
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import Exchange, FixedLinks, RandomLinks
from algorithms.methods.exchanges.unreliable import LostWeight, Unreliable
from algorithms.methods.gossip.d_psgd import LossyDPSGD
from algorithms.methods.gossip_directed.gossipgrad import GossipGraD
from algorithms.methods.gossip_directed.push_sum import PushSum
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.averaging import Averaging
from algorithms.topologies.base import MixingSequence, product
from algorithms.topologies.complete import Complete
from algorithms.topologies.directed_ring import DirectedRing
from algorithms.topologies.losses import RandomLosses
from algorithms.topologies.one_peer_exponential import OnePeerExponential
from algorithms.topologies.random_out_neighbour import RandomOutNeighbour
from algorithms.topologies.ring import Ring
from proofs_check.curves import PanelLine, band
from proofs_check.evidence.gossip.closed_forms import consensus_problem
from proofs_check.evidence.gossip_directed.closed_forms import gossip_factor, perron
from proofs_check.evidence.gossip_directed.closed_forms_losses import expected_square, starts
from proofs_check.instruments.evidence import identity, mean_value
from proofs_check.instruments.paths import path
from proofs_check.instruments.study import StudyResult, study
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, Stepsize

# Rounds of push-sum on five networks, and averaging that stalls at the Perron-weighted value.
#
# The largest error of any z_i against rounds, n = 8, one start. One-peer exponential: gone after
# log2 n = 3 rounds. Directed ring: cos(pi/n) a round in the end. Uniform gossip:
# E\|s - \bar x w\|^2 falls by its exact factor. Row-stochastic averaging on a graph with uneven
# in-degrees ends at sum_i pi_i b_i. (Kempe, Dobra, Gehrke 2003, FOCS.)


_NETWORK_N, _NETWORK_ROUNDS, _EARLY = 8, 160, 4
_PUSH_SUM_ROUNDS_SEED, _PUSH_SUM_ROUNDS_REPLICAS = 181, 2000
_FLOOR = 1e-14  # errors below are rounding
_LABELS = ("one-peer exponential", "directed ring", "uneven exponential", "uniform gossip",
           "plain averaging, rows sum to 1")  # fmt: skip

PushSumRoundsBuild = Callable[[Exchange], Method[Any]]


def networks() -> tuple[Exchange, ...]:
    """In the order of the labels."""
    uneven = uneven_exponential(_NETWORK_N)
    return (
        FixedLinks(OnePeerExponential(_NETWORK_N)),
        FixedLinks(DirectedRing(_NETWORK_N)),
        FixedLinks(uneven),
        RandomLinks(RandomOutNeighbour(Complete(_NETWORK_N))),
        FixedLinks(Averaging(uneven)),
    )


@study(
    "push-sum",
    "consensus",
    "exact after log2 n rounds, cos(pi/n) a round, or the wrong value",
    "rounds",
    "largest |z_i - xbar|",
    scales=("linear", "log"),
)
def push_sum_rounds_measure(build: PushSumRoundsBuild = PushSum) -> StudyResult:
    """Errors by round, and what is exact of them."""
    problem = consensus_problem(_NETWORK_N, 1, 57)
    errors = [_push_sum_rounds_errors(build(exchange), problem) for exchange in networks()]
    lines: list[PanelLine] = []
    for label, y in zip(_LABELS, errors, strict=True):
        seen = np.flatnonzero(y > _FLOOR)
        last = int(seen[-1]) + 1
        lines += [PanelLine(label, np.arange(last, dtype=np.float64), y[:last])]
    b = starts(problem)[:, 0]
    plain = perron(product(Averaging(uneven_exponential(_NETWORK_N)))) @ b
    description = f"starts of seed 57, n={_NETWORK_N}, {_NETWORK_ROUNDS} rounds"
    verdicts = (
        identity(
            claim="one-peer exponential: no error after log2 n rounds", measured=errors[0][3:],
            expected=0.0, check="closed form", subject="push-sum",
            problem=problem.name, provenance=description,
        ),
        identity(
            claim="directed ring: error falls by cos(pi/n) a round, over a turn of 2n rounds",
            measured=errors[1][100 + 2 * _NETWORK_N] / errors[1][100],
            expected=math.cos(math.pi / _NETWORK_N) ** (2 * _NETWORK_N), check="closed form",
            tolerance=1e-9, provenance=description, subject="push-sum", problem=problem.name,
        ),
        identity(
            claim="plain averaging is left with the distance of the Perron value from the mean",
            measured=errors[4][-1], expected=abs(plain - b.mean()), check="Perron value",
            tolerance=1e-9, subject="push-sum", problem=problem.name, provenance=description,
        ),
        _uniform(build, problem),
    )  # fmt: skip
    return StudyResult(verdicts, lines)


def _push_sum_rounds_errors(method: Method[Any], problem: Quadratic) -> Floats:
    """Largest |z_i - xbar| ``[T + 1]``."""
    return np.array(
        [
            float((method.models(moment.state) - problem.x_star).abs().max())
            for moment in path(method, problem, _NETWORK_ROUNDS, seed=_PUSH_SUM_ROUNDS_SEED)
        ]
    )


def _uniform(build: PushSumRoundsBuild, problem: Quadratic) -> Verdict:
    method = build(networks()[3])
    first, *_, last = path(
        method, problem, _EARLY, seed=_PUSH_SUM_ROUNDS_SEED + 1, replicas=_PUSH_SUM_ROUNDS_REPLICAS
    )
    squares = [
        (m.state.s - problem.x_star * m.state.w).square().sum((-2, -1)) for m in (first, last)
    ]
    return mean_value(
        "push-sum",
        f"uniform gossip: E||s - xbar w||^2 falls by its factor in {_EARLY} rounds",
        (squares[1] / squares[0]).numpy(),
        gossip_factor(_NETWORK_N) ** _EARLY,
        check="uniform gossip",
        problem=problem.name,
        provenance=f"seed {_PUSH_SUM_ROUNDS_SEED + 1}, {_PUSH_SUM_ROUNDS_REPLICAS} replicas",
    )


# Cost of lost messages: mass in push-sum, the mean in averaging, the floor in D-PSGD.
#
# Messages are lost with probability p, independently. After T rounds on a ring of 6, the root mean
# square error of the mean over workers, relative to the spread of the starts:
#
# * push-sum on the directed ring whose lost mass vanishes: the mean of s_i / w_i (measured; the
#   second moment of \sum s - \bar x \sum w is exact, and so is E \sum w = n (1 - p/2)^T);
# * averaging that takes its own value instead: E (W \otimes W)^T, exact;
# * push-sum whose senders are told and keep the mass: what T rounds leave.
#
# D-PSGD under the same losses, its step before the combination or after it: E f(\bar x_T) - f^* by
# the exact second moments of its linear recursion.


_P = (0.01, 0.03, 0.1, 0.3)
_N, _ROUNDS, _REPLICAS, _SEED = 5, 60, 2000, 170
_DRIFTS = 4000  # at p = 0.01 half of all drifts are nearly 0: 2000 do not see losses doubled
_GAMMA, _STEPS = 0.1, 60
_DESCRIPTION = f"n={_N}, seeds {_SEED} on"


Build = Callable[[Exchange], Method[Any]]
Descend = Callable[[Stepsize, Exchange], Method[Any]]
Law = Callable[[Floats, Floats, Floats, float, Floats, Floats], tuple[Floats, Floats]]


def combined(step: Stepsize, exchange: Exchange) -> Method[Any]:
    """D-PSGD that adapts first and combines then."""
    return GossipGraD(step, exchange, shuffle=False)


@study(
    "push-sum",
    "consensus",
    "error of the mean that lost messages leave",
    "probability that a message is lost",
    f"root mean square error of the mean after {_ROUNDS} rounds, relative to the spread",
    name="gossip_losses",
)
def measure(
    build: Build = PushSum, plain: Descend = LossyDPSGD, adapted_first: Descend = combined
) -> StudyResult:
    """All errors against p; those with an exact law are held against it."""
    problem = consensus_problem(_N, 1, 54)
    b = starts(problem)[:, 0]
    centred, spread = b - b.mean(), float(np.square(b - b.mean()).mean())
    lines: list[PanelLine] = []
    own = _errors(build, problem, Ring(_N), LostWeight.OWN_INSTEAD, _DRIFTS)
    twice = [expected_square(Ring(_N).matrix(0), p, LostWeight.OWN_INSTEAD) for p in _P]
    exact = np.array([_moved(both, centred) for both in twice])
    verdicts = [
        mean_value(
            "push-sum", f"averaging with its own value instead, losses p={p:g}: E (xbar_T - "
            "xbar_0)^2 is that of its second moments", own[:, k], exact[k],
            check="drift of the mean", problem=problem.name,
            provenance=f"{_DESCRIPTION}, {_DRIFTS} replicas, T={_ROUNDS}",
        )
        for k, p in enumerate(_P)
    ]  # fmt: skip
    for label, squares in (
        ("push-sum, mass vanishes", _errors(build, problem, DirectedRing(_N), LostWeight.VANISHES)),
        ("averaging, own value instead", own),
        ("push-sum, mass returned", _errors(build, problem, DirectedRing(_N), LostWeight.RETURNED)),
        ("averaging, exact", exact[None]),
    ):
        lines.append(_line(label, squares / spread))
    verdicts += _floors(plain, "D-PSGD", twice, combine_then_adapt)
    verdicts += _floors(adapted_first, "D-PSGD, adapting first", twice, adapt_then_combine)
    return StudyResult(tuple(verdicts), lines)


def _moved(twice: Floats, centred: Floats) -> float:
    """E (xbar_T - xbar_0)^2."""
    after = np.linalg.matrix_power(twice, _ROUNDS) @ np.kron(centred, centred)
    return float(after.mean())


def _errors(
    build: Build,
    problem: Quadratic,
    graph: MixingSequence,
    lost: LostWeight,
    replicas: int = _REPLICAS,
) -> Floats:
    """(mean_i z_i - xbar)^2 ``[R, K]`` after the last round, at every p."""
    centre, columns = problem.x_star, []
    for k, p in enumerate(_P):
        method = build(Unreliable(FixedLinks(graph), RandomLosses(p), lost))
        *_, last = path(method, problem, _ROUNDS, seed=_SEED + k, replicas=replicas)
        columns.append((method.models(last.state) - centre).mean((-2, -1)).square().numpy())
    return np.stack(columns, axis=1)


def _line(label: str, squares: Floats) -> PanelLine:
    """Root of the mean over replicas, and of its band where there are some."""
    mean, low, high = band(squares)
    if len(squares) == 1:
        return PanelLine(label, np.array(_P), np.sqrt(mean))
    return PanelLine(
        label, np.array(_P), np.sqrt(mean), np.sqrt(np.maximum(low, 0.0)), np.sqrt(high)
    )


def _floors(descend: Descend, name: str, twice: list[Floats], law: Law) -> list[Verdict]:
    """Is E f(xbar_T) - f* that of the second moments, at every p?"""
    b = np.random.default_rng(55).normal(size=(_N, 1))
    ones = torch.ones((_N, 1), dtype=torch.float64)
    problem = Quadratic.from_arrays(ones, torch.from_numpy(b), sigma2=1.0)
    verdicts = []
    for k, p in enumerate(_P):
        exchange = Unreliable(FixedLinks(Ring(_N)), RandomLosses(p), LostWeight.OWN_INSTEAD)
        trace = run(
            descend(ConstantStep(_GAMMA), exchange), problem, steps=_STEPS,
            seed=_SEED + 10 + k, replicas=_REPLICAS, points=2,
        )  # fmt: skip
        verdicts.append(
            mean_value(
                "d-psgd", f"{name} with its own value instead, losses p={p:g}: E f(xbar_T) - f* is "
                "that of its second moments", trace.suboptimality[:, -1],
                final_error(law, twice[k], b[:, 0], _GAMMA, _STEPS), check="floor under losses",
                problem="quadratic",
                provenance=f"{_DESCRIPTION}, {_REPLICAS} replicas, ring, gamma {_GAMMA}, "
                f"T={_STEPS}",
            )
        )  # fmt: skip
    return verdicts


def final_error(law: Law, twice: Floats, b: Floats, gamma: float, steps: int) -> float:
    r"""E (\bar x_T - \bar b)^2 / 2 from x_0 = 0: M = E y y^T and m = E y of y = x - \bar b follow
    ``law`` on gradients x - b + noise of variance 1; ``twice`` is E W \otimes W.
    """
    n, c = len(b), b - b.mean()
    once = (twice @ np.kron(np.eye(n), np.ones((n, 1)))).reshape(n, n, n).mean(axis=1)
    m = np.full(n, -b.mean())
    square = np.outer(m, m)
    for _ in range(steps):
        square, m = law(square, m, c, gamma, twice, once)
    return float(square.mean()) / 2


def adapt_then_combine(
    square: Floats, m: Floats, c: Floats, gamma: float, twice: Floats, once: Floats
) -> tuple[Floats, Floats]:
    r"""y <- W ((1 - gamma) y + gamma (c - noise)), c = b - \bar b."""
    cross = np.outer(m, c)
    moved = (1 - gamma) ** 2 * square + gamma * (1 - gamma) * (cross + cross.T)
    moved += gamma**2 * (np.outer(c, c) + np.eye(len(c)))
    after = (twice @ moved.ravel()).reshape(square.shape)
    return after, once @ ((1 - gamma) * m + gamma * c)


def combine_then_adapt(
    square: Floats, m: Floats, c: Floats, gamma: float, twice: Floats, once: Floats
) -> tuple[Floats, Floats]:
    r"""y <- W y - gamma (y - c + noise), W independent of y."""
    off = square - np.outer(m, c)  # E y (y - c)^T
    slope = off - np.outer(c, m) + np.outer(c, c) + np.eye(len(c))
    mixed = once @ off
    after = (twice @ square.ravel()).reshape(square.shape)
    return after - gamma * (mixed + mixed.T) + gamma**2 * slope, once @ m - gamma * (m - c)
