r"""The exact law of local SGD on quadratics whose Hessians differ, while the stepsize falls.

The two kinds of worker of :mod:`proofs_check.closed_forms.local_updates.local_law`, from the
minimiser, with any stepsizes \gamma_t and weights w_t: both moments of \hat x_T = \sum_{t<T} w_t
\bar x_t / \sum w_t, the average that Stich 2018 (arXiv:1805.09767) bounds. In a round from x the
kind k has after j steps P_{kj} x - s_k \sum_{i \le j} \gamma_i P_{kj} / P_{ki} and noise, P_{kj}
the product of the (1 - \gamma_i a_k); so (x, weighted sum) goes from round to round by an affine
map with Gaussian noise, which is followed exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.local_updates.local_sgd import LocalSGD
from proofs_check.closed_forms.local_updates.local_law import TwoKinds
from proofs_check.instruments.evidence import mean_value
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import InverseTimeStep, Stepsize

COVERS = ("local-sgd",)

Weight = Callable[[int], float]


class _Rounds(NamedTuple):
    """What each round does, ``[rounds]`` each: x' = kept x + moved + noise, and so the sum."""

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


_KINDS = TwoKinds(4, 1.0, 0.5, 1.0)
_D, _STEPS, _SEED, _REPLICAS = 32, 150, 181, 64


def law_while_steps_fall(
    build: Callable[[Stepsize, int], Method[Any]] = LocalSGD,
) -> tuple[Verdict, ...]:
    """E f(x_hat) - f* for H = 1, 4, 17, 40 of 150 steps, w_t = (17 + t)^2: measured = exact."""
    step, problem = InverseTimeStep(4.0, 17.0), _KINDS.problem(_D)

    def weight(t: int) -> float:
        return (17.0 + t) ** 2

    verdicts = []
    for period in (1, 4, 17, 40):
        trace = run(
            build(step, period), problem, steps=_STEPS, seed=_SEED + period, points=2,
            replicas=_REPLICAS, weight=weight,
        )  # fmt: skip
        verdicts.append(
            mean_value(
                "local-sgd",
                f"E f(x_hat_T) - f* by the exact moments, gamma_t = 4/(17 + t), H={period}",
                trace.weighted_suboptimality[:, -1] / _D,
                FallingLaw(_KINDS, step, period).suboptimality(_STEPS, weight),
                check="exact moments of local SGD, different Hessians",
                problem=problem.name,
                provenance=f"seed {_SEED + period}, {_REPLICAS} replicas of {_D} coordinates, "
                f"{_STEPS} steps, n={_KINDS.n}",
            )
        )
    return tuple(verdicts)


CLOSED_FORMS = (law_while_steps_fall,)
