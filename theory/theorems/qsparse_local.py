r"""Quantised, sparsified local SGD with error memory (Qsparse-local-SGD).

Basu, Data, Karakus, Diggavi 2019 (arXiv:1906.02367), whose rate and period this gives back: with H
local steps between meetings and increments through a contraction of quality :math:`\delta`,
:math:`r = \sqrt{1 - \delta}`, mean model minus mean residual takes plain steps.

.. math::
   :label: qsparse_local

   \gamma \le \frac{1}{2 L_{max}} \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(\bar x_t)\|^2 \le
   \frac{2\Delta}{\gamma T} + \frac{\gamma L_{max} \sigma^2}{n} + \gamma^2 L_{max}^2 G^2 \bigl((H
   - 1)^2 + 2 \bigl(\frac{H r}{1 - r}\bigr)^2\bigr).

The last term is of lower order while :math:`H = O(\delta T^{1/4}/n^{3/4})`, as in the paper.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Source
from theory.constants import Constants
from theory.rules.virtual_iterate_deviation import Reach, fed_back_locally
from theory.theorems.reached import Reached


@final
@dataclass(frozen=True)
class QsparseLocal(Reached):
    """See the file's docstring for the statement."""

    name = "qsparse_local"
    title = "Local SGD with quantised, sparsified increments and error memory, non-convex"
    source = Source("Basu et al.", 2019, "1906.02367", "setting and order; constants derived here")
    needs = ("n", "L_max", "sigma2", "G2", "H", "delta", "initial_gap")
    example = Constants(n=4, L_max=2.0, sigma2=5.0, G2=7.0, H=5, delta=0.75, initial_gap=3.0)

    def separation(self, c: Constants) -> Reach:
        return fed_back_locally(c.need("H"), c.need("delta"))


qsparse_local = QsparseLocal()
