r"""SGD with error feedback on n workers: the noise averages out, the residual does not.

Derived here in the setting of Karimireddy et al. 2019 (arXiv:1901.09847) with n workers, each with
its own residual: :math:`x^+ = x - \frac1n\sum_i C(\gamma g_i + e_i)`. For
:math:`\gamma \le 1/(2L)`, variance :math:`\sigma^2`, second moment :math:`G^2` of each worker's
gradient,

.. math::
   :label: ef_sgd_workers

   \gamma \le \frac{1}{2L} \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2 \le
   \frac{2\Delta}{\gamma T} + \frac{\gamma L\sigma^2}{n} +
   \frac{8\gamma^2L^2G^2(1-\delta)}{\delta^2}.

Derivation: :math:`\tilde x = x - \bar e` obeys :math:`\tilde x^+ = \tilde x - \gamma\bar g`, and
:math:`E\|\bar g\|^2 \le \|\nabla f(x)\|^2 + \sigma^2/n`. With :math:`-\langle\nabla f(\tilde x),
\nabla f(x)\rangle \le -\frac34\|\nabla f(x)\|^2 + L^2\|\bar e\|^2` smoothness leaves
:math:`-\frac\gamma2\|\nabla f(x)\|^2`, plus :math:`\gamma L^2 E\|\bar e\|^2`,
:math:`E\|\bar e\|^2 \le 4\gamma^2G^2(1-\delta)/\delta^2`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import HALF, Order
from theory.theorems.families import VirtualDescent, within_drift


@final
@dataclass(frozen=True)
class EfSgdWorkers(VirtualDescent):
    """See the file's docstring for the statement and its derivation."""

    name = "ef_sgd_workers"
    title = "SGD with error feedback on n workers, non-convex"
    source = Source("Karimireddy et al.", 2019, "1901.09847", "n workers, derived here")
    confidence = Confidence.DERIVED
    needs = ("n", "L", "sigma2", "G2", "delta", "initial_gap")
    order = Order({"T": -HALF, "n": -HALF})
    tight = False
    example = Constants(n=4, L=2.0, sigma2=5.0, G2=7.0, delta=0.25, initial_gap=3.0)

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        return within_drift(self, c, horizon)

    def residual(self, c: Constants, gamma: float) -> float:
        delta = c.need("delta")
        return 8 * (gamma * c.need("L")) ** 2 * c.need("G2") * (1 - delta) / delta**2


ef_sgd_workers = EfSgdWorkers()
