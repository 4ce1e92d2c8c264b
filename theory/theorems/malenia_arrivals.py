r"""Malenia SGD, by arrivals: each worker's gradients of the current model are averaged by worker.

Tyurin, Richtarik 2023 (arXiv:2305.12387) count steps of the server; here T counts arrivals, as runs
do. Workers may have different objectives: the mean of their means is unbiased for f. The server
steps once the harmonic mean of the workers' counts :math:`c_i` is at least S/n (S = ``collected``),
so that the noise of a step is at most :math:`\frac{1}{n^2} \sum_i \sigma^2/c_i \le \sigma^2/S`, and
at least S gradients make it: :math:`\sum_i c_i \cdot \sum_i 1/c_i \ge n^2`. Where each worker
arrives once in K arrivals, a model is kept for at most :math:`C = K (1 + \lceil S/n \rceil)` of
them (``held``): the first K may bring older gradients, then each K bring one more of every worker.

.. math::
   :label: malenia_arrivals

   \gamma \le \frac1L \Rightarrow \frac1T \sum_{t<T} E\|\nabla f(x_t)\|^2 \le \frac CT
   \Bigl(\frac{2\Delta}\gamma + \frac{\gamma L \sigma^2}S\Bigr) + \frac{C \gamma L \sigma^2}{S^2}.

Compute times must not depend on what was drawn. Derived in :mod:`theory.theorems.collected`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from theory.claims import Source
from theory.constants import Constants
from theory.theorems.collected import Collected


@final
@dataclass(frozen=True)
class MaleniaArrivals(Collected):
    """See the file's docstring for the statement."""

    name = "malenia_arrivals"
    title = "Malenia SGD, non-convex, different objectives, by arrivals"
    source = Source("Tyurin, Richtarik", 2023, "2305.12387", "method; arrivals, derived here")
    needs = ("L", "sigma2", "collected", "held", "initial_gap")
    example = Constants(L=2.0, sigma2=5.0, collected=8, held=12, initial_gap=3.0)


malenia_arrivals = MaleniaArrivals()
