r"""Layer-wise adaptive gradient sparsification (LAGS): top-k of every layer, with error feedback.

Shi, Tang, Wang, Zhao, Chu 2019 (arXiv:1911.08727), whose rate this gives back without the paper's
assumption that the sum of the workers' top-k is at least as near as random k: layers add up to a
contraction of quality :math:`\delta = \min_l k_l/d_l`, and workers keep residuals of their own.

.. math::
   :label: layer_wise_adaptive

   \gamma \le \frac{1}{2 L_{max}} \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2 \le
   \frac{2\Delta}{\gamma T} + \frac{\gamma L_{max} \sigma^2}{n} + 2 \gamma^2 L_{max}^2 G^2
   \frac{1 - \delta}{(1 - \sqrt{1 - \delta})^2}.

The last term is the residual at its exact supremum over contractions.
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
class LayerWiseAdaptive(Reached):
    """See the file's docstring for the statement."""

    name = "layer_wise_adaptive"
    title = "Layer-wise adaptive gradient sparsification, non-convex"
    source = Source("Shi et al.", 2019, "1911.08727", "setting and order; constants derived here")
    needs = ("n", "L_max", "sigma2", "G2", "delta", "initial_gap")
    example = Constants(n=4, L_max=2.0, sigma2=5.0, G2=7.0, delta=0.25, initial_gap=3.0)

    def separation(self, c: Constants) -> Reach:
        return Reach(behind=left(c.need("delta")))


layer_wise_adaptive = LayerWiseAdaptive()
