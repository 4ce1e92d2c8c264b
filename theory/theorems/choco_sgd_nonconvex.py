r"""CHOCO-SGD on smooth functions, constant stepsize.

Koloskova et al. 2020 (arXiv:1907.09356), Theorem 4.1: with c = p^2 delta/82,
:math:`\gamma = \sqrt{n/(T+1)}`, :math:`T \ge 64 n L^2`,

.. math:: \frac{1}{T+1} \sum_{t \le T} E\|\nabla f(\bar x_t)\|^2 \le
   \frac{4\Delta + 4\sigma^2 L}{\sqrt{n(T+1)}} + \frac{24 G^2 n L}{c^2 (T+1)}

(``printed``). The bound used here is derived for any constant :math:`\gamma \le 1/L_{max}`, t = 0,
..., T-1, and a start of potential e_0 (0 where ``initial_potential`` is not stated):

.. math::
   :label: choco_sgd_nonconvex

   \gamma \le 1/L \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(\bar x_t)\|^2 \le \frac{2\Delta}{\gamma
   T} + \frac{\gamma L\sigma^2}{n} + \frac{8\gamma^2L^2G^2}{c^2} + \frac{2L^2e_0}{ncT}, c =
   p^2\delta/82.

Derivation: smoothness gives :math:`2\Delta/(\gamma T) + \gamma L\sigma^2/n` plus
:math:`L^2` times the mean of :math:`\frac1n\sum_i\|x_i-\bar x\|^2 \le e_t/n`, and
:math:`e_{t+1} \le (1-c/2) e_t + (4/c) n\gamma^2G^2`. At the paper's stepsize the term in
:math:`G^2` is :math:`8 n L^2 G^2/(c^2 T)`: as :math:`L^2`, which the units ask for (L and
:math:`L^2` differ as soon as f is rescaled), so ``printed`` is not asserted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import HALF, Order
from theory.theorems.choco_gossip import (
    at_consensus_stepsize,
    consensus_rate,
    consensus_stepsize,
)
from theory.theorems.conditions import Condition, connected, symmetric
from theory.theorems.families import MiniBatchDescent, within_drift


@final
@dataclass(frozen=True)
class ChocoSgdNonconvex(MiniBatchDescent):
    """See the file's docstring for the statement and its derivation."""

    name = "choco_sgd_nonconvex"
    title = "CHOCO-SGD, non-convex"
    source = Source("Koloskova et al.", 2020, "1907.09356", "Theorem 4.1, constants derived")
    confidence = Confidence.DERIVED
    needs = ("n", "L_max", "sigma2", "G2", "initial_gap", "lam", "beta", "delta")
    order = Order({"T": -HALF, "n": -HALF})
    smoothness = "L_max"
    formula = "1/L_max"
    tight = False
    example = Constants(
        n=4, L_max=2.0, sigma2=5.0, G2=7.0, initial_gap=3.0, lam=0.6, beta=1.2, delta=0.25
    )

    def consensus_stepsize(self, c: Constants) -> float:
        """The consensus stepsize of CHOCO-Gossip, a pure number."""
        return consensus_stepsize(c)

    def printed(self, c: Constants, horizon: int) -> float:
        """The paper's right-hand side at its own stepsize sqrt(n/(T+1)), as printed."""
        n, L, count = c.need("n"), c.completed().need("L_max"), horizon + 1
        lead = 4 * (c.need("initial_gap") + c.need("sigma2") * L) / math.sqrt(n * count)
        return lead + 24 * c.need("G2") * n * L / (consensus_rate(c) ** 2 * count)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return connected(c), symmetric(c), *at_consensus_stepsize(c)

    def limit(self, c: Constants) -> float:
        return 1 / c.need("L_max")

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        return within_drift(self, c, horizon)

    def start(self, c: Constants, gamma: float) -> float:
        potential = 2 * c.need("L_max") ** 2 * (c.initial_potential or 0.0)
        return 2 * c.need("initial_gap") / gamma + potential / (c.need("n") * consensus_rate(c))

    def floors(self, c: Constants, gamma: float) -> tuple[float, ...]:
        y = gamma * c.need("L_max")
        drift = 8 * (y / consensus_rate(c)) ** 2 * c.need("G2")
        return y * c.need("sigma2") / c.need("n"), drift


choco_sgd_nonconvex = ChocoSgdNonconvex()
