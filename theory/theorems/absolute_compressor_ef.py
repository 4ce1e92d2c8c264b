r"""SGD with error feedback and a compressor of bounded absolute error.

Derived here, for operators like that of a fixed threshold, which have no constant delta.
:math:`p_i = \gamma g_i + e_i`, :math:`x^+ = x - \frac1n\sum_i C(p_i)`, :math:`e_i^+ = p_i - C(p_i)`
and :math:`E\|C(p) - p\|^2 \le D^2` for every p: keeping the coordinates with :math:`|p_j| > t` has
:math:`D^2 = d t^2`, t in the unit of x (steps, not gradients). For :math:`\gamma \le \frac1{2L}`

.. math::
   :label: absolute_compressor_ef

   \gamma \le \frac{1}{2L} \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2 \le
   \frac{2\Delta}{\gamma T} + \frac{\gamma L\sigma^2}{n} + 2L^2D^2.

No bound on gradients is needed. A threshold proportional to gamma makes the last term
:math:`O(\gamma^2)`: the order is that of such thresholds. Sending :math:`\pm t` instead of the
value (Strom) is not covered: its error is unbounded.

Proof: :math:`\tilde x = x - \bar e` obeys :math:`\tilde x^+ = \tilde x - \gamma\bar g`; smoothness
leaves :math:`-\frac\gamma2\|\nabla f\|^2 + \gamma L^2 E\|\bar e\|^2 +
\frac{\gamma^2L}2\frac{\sigma^2}n`, and :math:`E\|\bar e\|^2 \le D^2`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import HALF, Order
from theory.theorems.families import VirtualDescent


@final
@dataclass(frozen=True)
class AbsoluteCompressorEf(VirtualDescent):
    """See the file's docstring for the statement and its derivation."""

    name = "absolute_compressor_ef"
    title = "SGD with error feedback, compressor of bounded absolute error, non-convex"
    source = Source("Karimireddy et al.", 2019, "1901.09847", "virtual iterate; derived here")
    confidence = Confidence.DERIVED
    needs = ("n", "L", "sigma2", "absolute_error", "initial_gap")
    order = Order({"T": -HALF, "n": -HALF})
    tight = False
    example = Constants(n=4, L=2.0, sigma2=5.0, absolute_error=0.0, initial_gap=3.0)

    def residual(self, c: Constants, gamma: float) -> float:
        return 2 * c.need("L") ** 2 * c.need("absolute_error")


absolute_compressor_ef = AbsoluteCompressorEf()
