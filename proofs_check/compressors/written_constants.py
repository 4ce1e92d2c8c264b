"""Constants as they are written: the formula of each claim against the number that is claimed.

A constant that is a little too small breaks at few vectors, one that is too large at none; but each
is told to readers as a formula in d and in the operator's own numbers, which computer algebra reads
here independently of the code.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

from algorithms.compressors.base import Compressor
from algorithms.compressors.requirements import kept
from proofs_check.instruments.written_formulas import formula_value
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.claims import Contraction, VarianceBound

CHECK = "written constants"
_LENGTHS = 2, 7, 20, 65, 256
_ROUNDING = 1e-12
_MEANINGS: tuple[Callable[[float, int], Any], ...] = (
    lambda share, d: Fraction(str(share)),
    kept,
    lambda share, d: math.floor(Fraction(str(share)) * d),
)
"""What a fraction in (0, 1] may mean: itself, as it is written, or coordinates of d, up or down."""

_BY_TENSOR = "shapes", "shape", "groups"
"""Fields that say how a row is cut: constants of parts are claimed of the parts."""


def written_constants(
    operators: Sequence[Compressor], d: int, provenance: str = ""
) -> tuple[Verdict, ...]:
    """Each constant that operators claim in R^d and at five other lengths, against its formula; no
    verdict where none is claimed.

    Names in a formula are d, fields of the operator and of those that it is made of, and what the
    formula itself says after a comma (``w = ...``). A fraction may be itself or the coordinates
    that it keeps: one meaning has to hold at all lengths. Where parts of a row are spoken of, d is
    the length of a part.
    """
    read, faults, unread = 0, list[str](), set[str]()
    for one in operators:
        for formula, values in sorted(_claimed(one, d).items()):
            numbers = dict(_numbers(one))
            tried = [list(_read(formula, numbers, values, how)) for how in _MEANINGS]
            able = [off for off in tried if off and None not in off]
            if not able:
                unread.add(formula)
                continue
            read += len(values)
            worst = min(max(off for off in one_way if off is not None) for one_way in able)
            if not worst <= _ROUNDING:
                faults.append(
                    f"{one.name}: {formula} is {worst:.3g} off, relative to what is claimed"
                )
    if not (read or unread):
        return ()
    told = f"{read} constants are their formulas"
    where = f"d = {', '.join(map(str, _lengths(d)))}, those that the operator accepts"
    words = f"; words in {', '.join(sorted(unread))}" if unread else ""
    found = Verdict(
        subject=", ".join(sorted({one.name for one in operators})), check=CHECK,
        kind=CheckKind.OPERATOR, claim="constants are the formulas that are told of them",
        outcome=Outcome.REFUTED if faults
        else Outcome.AGREES if read else Outcome.NOT_APPLICABLE,
        statistic=float(len(faults)) if read else None, bound=0.0 if read else None,
        evidence=faults[0] if faults else told + words,
        provenance="; ".join(one for one in (provenance, where) if one),
    )  # fmt: skip
    return (found,)


def _lengths(d: int) -> list[int]:
    """Lengths of rows at which a formula is computed."""
    return sorted({d, *_LENGTHS})


def _claimed(compressor: Compressor, d: int) -> dict[str, list[tuple[int, float]]]:
    """By formula the lengths of rows at which it is claimed, and the constants there."""
    found = dict[str, list[tuple[int, float]]]()
    if any(getattr(compressor, name, ()) for name in _BY_TENSOR):
        return found
    for length in _lengths(d):
        try:
            claims = compressor.claims(length)
        except ValueError:
            continue
        for claim in claims:
            if isinstance(claim, VarianceBound | Contraction):
                value = claim.omega if isinstance(claim, VarianceBound) else claim.delta
                found.setdefault(claim.formula, []).append((length, value))
    return found


def _numbers(part: Any) -> Iterator[tuple[str, int | float]]:
    """Numbers among the fields of an operator and of those that it is made of, by name."""
    if not is_dataclass(part) or isinstance(part, type):
        return
    for one in fields(part):
        value = getattr(part, one.name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield one.name, value
        elif isinstance(value, Compressor):
            yield from _numbers(value)


def _read(
    text: str,
    numbers: Mapping[str, int | float],
    values: Sequence[tuple[int, float]],
    meaning: Callable[[float, int], Any],
) -> Iterator[float | None]:
    """How far each constant is from the formula, relative to it; None where it is not read."""
    over = re.fullmatch(r"(max|min) over parts of (.*)", text)
    for d, value in values:
        size = int(numbers["size"]) if over and "size" in numbers else d
        found = [
            _value(over[2] if over else text, _named(numbers, part, meaning))
            for part in sorted({min(size, d), d % size or size})
        ]
        known = [one for one in found if one is not None]
        if (over and "size" not in numbers) or len(known) < len(found):
            yield None
            continue
        told = min(known) if over and over[1] == "min" else max(known)
        yield abs(told - value) / max(abs(value), abs(told), 1e-300)


def _named(
    numbers: Mapping[str, int | float], d: int, meaning: Callable[[float, int], Any]
) -> dict[str, Any]:
    """Numbers by name at rows of d numbers."""
    return {"d": d} | {
        name: one if isinstance(one, int)
        else meaning(one, d) if 0 < one <= 1
        else Fraction(str(one))
        for name, one in numbers.items()
        if math.isfinite(one)
    }  # fmt: skip


def _value(text: str, numbers: Mapping[str, Any]) -> float | None:
    """The formula at numbers, with what it says of its letters after its commas."""
    formula, *told = re.split(r", (?=\w+ = )", text)
    known = dict(numbers)
    for one in told:
        name, _, meaning = one.partition(" = ")
        value = formula_value(meaning, known)
        if value is None:
            return None
        known[name] = value
    found = formula_value(formula, known)
    return found if found is not None and math.isfinite(found) else None
