r"""Perturbed iterates: gradients are taken near a virtual iterate that takes plain steps.

The setting of Mania et al. 2017 (arXiv:1507.06970), derived here for n workers, smooth functions
and bounded second moments: a virtual iterate moves by :math:`z_{t+1} = z_t - \gamma a \left(\frac1n
\sum_i g_i(\hat x_i) + \xi_t\right)`, :math:`z_0 = x_0`, where :math:`\xi_t` has mean 0 given the
past and :math:`E\|\xi_t\|^2 \le b G^2/n`, b in the mean over all steps. The model x_t that is
looked at lies within :math:`\gamma G B` of z_t, and the points :math:`\hat x_i` where gradients are
taken within :math:`\gamma G S` of x_t, in the mean square over workers. Error feedback, momentum,
local steps, gossip and delays differ in a (``gain``), b (``excess``), S (``reach``) and B
(``behind``) alone: see :mod:`theory.rules.virtual_iterate_deviation`.

.. math::
   :label: perturbed_iterate

   \gamma a \le \frac{1}{2 L_{max}} \Rightarrow \frac{1}{T} \sum_{t<T} E\|\nabla f(x_t)\|^2 \le
   \frac{2\Delta}{\gamma a T} + \gamma a L_{max} \frac{\sigma^2 + b G^2}{n} + \gamma^2 L_{max}^2
   (S^2 + 2 B^2) G^2,

and for :math:`\gamma a \le 1/L_{max}` where B = 0.

Proof: smoothness at z_t, with h the mean of the gradients: :math:`-\langle\nabla f(z), h\rangle \le
-\langle\nabla f(x), h\rangle + L_{max}^2 \|x - z\|^2 + \frac14\|h\|^2`, and
:math:`-\langle\nabla f(x), h\rangle = \frac12\|\nabla f(x) - h\|^2 - \frac12\|\nabla f(x)\|^2 -
\frac12\|h\|^2`. What is left of :math:`\|h\|^2` pays for the square of the step. No rate is lost
while S and B do not grow with T: the last term is of order 1/T at the stepsize :math:`T^{-1/2}`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Source
from theory.constants import Constants
from theory.rules.virtual_iterate_deviation import Reach
from theory.theorems.conditions import Condition, positive
from theory.theorems.reached import Reached


@final
@dataclass(frozen=True)
class PerturbedIterate(Reached):
    """See the file's docstring for the statement and its derivation."""

    name = "perturbed_iterate"
    title = "Perturbed iterates with bounded second moments, non-convex"
    source = Source("Mania et al.", 2017, "1507.06970", "setting; n workers, derived here")
    published = False
    needs = ("n", "L_max", "sigma2", "G2", "reach", "behind", "gain", "excess", "initial_gap")
    example = Constants(
        n=4, L_max=2.0, sigma2=5.0, G2=7.0, reach=3.0, behind=1.5, gain=2.0, excess=0.25,
        initial_gap=3.0,
    )  # fmt: skip

    def premises(self, c: Constants) -> tuple[Condition, ...]:
        return (positive(c, "gain"),)

    def separation(self, c: Constants) -> Reach:
        return Reach(c.need("reach"), c.need("behind"), c.need("gain"), c.need("excess"))


perturbed_iterate = PerturbedIterate()
