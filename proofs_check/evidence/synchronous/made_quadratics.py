"""Closed form of the quadratics that are made to order: they have the constants that were asked."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from algorithms.catalogue import ROWS
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict

_SIZES = ((1, 2), (3, 5), (8, 20))
_CURVED, _LEAST, _NOISE, _START = 3.0, 0.2, 0.7, 5.0


def made_to_order() -> tuple[Verdict, ...]:
    """n, d, L, mu, zeta2, sigma2 and R2 of made quadratics, read off gradients at points, against
    what was asked."""
    found, asked = list[float](), list[float]()
    for (n, d), zeta2 in product(_SIZES, (0.0, 0.4)):
        zeta2 = zeta2 if n > 1 else 0.0
        given: Any = {"L": _CURVED, "sigma2": _NOISE, "zeta2": zeta2, "R2": _START}
        rank, kinds = d // 2, Quadratic
        for made, least, curved in (
            (kinds.strongly_convex(n, d, mu=_LEAST, **given), _LEAST, d),
            (kinds.convex(n, d, **given), 1e-10 * _CURVED, d),
            (kinds.pl(n, d, mu_pl=_LEAST if rank > 1 else _CURVED, **given),
             _LEAST if rank > 1 else _CURVED, rank),
        ):  # fmt: skip
            found += _read(made)
            asked += [n, d, curved, _CURVED, least, zeta2, 0.0, _NOISE, _START]
    verdict = identity(
        "quadratics", "quadratics have the n, d, L, mu, zeta2, sigma2 and R2 that were asked",
        found, asked, check="gradients at points", tolerance=1e-12,
        note=f"{len(asked) // 9} quadratics", provenance="seed 0",
    )  # fmt: skip
    return (verdict,)


def _read(made: Quadratic) -> list[float]:
    """n, d, how many directions are curved, the largest and the least curvature of these, at x* the
    mean squared gradient and the largest mean gradient, sigma2, the start's squared distance."""
    workers, d = torch.arange(made.n), made.start().shape[-1]
    points = torch.cat((torch.eye(d, dtype=torch.float64), torch.zeros(1, d, dtype=torch.float64)))
    slopes = made.full_gradient(points[:, None, :].expand(-1, made.n, -1), workers).mean(1).numpy()
    curvatures = np.linalg.eigvalsh(slopes[:-1] - slopes[-1])
    curved: NDArray[np.float64] = curvatures[curvatures > 1e-12]
    there = made.x_star[None]
    own = made.full_gradient(there.expand(made.n, -1), workers).numpy()
    apart = (made.start() - made.x_star).square().sum().item()
    noise = made.noise(there).max().item()
    return [
        len(own), d, len(curved), curved.max(), curved.min(), (own**2).sum(1).mean(),
        abs(own.mean(0)).max(), noise, apart,
    ]  # fmt: skip


CLOSED_FORMS = (made_to_order,)
COVERS = {"made_to_order": tuple(r.key for r in ROWS if r.recipe)}
"""All rows that run: theorems and instances are tried on such quadratics."""
