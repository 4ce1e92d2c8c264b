"""CHOCO-SGD: its bits, and the second terms of its bounds (errata E21 and E22)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.compressors.fixed_point import FixedPoint
from algorithms.compressors.identity import Identity
from algorithms.compressors.top_k import TopK
from algorithms.methods.base import Method
from algorithms.methods.gossip.choco import ChocoSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.path import Path
from proofs_check.closed_forms.erratum import erratum
from proofs_check.closed_forms.gossip.gossip_bits import bits_of_gossip
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import path
from proofs_check.verdict import Verdict
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorems.choco_sgd_nonconvex import choco_sgd_nonconvex
from theory.theorems.choco_sgd_strongly_convex import choco_sgd_strongly_convex


def e21() -> tuple[Verdict, ...]:
    """CHOCO-SGD, strongly convex: the second term is squared."""
    T, gap, delta = 1e4, 0.1, 0.1
    c = Constants(n=1, sigma2=0.0, G2=1.0, R2=0.0, L_max=1.0, mu_min=1.0)
    c = c.state(lam=1 - gap, beta=1.0, delta=delta)
    step, late = choco_sgd_strongly_convex.stepsize(c, 1), np.array([1e19, 1e20])
    bound = choco_sgd_strongly_convex.bound(c, step, late)
    return (
        erratum(
            "E21",
            "choco-sgd",
            "without noise the bound falls as T^-2, not T^-1",
            (math.log10(bound[1] / bound[0]), -2.0),
            (1 / (T * gap**2 * delta), 1 / (T * gap**2 * delta) ** 2),
            "at T = 1e4, gap = delta = 0.1 the squared term is 0.01, as printed 0.1",
        ),
    )


def e22() -> tuple[Verdict, ...]:
    """CHOCO-SGD, non-convex: the second term grows with n."""
    n, T, gap, delta = 16, 1e6, 0.1, 0.1
    c = Constants(n=1, L_max=1.0, sigma2=0.0, G2=1.0, initial_gap=0.0)
    c = c.state(lam=1 - gap, beta=1.0, delta=delta)
    one, many = (choco_sgd_nonconvex.printed(c.state(n=m), int(T)) for m in (1, n))
    return (
        erratum(
            "E22",
            "choco-sgd",
            "the term n/(gap^4 delta^2 T) is 16 at n = 16, T = 1e6, 0.1, 0.1",
            (many / one * 1 / (gap**4 * delta**2 * T), n / (gap**4 * delta**2 * T)),
            (1 / (gap**4 * delta**2 * T), n / (gap**4 * delta**2 * T)),
            "Theorem 4.1 of the paper has 24 G^2 n L / (c^2 (T+1))",
        ),
    )


def first_round(build: Callable[..., Method[Any]] = ChocoSGD) -> Verdict:
    """One step from equal public copies of zero: x - eta g, then gamma (W - I) Q(x - eta g).

    By hand on a path of three workers, f_i = ||x - b_i||^2/2, Q the identity and top-1.
    """
    b = np.array([[1.0, 0.0], [0.0, 2.0], [-3.0, 1.0]])
    w = np.array([[2, 1, 0], [1, 1, 1], [0, 1, 2]]) / 3
    eta, gamma = 0.25, 0.4
    half = eta * b  # from 0, where the gradient of f_i is -b_i
    largest = np.where(np.abs(half) == np.abs(half).max(axis=1, keepdims=True), half, 0.0)
    got, wanted = [], []
    problem = Quadratic.from_arrays(torch.ones(3, 2, dtype=torch.float64), torch.from_numpy(b))
    for operator, public in ((Identity(), half), (TopK(1), largest)):
        method = build(ConstantStep(eta), Path(3), operator, gamma)
        last = list(path(method, problem, 1))[-1]
        got.append(method.models(last.state)[0].numpy())
        wanted.append(half + gamma * (w @ public - public))
    return identity(
        "choco-sgd", "one step is x - eta g + gamma (W - I) Q(x - eta g)", np.array(got),
        np.array(wanted), check="a step by hand", problem="path of 3, quadratic",
        provenance="Koloskova, Stich, Jaggi 2019, arXiv:1902.00340, Algorithm 2",
    )  # fmt: skip


def choco_sgd() -> tuple[Verdict, ...]:
    """The bits of coordinates in eight-bit fixed point, and a step by hand."""
    eight = FixedPoint(fraction=4, width=8)
    bits = bits_of_gossip("choco-sgd", lambda on: ChocoSGD(ConstantStep(0.1), on, eight, 0.5), 8)
    return (bits, first_round())


CLOSED_FORMS = (choco_sgd, e21, e22)
DEMONSTRATIONS = (("E21", e21), ("E22", e22))
