"""Closed forms: local law, local law falling."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, final

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.closed_forms import ClosedForms, mean_is
from proofs_check.instruments.evidence import identity, mean_value
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, InverseTimeStep, Stepsize

# The exact law of local SGD on quadratics whose Hessians differ: both moments, every horizon.
#
# Two kinds of worker, n/2 of each, f_k(x) = a_k x^2 / 2 + s_k x per coordinate with s_1 = -s_2 and
# noise of one variance. The kinds' mean models (u, v) follow u_{j+1} = (1 - \gamma a_1) u_j -
# \gamma s_1 + noise of variance 2 \gamma^2 \sigma^2 / n; after H steps they meet. One round is an
# affine map of (u, v), hence a linear one of z = (1, E(u, v), E(u, v)(u, v)^T); powers of its
# matrix give sums over any number of rounds. No step is simulated and nothing is neglected.


_PLACE = "two kinds of worker"

_MEET = np.full((2, 2), 0.5)
_EYE = np.eye(2)


@final
@dataclass(frozen=True)
class TwoKinds:
    """Hessians ``size`` (1 +- uneven) and gradients +-slope at the minimiser 0; n/2 workers each.

    ``noise`` is the variance of a stochastic gradient's entry.

    Raises:
        ValueError: n odd or not positive.
    """

    n: int
    size: float
    uneven: float
    slope: float
    noise: float = 1.0

    def __post_init__(self) -> None:
        if self.n % 2 or self.n < 2:
            raise ValueError(f"n must be even, half of each kind, got n={self.n}")

    @property
    def curvatures(self) -> Floats:
        """Curvatures of the two kinds of workers ``[2]`` [f / x^2]."""
        return self.size * np.array([1 + self.uneven, 1 - self.uneven])

    def problem(self, d: int) -> Quadratic:
        """d copies, side by side, as coordinates of one running problem."""
        sign = torch.ones(self.n, d, dtype=torch.float64)
        sign[1::2] = -1
        a = self.size * (1 + self.uneven * sign)
        b = -self.slope * sign / a
        return Quadratic.from_arrays(a, b, sigma2=self.noise * d, name=_PLACE)


@final
@dataclass(frozen=True)
class LocalLaw:
    """Local SGD with constant stepsize and a period on :class:`TwoKinds`, from the minimiser.

    ``overlapped``: models restart from old mean + own progress (CoCoD-SGD), not from the mean.

    Attributes:
        kinds: the problem, two kinds of workers.
        gamma: the stepsize [x^2 / f].
    """

    kinds: TwoKinds
    gamma: float
    period: int
    overlapped: bool = False

    def average_squared_gradient(self, steps: int) -> float:
        r"""\frac1T \sum_{t<T} E |f'(\bar x_t)|^2 of one coordinate."""
        rounds, left = divmod(steps, self.period)
        phi = self._round()
        none, whole = np.zeros((7, 7)), np.eye(7)
        power = np.linalg.matrix_power(np.block([[phi, none], [whole, whole]]), rounds)
        start = np.zeros(7)
        start[0] = 1.0
        last, total = power[:7, :7] @ start, power[7:, :7] @ start
        looks = self._looks()
        squares = looks.sum(axis=0) @ total + looks[:left].sum(axis=0) @ last
        return float(squares) * self.kinds.size**2 / steps

    def _moments(self, j: Floats) -> tuple[Floats, Floats, Floats]:
        """After j ``[K]`` local steps: factor, offset and variance ``[K, 2]`` of (u, v)."""
        q = 1 - self.gamma * self.kinds.curvatures
        factor = q ** j[:, None]
        slopes = self.kinds.slope * np.array([1.0, -1.0])
        offset = -self.gamma * slopes * (1 - factor) / (1 - q)
        unit = self.gamma**2 * self.kinds.noise * 2 / self.kinds.n
        variance = unit * (1 - factor**2) / (1 - q**2)
        return factor, offset, variance

    def _looks(self) -> Floats:
        """Rows ``[H, 7]`` that take z at a round's start to E xbar_j^2, j = 0, ..., H - 1."""
        factor, offset, variance = self._moments(np.arange(self.period, dtype=np.float64))
        w, k, noise = factor / 2, offset.mean(axis=1), variance.sum(axis=1) / 4
        squares = (w[:, :, None] * w[:, None, :]).reshape(-1, 4)
        return np.column_stack((k**2 + noise, 2 * k[:, None] * w, squares))

    def _round(self) -> Floats:
        """The 7 x 7 matrix of one round."""
        factor, offset, variance = (m[0] for m in self._moments(np.array([float(self.period)])))
        if self.overlapped:
            m, beta, noise = _MEET + np.diag(factor) - _EYE, offset, np.diag(variance)
        else:
            m, beta = _MEET @ np.diag(factor), _MEET @ offset
            noise = _MEET @ np.diag(variance) @ _MEET
        phi = np.zeros((7, 7))
        phi[0, 0] = 1.0
        phi[1:3, 0], phi[1:3, 1:3] = beta, m
        phi[3:, 0] = (np.outer(beta, beta) + noise).ravel()
        phi[3:, 1:3] = np.kron(m, beta[:, None]) + np.kron(beta[:, None], m)
        phi[3:, 3:] = np.kron(m, m)
        return phi


