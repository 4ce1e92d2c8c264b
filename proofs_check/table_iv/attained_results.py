"""Exponents of theorems on exact instances as they were measured once, kept beside this file.

``python -m proofs_check.table_iv.attained --keep`` measures and keeps them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import final

from proofs_check.instruments.standings import NEAR, RateStanding, in_regime

PATH = Path(__file__).with_name("attained_results.json")
"""Where they are kept: one line for a row and a theorem."""


@final
@dataclass(frozen=True)
class KeptExponent:
    """The slowest fall of a theorem's metric among the instances that were tried of a row.

    Attributes:
        row: key of the row, which ran at the theorem's own stepsizes.
        theorem: name of the theorem.
        order: the exponent of T that it states.
        slope: that of the row.
        half_width: by how much that between shorter horizons differs.
        bound_slope: that of the bound.
        standing: how the row's stands to the stated one.
        instance: the problem and what it states.
        tried: how many instances are inside the assumptions.
        wrong_that_stand: planted orders that nothing speaks against.
    """

    row: str
    theorem: str
    order: float
    slope: float
    half_width: float
    bound_slope: float
    standing: str
    instance: str
    tried: int
    wrong_that_stand: tuple[float, ...]

    @property
    def attained(self) -> bool:
        """Whether an instance falls as slowly as the order says."""
        return self.standing == RateStanding.ATTAINED

    def __str__(self) -> str:
        regime = "reached" if in_regime(self.bound_slope, self.order) else "not reached"
        said = self.standing
        if not self.attained:
            said += f"; no instance found that is slower than T^{self.slope:.3f}"
        return (
            f"{self.row}, {self.theorem}: T^{self.slope:.4f} ± {self.half_width:.4f} (order "
            f"{self.order:g}, its bound {self.bound_slope:.4f}, regime {regime}); {said}; the "
            f"slowest of {self.tried} instances: {self.instance}"
        )


@cache
def kept_exponents() -> tuple[KeptExponent, ...]:
    """What is kept, in the order of the catalogue."""
    stored = json.loads(PATH.read_text()) if PATH.exists() else []
    return tuple(
        KeptExponent(**one | {"wrong_that_stand": tuple(one["wrong_that_stand"])}) for one in stored
    )


def keep(found: Sequence[KeptExponent]) -> None:
    """Keep these in place of all that were kept."""
    lines = [json.dumps(asdict(one)) for one in found]
    PATH.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    kept_exponents.cache_clear()


def summary(found: Sequence[KeptExponent], planted: int) -> str:
    """How many stand how; ``planted`` wrong orders were tried on each."""
    theorems = {one.theorem for one in found}
    attained = {one.theorem for one in found if one.attained}
    stands = Counter(one.standing for one in found)
    wrong = planted * len(found)
    left = sum(len(one.wrong_that_stand) for one in found)
    lines = [f"{count} of {len(found)} {standing}" for standing, count in stands.most_common()]
    lines.append(
        f"{len(attained)} of {len(theorems)} theorems are attained within {NEAR:g} by some row"
    )
    lines.append(f"{wrong - left} of {wrong} wrong orders do not stand")
    return "\n".join(lines)
