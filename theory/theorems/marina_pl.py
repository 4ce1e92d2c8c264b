r"""MARINA on functions of Polyak-Lojasiewicz: linear, whatever the workers' differences.

Gorbunov, Burlachenko, Li, Richtarik 2021 (arXiv:2102.07845), Theorem 2.2; assumptions and
:math:`\tilde L, p` as in :mod:`theory.theorems.marina`, and :math:`2 \mu (f - f^*) \le \|\nabla
f\|^2`.

.. math::
   :label: marina_pl

   \gamma \le \min(\frac{1}{L + \tilde L \sqrt{\frac{2(1-p)\omega}{pn}}}, \frac{p}{2\mu})
   \Rightarrow E f(x_T) - f^* \le (1 - \gamma\mu)^T \Delta.

Proof: :math:`\Psi = f - f^* + \frac\gamma p \|g - \nabla f\|^2` falls by the factor :math:`1 -
\gamma\mu`; the second part is 0 at first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import Order
from theory.theorems.marina import marina
from theory.theorems.tracked import TrackedLinear


@final
@dataclass(frozen=True)
class MarinaPL(TrackedLinear):
    """See the file's docstring for the statement and its derivation."""

    name = "marina_pl"
    title = "MARINA, Polyak-Lojasiewicz, constant stepsize"
    source = Source("Gorbunov, Burlachenko, Li, Richtarik", 2021, "2102.07845", "Theorem 2.2")
    confidence = Confidence.CERTAIN
    needs = ("n", "L", "L_rms", "pl", "sigma2", "omega", "refresh", "initial_gap")
    order = Order({}, linear=True)
    formula = "min(1/(L + L_rms sqrt(2 (1 - p) omega/(p n))), p/(2 pl))"
    tight = False
    descent = marina
    example = Constants(
        n=4, L=2.0, L_rms=2.5, pl=0.5, sigma2=0.0, omega=3.0, refresh=0.25, initial_gap=3.0
    )


marina_pl = MarinaPL()
