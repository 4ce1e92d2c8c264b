r"""LAG under the Polyak-Lojasiewicz inequality: linear, as gradient descent.

Chen, Giannakis, Sun, Yin 2018 (arXiv:1805.09965), Theorem 1, with constants derived here. With the
allowance :math:`\gamma^{-2} \sum_{k \le D} \xi_k \|x_{t+1-k} - x_{t-k}\|^2` of ``lag_nonconvex``
and :math:`q = 1 - \gamma\mu`, the Lyapunov function :math:`f - f^* + \frac{1}{2\gamma} \sum_k
\sum_{j \ge k} \xi_j q^{-(j-k+1)} \|x_{t+1-k} - x_{t-k}\|^2` falls to q of itself. A recent move is
paid for by the descent while :math:`\gamma L + \xi q^{-D} \le 1`, :math:`\xi = \sum_k \xi_k`.

.. math::
   :label: lag_pl

   \gamma \le \frac{1 - \xi}{2 \max(L, D \mu)} \Rightarrow f(x_T) - f^* \le (1 - \gamma\mu)^T
   \Delta.

Full gradients. ``lazy`` is the sum of the weights, ``lazy_window`` their number D.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import Order
from theory.theorems.families import PolyakLojasiewicz
from theory.theorems.lag_nonconvex import lag_nonconvex


@final
@dataclass(frozen=True)
class LagPl(PolyakLojasiewicz):
    """See the file's docstring for the statement and its derivation."""

    name = "lag_pl"
    title = "LAG, Polyak-Lojasiewicz, full gradients"
    source = Source("Chen et al.", 2018, "1805.09965", "Theorem 1, constants derived here")
    confidence = Confidence.DERIVED
    needs = ("L", "sigma2", "lazy", "lazy_window", "pl", "initial_gap")
    order = Order({}, linear=True)
    formula = "(1 - sum of the weights)/(2 max(L, D pl))"
    tight = False
    example = Constants(L=2.0, sigma2=0.0, lazy=0.8, lazy_window=10, pl=0.5, initial_gap=3.0)
    descent = lag_nonconvex

    def limit(self, c: Constants) -> float:
        longest = max(c.need("L"), c.need("lazy_window") * c.need("pl"))
        return (1 - c.need("lazy")) / (2 * longest)

    def balance(self, c: Constants) -> tuple[float, float]:
        return c.need("initial_gap"), 0.0


lag_pl = LagPl()
