r"""Asynchronous SGD with inconsistent reads under the inequality of Polyak and Lojasiewicz.

The setting of Hogwild! (Niu, Recht, Re, Wright 2011, arXiv:1106.5730), whose own constants depend
on how sparse the supports are. Derived here without sparsity: the descent of
``asynchronous_moments`` and
:math:`\|\nabla f\|^2 \ge 2\mu (f - f^*)`; tau bounds the age of every coordinate that is read. The
survey names neither the second moment nor that all workers draw gradients of the same f.

.. math::
   :label: asynchronous_pl

   E f(x_T) - f^* \le (1 - \gamma\mu)^T \Delta + \frac{\gamma L G^2}{2\mu} + \frac{\gamma^2 L^2
   \tau^2 G^2}{2\mu}, \quad \gamma \le 1/L.

Delays cost nothing to first order while :math:`\tau^2 \le \mu T/L`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Confidence, Source
from theory.constants import Constants
from theory.theorem import Order
from theory.theorems.asynchronous_moments import asynchronous_moments
from theory.theorems.families import PolyakLojasiewicz


@final
@dataclass(frozen=True)
class AsynchronousPl(PolyakLojasiewicz):
    """See the file's docstring for the statement."""

    name = "asynchronous_pl"
    title = "Asynchronous SGD, inconsistent reads, Polyak-Lojasiewicz"
    source = Source("Niu et al.", 2011, "1106.5730", "setting; without sparsity, derived here")
    confidence = Confidence.DERIVED
    needs = ("L", "G2", "zeta2", "tau_coordinate", "pl", "initial_gap")
    order = Order({"T": -1})
    formula = asynchronous_moments.formula
    tight = False
    example = Constants(L=2.0, G2=7.0, zeta2=0.0, tau_coordinate=3, pl=0.5, initial_gap=3.0)
    descent = asynchronous_moments


asynchronous_pl = AsynchronousPl()
