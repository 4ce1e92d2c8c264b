r"""Parallel SGD whose batches grow geometrically (CR-PSGD), Polyak-Lojasiewicz.

Yu, Jin 2019 (arXiv:1905.04346), whose order this gives back with constants. Step t averages at
least :math:`\rho^t/2` base batches a worker (a power, floored) at a constant stepsize; with
:math:`q = 1 - \gamma\mu < 1/\rho`,

.. math::
   :label: cr_psgd

   \gamma \le 1/L \Rightarrow E f(x_T) - f^* \le q^T \Delta + \frac{\gamma^2 L \sigma^2}{n}
   \frac{\rho^{-T} - q^T}{1/\rho - q}.

T counts steps, which are rounds. A worker takes :math:`N \approx \rho^T/(\rho - 1)` base batches in
them, so that the bound is :math:`O(1/(nN))` after :math:`O(\log N)` rounds. ``growth`` is
:math:`\rho`; one beyond 1/q is what the paper's largest ratio forbids.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from theory.arrays import Floats
from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import Metric, Order
from theory.theorems.conditions import Condition, at_most, decay, positive
from theory.theorems.kinds import ConstantStepTheorem


@final
@dataclass(frozen=True)
class CrPsgd(ConstantStepTheorem):
    """See the file's docstring for the statement and its derivation."""

    name = "cr_psgd"
    title = "Parallel SGD with growing batches, Polyak-Lojasiewicz"
    source = Source("Yu, Jin", 2019, "1905.04346", "setting and order; constants derived here")
    confidence = Confidence.DERIVED
    needs = ("n", "L", "sigma2", "pl", "initial_gap", "growth")
    metric = Metric.SUBOPTIMALITY
    order = Order({}, linear=True)
    tight = False
    example = Constants(n=4, L=2.0, sigma2=5.0, pl=0.5, initial_gap=3.0, growth=1.125)

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return positive(c, "pl"), _shrinks(c, 1 / c.need("L"))

    def conditions(self, c: Constants, step: ConstantStep) -> tuple[Condition, ...]:
        return at_most("gamma", step.gamma, 1 / c.need("L"), "1/L"), _shrinks(c, step.gamma)

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        return ConstantStep(1 / c.need("L"))

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        gamma, rho = step.gamma, c.need("growth")
        left = decay(gamma * c.need("pl"), times)
        noise = gamma**2 * c.need("L") * c.need("sigma2") / c.need("n")
        series = (rho**-times - left) / (1 / rho - 1 + gamma * c.need("pl"))
        return np.asarray(left * c.need("initial_gap") + noise * series)


def _shrinks(c: Constants, gamma: float) -> Condition:
    """A step takes more from f than the batches grow."""
    kept, growth = 1 - gamma * c.need("pl"), c.need("growth")
    description = f"growth (1 - gamma pl) must be below 1, got {growth:.6g} times {kept:.6g}"
    return growth * kept < 1, description


cr_psgd = CrPsgd()
