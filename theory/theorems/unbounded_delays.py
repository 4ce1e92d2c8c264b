r"""Asynchronous SGD whose delays have no bound, gradients compressed without bias or not at all.

Zhang, Liu, Zhu 2018 (arXiv:1805.09470) ask that the tails of the delays be summable. One gradient
an update, at the model of :math:`\tau_t` updates ago, :math:`\tau_t` not depending on what was
drawn: what was missed is at most :math:`\gamma \tau_t` steps long in the mean square, so the mean
of :math:`\tau_t^2` is all that is asked for. With it :math:`\tau^2`, and :math:`\omega` = 0 where
nothing is compressed:

.. math::
   :label: unbounded_delays

   \gamma \le \frac{1}{L_{max}} \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2 \le
   \frac{2\Delta}{\gamma T} + \gamma L_{max} \bigl(\sigma^2 + \omega G^2\bigr) + \gamma^2
   L_{max}^2 (1 + \omega) \tau^2 G^2.

All workers share one objective; n does not help, since an update is one message.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Source
from theory.constants import Constants
from theory.rules.virtual_iterate_deviation import Reach, late
from theory.theorem import HALF, Order
from theory.theorems.conditions import Condition, one_objective
from theory.theorems.reached import Reached


@final
@dataclass(frozen=True)
class UnboundedDelays(Reached):
    """See the file's docstring for the statement."""

    name = "unbounded_delays"
    title = "Asynchronous SGD, delays of bounded mean square, non-convex"
    source = Source(
        "Zhang, Liu, Zhu", 2018, "1805.09470", "setting and order; constants derived here"
    )
    needs = ("L_max", "sigma2", "G2", "zeta2", "omega", "tau_rms", "initial_gap")
    order = Order({"T": -HALF, "omega": HALF})
    example = Constants(
        L_max=2.0, sigma2=5.0, G2=7.0, zeta2=0.0, omega=3.0, tau_rms=2.5, initial_gap=3.0
    )

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return (one_objective(c),)

    def separation(self, c: Constants) -> Reach:
        return late(c.need("tau_rms"), c.need("omega"))

    def noise(self, c: Constants) -> float:
        """sigma2 + omega G2: an update is one message."""
        return c.need("sigma2") + c.need("omega") * c.need("G2")


unbounded_delays = UnboundedDelays()
