r"""Top-k with error feedback, without an assumption on sums.

Alistarh, Hoefler, Johansson, Khirirat, Konstantinov, Renggli 2018 (arXiv:1809.10505) bound the
average squared gradient if the top-k of the workers' mean is near the mean of their top-k. Where
workers keep residuals of their own this is not needed: :math:`\delta = k/d`.

.. math::
   :label: top_k_analytic

   \gamma \le \frac{1}{2 L_{max}} \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2 \le
   \frac{2\Delta}{\gamma T} + \frac{\gamma L_{max} \sigma^2}{n} + 2 \gamma^2 L_{max}^2 G^2
   \frac{1 - \delta}{(1 - \sqrt{1 - \delta})^2}.

The cost grows as K shrinks against d, as :math:`4 d^2/K^2` for small K: it is of order 1/T.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Source
from theory.constants import Constants
from theory.rules.virtual_iterate_deviation import Reach, left
from theory.theorems.reached import Reached


@final
@dataclass(frozen=True)
class TopKAnalytic(Reached):
    """See the file's docstring for the statement."""

    name = "top_k_analytic"
    title = "Top-k with error feedback, non-convex"
    source = Source("Alistarh et al.", 2018, "1809.10505", "setting; constants derived here")
    needs = ("n", "L_max", "sigma2", "G2", "delta", "initial_gap")
    example = Constants(n=4, L_max=2.0, sigma2=5.0, G2=7.0, delta=0.25, initial_gap=3.0)

    def separation(self, c: Constants) -> Reach:
        return Reach(behind=left(c.need("delta")))


top_k_analytic = TopKAnalytic()
