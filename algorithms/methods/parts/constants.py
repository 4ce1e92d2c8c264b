"""Additions of a method to its problem's constants: the claims of its parts."""

from __future__ import annotations

from algorithms.compressors.base import Compressor
from theory.claims import Unbiased, best_contraction, least_variance
from theory.constants import Constants, Kind, Statement

_OF_DIRECTIONS = frozenset({"omega", "delta"})
"""What has a name for each direction."""


def operator_constants(compressor: Compressor, d: int) -> Constants:
    """omega (the smallest claimed) where the operator is unbiased, delta (the largest) otherwise;
    the absolute error where it has a bound.

    An unbiased operator in U(omega) is no contraction as it stands; its delta is left out.
    """
    claims = compressor.claims(d)
    variance, contraction = least_variance(claims), best_contraction(claims)
    result = Constants()
    if variance is not None and any(isinstance(claim, Unbiased) for claim in claims):
        kind = Kind.EXACT if variance.tight else Kind.UPPER
        known = Statement(kind, "all x", str(variance.source))
        result = result.state(known, omega=variance.omega)
    if contraction is not None:
        kind = Kind.EXACT if contraction.tight else Kind.LOWER
        known = Statement(kind, "all x", str(contraction.source))
        result = result.state(known, delta=contraction.delta)
    most = compressor.absolute_error(d)
    if most is not None:
        known = Statement(Kind.UPPER, "all x", compressor.name)
        result = result.state(known, absolute_error=most)
    return result


def two_way_constants(up: Compressor, down: Compressor, d: int) -> Constants:
    """delta and omega of both directions under names of their own.

    ``omega`` and ``delta`` stay unstated: theorems about one direction do not apply.
    """
    stated = Constants()
    for suffix, compressor in (("up", up), ("down", down)):
        part = operator_constants(compressor, d)
        for name in (one for one in part.stated() if one in _OF_DIRECTIONS):
            value = {f"{name}_{suffix}": getattr(part, name)}
            stated = stated.state(part.statements[name], **value)
    return stated
