"""Closed form of the bits that name a place in a row, on which lists of places and bills rest."""

from __future__ import annotations

from algorithms.catalogue import ROWS
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict
from theory.bits import index_bits

_LENGTHS = (*range(1, 300), *(2**power + off for power in range(9, 40) for off in (-1, 0, 1)))


def place_bits() -> tuple[Verdict, ...]:
    """The bits of a place among d, counted: the fewest whose words are at least d."""
    verdict = identity(
        "places in rows", "one of d places takes the fewest bits that have d words",
        [index_bits(d) for d in _LENGTHS],
        [next(b for b in range(64) if 2**b >= d) for d in _LENGTHS],
        check="counted words", tolerance=0.0, note=f"{len(_LENGTHS)} lengths of rows",
        provenance="exact integers",
    )  # fmt: skip
    return (verdict,)


CLOSED_FORMS = (place_bits,)
COVERS = {"place_bits": tuple(r.key for r in ROWS if r.recipe)}
"""All rows that run: most send places, the others' bills are computed beside those."""
