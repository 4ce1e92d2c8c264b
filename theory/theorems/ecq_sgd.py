r"""Quantised SGD with a memory of errors that decays (ECQ-SGD).

Wu et al. 2018 (arXiv:1806.08054) send :math:`C(g + \alpha h)`, C unbiased, with :math:`h \leftarrow
\beta h + g - C`, and compare two bounds on quadratics. For smooth functions, with :math:`c =
\alpha/(\alpha + 1 - \beta)`, :math:`k^2 = (\beta - \alpha)^2 + \omega \alpha^2 < 1` and :math:`s =
\sqrt\omega/(1 - k)`: all but 1 - c of the noise of quantisation is given back.

.. math::
   :label: ecq_sgd

   \gamma \le \frac{1}{2 L_{max}} \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2 \le
   \frac{2\Delta}{\gamma T} + \gamma L_{max} \frac{\sigma^2 + (1 - c)^2 \omega (1 + \alpha s)^2
   G^2}{n} + 2 \gamma^2 L_{max}^2 c^2 s^2 G^2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Source
from theory.constants import Constants
from theory.rules.virtual_iterate_deviation import Reach, decaying
from theory.theorems.conditions import Condition
from theory.theorems.reached import Reached


@final
@dataclass(frozen=True)
class ECQSGD(Reached):
    """See the file's docstring for the statement."""

    name = "ecq_sgd"
    title = "Unbiased quantisation with decaying error feedback, non-convex"
    source = Source("Wu et al.", 2018, "1806.08054", "setting, there on quadratics; derived here")
    published = False
    needs = ("n", "L_max", "sigma2", "G2", "omega", "echoed", "remembered", "initial_gap")
    example = Constants(
        n=4, L_max=2.0, sigma2=5.0, G2=7.0, omega=0.5, echoed=0.5, remembered=0.9, initial_gap=3.0
    )

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        alpha, beta = c.need("echoed"), c.need("remembered")
        left = (beta - alpha) ** 2 + c.need("omega") * alpha**2
        description = f"(beta - alpha)^2 + omega alpha^2 must be below 1, got {left:.4g}"
        return ((left < 1, description),)

    def separation(self, c: Constants) -> Reach:
        return decaying(c.need("echoed"), c.need("remembered"), c.need("omega"))


ecq_sgd = ECQSGD()
