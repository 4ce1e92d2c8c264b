r"""EF21 on functions of Polyak-Lojasiewicz: linear, whatever the workers' differences.

Richtarik, Sokolov, Fatkhullin 2021 (arXiv:2106.05203), Theorem 2; assumptions and :math:`\theta,
\beta, G_0` as in :mod:`theory.theorems.ef21`, partial participation too, and :math:`2 \mu (f - f^*)
\le \|\nabla f\|^2`.

.. math::
   :label: ef21_pl

   \gamma \le \min(\frac{1}{L + \tilde L \sqrt{2\beta/\theta}}, \frac{\theta}{2\mu}) \Rightarrow
   E f(x_T) - f^* \le (1 - \gamma\mu)^T (\Delta + \frac{\gamma}{\theta} G_0), \theta = 1 -
   \sqrt{1-\delta}, \beta = (1-\delta)/\theta.

Proof: :math:`\Psi = f - f^* + \frac\gamma\theta G` falls by the factor :math:`1 - \gamma\mu`: G
keeps :math:`1 - \theta/2 \le 1 - \gamma\mu` of itself after it has paid for the descent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import Order
from theory.theorems.ef21 import ef21
from theory.theorems.tracked import TrackedLinear


@final
@dataclass(frozen=True)
class EF21PL(TrackedLinear):
    """See the file's docstring for the statement and its derivation."""

    name = "ef21_pl"
    title = "EF21, Polyak-Lojasiewicz, constant stepsize"
    source = Source("Richtarik, Sokolov, Fatkhullin", 2021, "2106.05203", "Theorem 2")
    confidence = Confidence.CERTAIN
    needs = ("L", "L_rms", "pl", "sigma2", "delta", "initial_gap", "initial_memory")
    order = Order({}, linear=True)
    formula = "min(1/(L + L_rms sqrt(2 beta/theta)), theta/(2 pl))"
    tight = False
    descent = ef21
    example = Constants(
        L=2.0, L_rms=2.5, pl=0.5, sigma2=0.0, delta=0.25, initial_gap=3.0, initial_memory=1.5
    )


ef21_pl = EF21PL()
