"""What a method adds to its problem's constants: the claims of its parts."""

from __future__ import annotations

from algorithms.compressors.base import Compressor
from theory.claims import Contraction, Unbiased, VarianceBound
from theory.constants import Constants, Kind, Statement


def operator_constants(compressor: Compressor, d: int) -> Constants:
    """omega (the smallest claimed) where the operator is unbiased, delta where it contracts.

    An unbiased operator in U(omega) is no contraction as it stands; its delta is left out.
    """
    claims = compressor.claims(d)
    unbiased = any(isinstance(claim, Unbiased) for claim in claims)
    result = Constants()
    for claim in claims:
        kind = Kind.EXACT if getattr(claim, "tight", False) else Kind.UPPER
        if isinstance(claim, VarianceBound) and unbiased:
            if result.omega is None or claim.omega < result.omega:
                known = Statement(kind, "all x", str(claim.source))
                result = result.state(known, omega=claim.omega)
        if isinstance(claim, Contraction):
            kind = Kind.EXACT if claim.tight else Kind.LOWER
            result = result.state(Statement(kind, "all x", str(claim.source)), delta=claim.delta)
    return result


def two_way_constants(up: Compressor, down: Compressor, d: int) -> Constants:
    """delta and omega of both directions under names of their own.

    ``omega`` and ``delta`` stay unstated: theorems about one direction do not apply.
    """
    stated = Constants()
    for suffix, compressor in (("up", up), ("down", down)):
        part = operator_constants(compressor, d)
        for name in part.stated():
            value = {f"{name}_{suffix}": getattr(part, name)}
            stated = stated.state(part.statements[name], **value)
    return stated
