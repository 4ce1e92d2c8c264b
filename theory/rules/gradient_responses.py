r"""Methods that are linear in their gradients: distances from a virtual iterate, by responses.

From equal models x_0 such a method makes :math:`\hat x_i^t = x_0 - \gamma \sum_{s<t} \sum_j
P^{ts}_{ij} g_j^s`, the points where gradients are taken, and the mean model :math:`x_t = x_0 -
\gamma \sum_{s<t} \sum_j m^{ts}_j g_j^s`, whatever the objective: gossip with and without tracking,
momentum and corrections, local steps. With :math:`z_t = x_0 - \gamma a \sum_{s<t} \frac1n \sum_j
g_j^s`, which takes plain steps of gain a, and all second moments at most :math:`G^2`,

.. math::

   \frac1n \sum_i E\|\hat x_i^t - x_t\|^2 \le \Bigl(\gamma G \sum_{s<t} \|P^{ts} - 1
   (m^{ts})^T\|_2\Bigr)^2, \quad E\|x_t - z_t\|^2 \le \Bigl(\gamma G \sqrt n \sum_{s<t} \|m^{ts} -
   \tfrac an 1\|\Bigr)^2.

Proof: :math:`\|K g\|_F \le \|K\|_2 \|g\|_F` and Cauchy-Schwarz for one step's gradients, which have
:math:`E\|g\|_F^2 \le n G^2`; roots of second moments add up (Minkowski). (Derived here.)
"""

from __future__ import annotations

import numpy as np

from theory.arrays import Floats
from theory.rules.virtual_iterate_deviation import Reach

_ROUNDING = 1e-8  # of sums that are 0 but for rounding
_STILL = 1e-6  # relative: what the last third of the steps may add to a largest sum
_ROOM = 1 + 1e-5  # for what all later steps add


def reach_by_responses(points: Floats, mean: Floats, gain: float) -> Reach:
    """Largest sums over all steps t of P ``[T, T, n, n]`` by (t, s, i, j) and m ``[T, T, n]``.

    Responses must have died out within T steps: the sums stand for all later steps too.

    Raises:
        ValueError: sums still grow in the last third of the steps.
    """
    n = points.shape[-1]
    earlier = np.tril(np.ones(points.shape[:2]), -1)
    apart = np.linalg.norm(points - mean[:, :, None, :], 2, axis=(-2, -1))
    behind = n**0.5 * np.linalg.norm(mean - gain / n, axis=-1)
    reached = Reach(
        reach=_largest("of points from the mean model", (apart * earlier).sum(1)),
        behind=_largest("of the mean model from the iterate", (behind * earlier).sum(1)),
        gain=gain,
    )
    return reached


def _largest(what: str, sums: Floats) -> float:
    """The largest of the sums ``[T]``, with room for later ones; 0 where they are rounding."""
    most, late = float(sums.max()), len(sums) - len(sums) // 3
    if most < _ROUNDING:
        return 0.0
    before = float(sums[:late].max())
    if most > before * (1 + _STILL):
        raise ValueError(
            f"distances {what} must have settled after {late} steps, got {before:.6g} until then "
            f"and {most:.6g} later; more steps, or another gain, would do"
        )
    return most * _ROOM
