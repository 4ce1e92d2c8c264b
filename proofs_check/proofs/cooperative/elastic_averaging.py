r"""EASGD on a quadratic: the map of mean and centre, and Jury's criterion for it."""

from __future__ import annotations

from itertools import product
from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled, truth
from proofs_check.verdict import Verdict

COVERS = ("easgd",)

h, alpha, beta = sp.symbols("h alpha beta", positive=True)
MATRIX = sp.Matrix([[1 - h - alpha, alpha], [beta, 1 - beta]])
ENDS = (h * beta, 4 - 2 * h - 2 * alpha - 2 * beta + h * beta)
DETERMINANT = (1 - h) * (1 - beta) - alpha
GRID = tuple(sp.Rational(k, 4) for k in (1, 2, 4, 5, 7, 9))


def step(values: tuple[Any, Any], centre: Any) -> tuple[Any, Any, Any]:
    """Two workers and the centre after one step."""
    first, second = (v - h * v - alpha * (v - centre) for v in values)
    return first, second, (1 - beta) * centre + beta * sum(values) / 2


def agree(first: Any, second: Any, third: Any) -> bool:
    """Whether the criterion says what the larger root says; a root on the circle is not inside."""
    at = {h: first, alpha: second, beta: third}
    numbers = [*(end.subs(at) > 0 for end in ENDS), abs(DETERMINANT.subs(at)) < 1]
    half, det = MATRIX.trace().subs(at) / 2, MATRIX.det().subs(at)
    spread = half**2 - det
    if spread < 0:  # a pair of modulus sqrt(det)
        return bool(all(numbers)) == bool(det < 1)
    return bool(all(numbers)) == bool(abs(half) < 1 and spread < (1 - abs(half)) ** 2)


def together() -> tuple[DerivationStep, DerivationStep]:
    """p(-1) > 0 and det < 1 imply |1 - h - alpha| < 1 for positive h, alpha, beta."""
    u, v, w = sp.symbols("u v w", nonnegative=True)
    small = (2 - h - alpha - ENDS[1] / 2).subs(h, 2 / (1 + u))
    large = {h: 2 + u, beta: 2 + v, alpha: u * v / 2 - w}  # p(-1) = 2 w > 0, so u > 0 and v > 0
    return (
        nonnegative("h <= 2: h + alpha < 2 as p(-1) > 0", sp.together(small), u, beta),
        nonnegative("h > 2: p(-1) > 0 excludes det < 1", (DETERMINANT - 1).subs(large), u, v, w),
    )


def prove(matrix: Any = MATRIX, ends: Any = ENDS, determinant: Any = DETERMINANT) -> Verdict:
    r"""p(z) = z^2 - tr z + det: both roots inside iff p(1), p(-1) > 0 and |det| < 1 (Jury).

    On the boundary of the region a root is 1, -1, or a pair on the circle, whose product is 1.
    """
    u, v, c, z = sp.symbols("u v c z")
    first, second, centre = step((u, v), c)
    mean = sp.Matrix([(first + second) / 2, centre])
    p = matrix.charpoly(z).as_expr()
    r, phi = sp.symbols("r phi", positive=True)
    pair = sp.expand((z - r * sp.exp(sp.I * phi)) * (z - r * sp.exp(-sp.I * phi)))
    gap = sp.simplify((mean - matrix * sp.Matrix([(u + v) / 2, c])).norm() ** 2)
    return settled(
        "elastic averaging",
        "stable iff 0 < h beta, 0 < 4 - 2 h - 2 alpha - 2 beta + h beta, |det| < 1",
        "derived; setting of Zhang, Choromanska, LeCun 2015, arXiv:1412.6651",
        equality("mean and centre move by the matrix", gap, 0),
        equality("deviations by 1 - h - alpha", first - second, (1 - h - alpha) * (u - v)),
        equality("p(1)", p.subs(z, 1), ends[0]),
        equality("p(-1)", p.subs(z, -1), ends[1]),
        equality("p(0)", p.subs(z, 0), determinant),
        equality("a pair of roots has the product r^2", pair.subs(z, 0), r**2),
        *together(),
        truth(
            "as the roots say, exactly, on a grid", all(agree(*x) for x in product(GRID, repeat=3))
        ),
    )
