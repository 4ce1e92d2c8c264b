r"""Lazily aggregated gradients on smooth functions: the rate of gradient descent.

Chen et al. 2018 (arXiv:1805.09965), Theorem 3 (non-convex), with constants derived here. Who stays
silent leaves an error of at most the allowance, so that :math:`\|e_t\|^2 \le \gamma^{-2} \sum_{k
\le D} \xi_k \|x_{t+1-k} - x_{t-k}\|^2` for the mean error of all workers. The Lyapunov function is
:math:`f + \frac{1}{2\gamma} \sum_k (\xi_k + \dots + \xi_D) \|x_{t+1-k} - x_{t-k}\|^2`.

.. math::
   :label: lag_nonconvex

   \gamma \le \frac{1 - \sum_k \xi_k}{L} \Rightarrow \frac1T \sum_{t<T} \|\nabla f(x_t)\|^2 \le
   \frac{2\Delta}{\gamma T}.

Full gradients: no noise is lazy. ``lazy`` is the sum of the weights :math:`\xi`, below 1; the
survey states no such limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import Order
from theory.theorems.conditions import Condition
from theory.theorems.tracked import NoiselessDescent


@final
@dataclass(frozen=True)
class LagNonconvex(NoiselessDescent):
    """See the file's docstring for the statement and its derivation."""

    name = "lag_nonconvex"
    title = "LAG, non-convex, full gradients"
    source = Source("Chen et al.", 2018, "1805.09965", "Theorem 3, constants derived here")
    confidence = Confidence.DERIVED
    needs = ("L", "sigma2", "lazy", "initial_gap")
    order = Order({"T": -1})
    formula = "(1 - sum of the weights)/L"
    tight = False
    example = Constants(L=2.0, sigma2=0.0, lazy=0.8, initial_gap=3.0)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        lazy, noise = c.need("lazy"), c.need("sigma2")
        return (
            (0 <= lazy < 1, f"the weights must add up to less than 1, got lazy={lazy:.6g}"),
            (noise == 0, f"gradients must be exact (sigma2 = 0), got sigma2={noise:.6g}"),
        )

    def limit(self, c: Constants) -> float:
        return (1 - c.need("lazy")) / c.need("L")


lag_nonconvex = LagNonconvex()