_LOCAL_LAW_KINDS = TwoKinds(4, 0.2, 0.5, 1.0)
_D, _LOCAL_LAW_STEPS, _LOCAL_LAW_SEED, _GAMMA, _REPLICAS, _PERIODS = (
    32,
    100,
    161,
    0.2,
    64,
    (1, 5, 24, 37),
)
_CHECK = "exact moments of local SGD, different Hessians"

Build = Callable[[Stepsize, int], Method[Any]]


def _averages(build: Build, kinds: TwoKinds, period: int, replicas: int) -> Floats:
    """Averaged squared gradient ``[R]`` per coordinate of the running method."""
    trace = run(
        build(ConstantStep(_GAMMA), period), kinds.problem(_D), steps=_LOCAL_LAW_STEPS, every=1,
        seed=_LOCAL_LAW_SEED + period, replicas=replicas, points=2,
    )  # fmt: skip
    return trace.average_squared_gradient[:, -1] / _D


def law_of_uneven_workers(
    build: Build = LocalSGD, *, overlapped: bool = False, subject: str = "local-sgd"
) -> tuple[Verdict, ...]:
    """Averaged squared gradient for H = 1, 5, 24, 37 of 100 steps: measured = exact.

    Without noise to rounding, with noise within the statistical error.
    """
    quiet = replace(_LOCAL_LAW_KINDS, noise=0.0)
    description = f"{_LOCAL_LAW_STEPS} steps, gamma {_GAMMA:g}, n={_LOCAL_LAW_KINDS.n}"
    verdicts = []
    for period in _PERIODS:
        claim = f"mean over t < T of E ||grad f(xbar_t)||^2 by the exact moments, H={period}"
        means, both = (LocalLaw(k, _GAMMA, period, overlapped) for k in (quiet, _LOCAL_LAW_KINDS))
        verdicts += [
            identity(
                subject,
                f"{claim}, no noise",
                _averages(build, quiet, period, 1),
                means.average_squared_gradient(_LOCAL_LAW_STEPS),
                provenance=description,
                check=_CHECK,
                problem=_PLACE,
            ),
            mean_value(
                subject,
                claim,
                _averages(build, _LOCAL_LAW_KINDS, period, _REPLICAS),
                both.average_squared_gradient(_LOCAL_LAW_STEPS),
                check=_CHECK,
                problem=_PLACE,
                provenance=f"seed {_LOCAL_LAW_SEED + period}, {_REPLICAS} replicas of {_D} "
                f"coordinates, " + description,
            ),
        ]
    return tuple(verdicts)


# The exact law of local SGD on quadratics whose Hessians differ, while the stepsize falls.
#
# The two kinds of worker of :mod:`proofs_check.evidence.local_updates.closed_forms_law`, from the
# minimiser, with any stepsizes \gamma_t and weights w_t: both moments of \hat x_T = \sum_{t<T} w_t
# \bar x_t / \sum w_t, the average that Stich 2018 (arXiv:1805.09767) bounds. In a round from x the
# kind k has after j steps P_{kj} x - s_k \sum_{i \le j} \gamma_i P_{kj} / P_{ki} and noise, P_{kj}
# the product of the (1 - \gamma_i a_k); so (x, weighted sum) goes from round to round by an affine
# map with Gaussian noise, which is followed exactly.


Weight = Callable[[int], float]


class _Rounds(NamedTuple):
    """Effect of each round, ``[rounds]`` each: x' = kept x + moved + noise, and so the sum."""

    kept: Floats
    moved: Floats
    summed: Floats
    shifted: Floats
    noise: Floats
    sum_noise: Floats
    joint: Floats


