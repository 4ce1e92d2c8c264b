r"""QuanTimed-DSGD: its update without noise, and the law of its deadline batches.

Without noise and errors x+ = ((1 - eps) I + eps W) x - alpha eps g: D-PSGD on other weights. With
exponential gradient times of mean m a worker ends a Poisson(T_d / m) number of gradients by the
deadline T_d, here at least one and at most ``most``; their mean has the variance sigma^2 E[1/B].
(Reisizadeh, Taheri, Mokhtari, Hassani, Pedarsani 2019, arXiv:1907.10595.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
import torch

from algorithms.compressors.identity import Identity
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_compressed.quantimed import QuanTimed
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Constant, Exponential
from algorithms.topologies.complete import Complete
from algorithms.topologies.fixed import FixedMatrix
from algorithms.topologies.ring import Ring
from proofs_check.closed_forms.gossip.consensus import consensus_problem
from proofs_check.instruments.evidence import identity, mean_value
from proofs_check.instruments.paths import path
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

Build = Callable[..., Method[Any]]

_SEED = 81
_MEAN, _DEADLINE, _MOST = 1.0, 3.0, 6


def update_without_noise(build: Build = QuanTimed) -> Verdict:
    """Ring of 8, eps = 0.3, alpha = 0.2, against D-PSGD with W' = 0.7 I + 0.3 W and step 0.06."""
    problem = consensus_problem(8, 5, 82)
    eps, alpha = 0.3, 0.2
    w = (1 - eps) * np.eye(8) + eps * Ring(8).matrix(0)
    method = build(
        ConstantStep(alpha), ConstantStep(eps), Ring(8), Identity(), Constant(_MEAN), _DEADLINE
    )
    right = DPSGD(ConstantStep(alpha * eps), FixedMatrix(w))
    return identity(
        "quantimed-dsgd",
        "without noise: D-PSGD on (1 - eps) I + eps W with the step alpha eps",
        torch.stack([method.models(m.state) for m in path(method, problem, 50)]),
        torch.stack([right.models(m.state) for m in path(right, problem, 50)]),
        check="equal to D-PSGD",
        problem=problem.name,
        provenance="50 steps on the ring of 8, standard normal b, seed 82",
    )


def batch_law() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Batch sizes 1 .. most and their probabilities: Poisson, cut at both ends."""
    sizes = np.arange(1, _MOST + 1)
    chance = scipy.stats.poisson.pmf(sizes, _DEADLINE / _MEAN)
    chance[0] += scipy.stats.poisson.pmf(0, _DEADLINE / _MEAN)
    chance[-1] += scipy.stats.poisson.sf(_MOST, _DEADLINE / _MEAN)
    return sizes, chance


def one_step(build: Build, sigma2: float = 1.0) -> tuple[Quadratic, torch.Tensor]:
    """The first step's move of one worker, divided by -alpha eps: its gradient, per replica."""
    ones = torch.ones((1, 4), dtype=torch.float64)
    problem = Quadratic.from_arrays(ones, 2 * ones, sigma2=sigma2)
    method = build(
        ConstantStep(0.5), ConstantStep(1.0), Complete(1), Identity(), Exponential(_MEAN),
        _DEADLINE, _MOST,
    )  # fmt: skip
    *_, last = path(method, problem, 1, seed=_SEED, replicas=20000)
    return problem, method.models(last.state)[:, 0] / -0.5


def gradient_law(build: Build = QuanTimed) -> tuple[Verdict, ...]:
    """Unbiased, and E||g - grad f||^2 = sigma^2 E[1/B]."""
    problem, g = one_step(build)
    sizes, chance = batch_law()
    told = f"seed {_SEED}, 20000 replicas, exponential times, deadline {_DEADLINE:g} means"
    return (
        mean_value(
            "quantimed-dsgd",
            "the deadline batch's gradient is unbiased",
            g[:, 0].numpy(),
            -2.0,
            check="deadline batches",
            problem=problem.name,
            provenance=told,
        ),
        mean_value(
            "quantimed-dsgd",
            "its variance is sigma^2 E[1/B], B Poisson cut to [1, most]",
            (g + 2).square().sum(-1).numpy(),
            float((chance / sizes).sum()),
            check="deadline batches",
            problem=problem.name,
            provenance=told,
        ),
    )


def time_of_a_step() -> Verdict:
    """E of a step's time for 3 workers: T_d + E(max_i first_i - T_d)^+ of exponential firsts."""
    ones = torch.ones((3, 1), dtype=torch.float64)
    problem, n, deadline = Quadratic.from_arrays(ones, ones), 3, 0.5
    method = QuanTimed(
        ConstantStep(0.1), ConstantStep(1.0), Ring(3), Identity(), Exponential(_MEAN), deadline, 2
    )
    *_, last = path(method, problem, 1, seed=_SEED, replicas=20000)
    grid = np.linspace(deadline, 60.0, 200001)
    late = np.trapezoid(1 - (1 - np.exp(-grid / _MEAN)) ** n, grid)
    return mean_value(
        "quantimed-dsgd",
        "a step takes the deadline, or as long as the last first gradient",
        last.state.time.numpy(),
        deadline + float(late),
        check="time of a step",
        problem=problem.name,
        provenance=f"seed {_SEED}, 20000 replicas, 3 workers, deadline {deadline:g}",
    )


def quantimed_forms() -> tuple[Verdict, ...]:
    """Update, batches and time."""
    return (update_without_noise(), *gradient_law(), time_of_a_step())


CLOSED_FORMS = (quantimed_forms,)
