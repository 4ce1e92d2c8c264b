r"""Gradient descent with a contraction and no memory: slower by delta, and only without noise.

The inexact gradient method (de Klerk, Glineur, Taylor 2020, arXiv:1709.05191, setting; PEPit's
``inexact_gradient_descent``), derived here for smooth functions: :math:`E\|C(g) - g\|^2 \le (1 -
\delta) \|g\|^2` at every step, one worker or workers of one objective, exact gradients.

.. math::
   :label: contraction_descent

   \gamma \le 1/L \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2 \le
   \frac{2\Delta}{\delta \gamma T}.

With noise or different workers the compressed direction has a bias that does not vanish, and no
such result holds (Karimireddy et al. 2019, arXiv:1901.09847, counterexamples): error feedback is
what repairs it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import Order
from theory.theorems.conditions import Condition, one_objective
from theory.theorems.tracked import NoiselessDescent, noiseless


@final
@dataclass(frozen=True)
class ContractionDescent(NoiselessDescent):
    """See the file's docstring for the statement and its derivation."""

    name = "contraction_descent"
    title = "Gradient descent with a contraction, no error feedback, no noise"
    source = Source("de Klerk, Glineur, Taylor", 2020, "1709.05191", "setting; derived here")
    confidence = Confidence.DERIVED
    needs = ("L", "sigma2", "zeta2", "delta", "initial_gap")
    order = Order({"T": -1, "delta": -1})
    formula = "1/L"
    tight = False
    example = Constants(L=2.0, sigma2=0.0, zeta2=0.0, delta=0.25, initial_gap=3.0)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return noiseless(c), one_objective(c)

    def limit(self, c: Constants) -> float:
        return 1 / c.need("L")

    def start(self, c: Constants, gamma: float) -> float:
        return 2 * c.need("initial_gap") / (c.need("delta") * gamma)


contraction_descent = ContractionDescent()
