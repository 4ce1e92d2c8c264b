r"""EF21-BC: differences compressed both ways, exact gradients, smooth functions.

Fatkhullin, Sokolov, Gorbunov, Li, Richtarik 2021 (arXiv:2110.03294), Algorithm 5, with constants
derived here. Each :math:`f_i` is :math:`L_i`-smooth, :math:`\tilde L^2 = \frac1n \sum L_i^2`
(``L_rms``); contractions of :math:`\delta_{up}` on the workers' way and :math:`\delta_{down}` on
the server's; the first messages of both are sent in full (``initial_memory`` = 0). With
:math:`r^2 = 1 - \delta_{up}`, :math:`s^2 = 1 - \delta_{down}`

.. math::
   :label: ef21_two_way

   \gamma \le \frac{1}{L + A \tilde L} \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2 \le
   \frac{2\Delta}{\gamma T}, A = \frac{r + s}{(1-r)(1-s)}.

Proof: in root mean squares the workers' error is :math:`a^+ \le r (a + \tilde L m)` where the model
moves by m, and the server's :math:`b^+ \le s (b + (1+r)(a + \tilde L m))`, since what the mean of
the memories moves by is a message. Over all steps the root of the sum of squares of a + b is at
most A :math:`\tilde L` times that of m (a geometric sequence convolved with m). A step lowers f by
:math:`\frac\gamma2 \|\nabla f\|^2 + (\frac1{2\gamma} - \frac L2) m^2 - \frac\gamma2 (a + b)^2`, and
the moves pay for the errors where :math:`\gamma L + (\gamma A \tilde L)^2 \le 1`. With one way only
(s = 0) it is EF21's limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.rules.virtual_iterate_deviation import both_ways
from theory.theorem import Order
from theory.theorems.conditions import Condition, equal
from theory.theorems.tracked import NoiselessDescent, noiseless


@final
@dataclass(frozen=True)
class EF21TwoWay(NoiselessDescent):
    """See the file's docstring for the statement and its derivation."""

    name = "ef21_two_way"
    title = "EF21-BC, both ways compressed, non-convex"
    source = Source("Fatkhullin et al.", 2021, "2110.03294", "Algorithm 5; constants derived here")
    confidence = Confidence.DERIVED
    needs = (
        "L", "L_rms", "sigma2", "delta_up", "delta_down", "initial_memory", "initial_gap",
    )  # fmt: skip
    order = Order({"T": -1, "delta_up": -1, "delta_down": -1})
    formula = "1/(L + A L_rms)"
    tight = False
    example = Constants(
        L=2.0, L_rms=2.5, sigma2=0.0, delta_up=0.25, delta_down=0.5, initial_memory=0.0,
        initial_gap=3.0,
    )  # fmt: skip

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        start = equal("initial_memory", c.need("initial_memory"), 0.0, "first messages in full")
        return noiseless(c), start

    def limit(self, c: Constants) -> float:
        apart = both_ways(c.need("delta_up"), c.need("delta_down"))
        return 1 / (c.need("L") + apart * c.need("L_rms"))


ef21_two_way = EF21TwoWay()