@final
@dataclass(frozen=True)
class FallingLaw:
    """Local SGD on :class:`TwoKinds` with any stepsizes and a period.

    Attributes:
        kinds: the problem, two kinds of workers.
        step: the stepsizes [x^2 / f].
    """

    kinds: TwoKinds
    step: Stepsize
    period: int

    def suboptimality(self, steps: int, weight: Weight) -> float:
        r"""E f(\hat x_T) - f^* of one coordinate."""
        mean, total = 0.0, 0.0
        var, both, total_var = 0.0, 0.0, 0.0
        for kept, moved, summed, shifted, noise, sum_noise, joint in zip(
            *(part.tolist() for part in self._rounds(steps, weight)), strict=True
        ):
            total_var += summed**2 * var + 2 * summed * both + sum_noise
            both = kept * (summed * var + both) + joint
            var = kept**2 * var + noise
            total += summed * mean + shifted
            mean = kept * mean + moved
        weights = sum(weight(t) for t in range(steps))
        return self.kinds.size / 2 * (total**2 + total_var) / weights**2

    def _rounds(self, steps: int, weight: Weight) -> _Rounds:
        rounds = -(-steps // self.period)
        times = range(rounds * self.period)
        gamma = np.array([self.step(t) for t in times]).reshape(rounds, 1, -1)
        w = np.array([weight(t) if t < steps else 0.0 for t in times]).reshape(rounds, 1, -1)
        slopes = self.kinds.slope * np.array([1.0, -1.0])[:, None]
        after = np.cumprod(1 - gamma * self.kinds.curvatures[:, None], axis=-1)
        before = np.concatenate((np.ones_like(after[..., :1]), after[..., :-1]), axis=-1)
        pull = gamma / after
        offset = -slopes * np.cumsum(pull, axis=-1)
        earlier = np.concatenate((np.zeros_like(offset[..., :1]), offset[..., :-1]), axis=-1)
        # looks at later steps weigh what step i left: sum over j > i of w_j P_j
        later = np.cumsum((w * before)[..., ::-1], axis=-1)[..., ::-1]
        later = np.concatenate((later[..., 1:], np.zeros_like(later[..., :1])), axis=-1)
        in_sum, in_end = pull * later / 2, pull * after[..., -1:] / 2
        unit = 2 * self.kinds.noise / self.kinds.n
        return _Rounds(
            after[..., -1].mean(axis=1),
            (after[..., -1] * offset[..., -1]).mean(axis=1),
            (w * before).sum(axis=-1).mean(axis=1),
            (w * before * earlier).sum(axis=-1).mean(axis=1),
            unit * np.square(in_end).sum(axis=(1, 2)),
            unit * np.square(in_sum).sum(axis=(1, 2)),
            unit * (in_sum * in_end).sum(axis=(1, 2)),
        )


_LOCAL_LAW_FALLING_KINDS = TwoKinds(4, 1.0, 0.5, 1.0)

_LOCAL_LAW_FALLING_STEPS, _LOCAL_LAW_FALLING_SEED = 150, 181


_LOCAL_SGD_FORMS = ClosedForms("local-sgd")


@_LOCAL_SGD_FORMS.case("exact moments of local SGD, different Hessians")
def law_while_steps_fall(
    build: Callable[[Stepsize, int], Method[Any]] = LocalSGD,
) -> Iterator[Verdict]:
    """E f(x_hat) - f* for H = 1, 4, 17, 40 of 150 steps, w_t = (17 + t)^2: measured = exact."""
    step, problem = InverseTimeStep(4.0, 17.0), _LOCAL_LAW_FALLING_KINDS.problem(_D)

    def weight(t: int) -> float:
        return (17.0 + t) ** 2

    for period in (1, 4, 17, 40):
        trace = run(
            build(step, period),
            problem,
            steps=_LOCAL_LAW_FALLING_STEPS,
            seed=_LOCAL_LAW_FALLING_SEED + period,
            points=2,
            replicas=_REPLICAS,
            weight=weight,
        )
        yield mean_is(
            f"E f(x_hat_T) - f* by the exact moments, gamma_t = 4/(17 + t), H={period}",
            trace.weighted_suboptimality[:, -1] / _D,
            FallingLaw(_LOCAL_LAW_FALLING_KINDS, step, period).suboptimality(
                _LOCAL_LAW_FALLING_STEPS, weight
            ), on=problem,
            words=f"seed {_LOCAL_LAW_FALLING_SEED + period}, {_REPLICAS} replicas "
            f"of {_D} coordinates, "
            f"{_LOCAL_LAW_FALLING_STEPS} steps, n={_LOCAL_LAW_FALLING_KINDS.n}",
        )  # fmt: skip


CLOSED_FORMS = (law_of_uneven_workers, law_while_steps_fall)

COVERS = {"law_of_uneven_workers": ("local-sgd",), "law_while_steps_fall": ("local-sgd",)}
