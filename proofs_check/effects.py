"""Effects of the rows, found in the folders of the families without loading the rest."""

from __future__ import annotations

from proofs_check.instruments.effect_check import EffectCheck
from theory.members import members


def _by_row(found: tuple[EffectCheck, ...]) -> dict[str, EffectCheck]:
    """Raises a ValueError if a row has two."""
    by_row = {one.row: one for one in found}
    twice = sorted({one.row for one in found if one is not by_row[one.row]})
    if twice:
        raise ValueError(f"a row has one effect, got two of {', '.join(twice)}; leave one")
    return by_row


EFFECTS: dict[str, EffectCheck] = _by_row(members("proofs_check.evidence", EffectCheck, "effects"))
"""What each row shows, by its key."""
