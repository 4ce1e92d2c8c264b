"""``python -m proofs_check.compressors.find_attained``: write what operators' constants attain."""

from __future__ import annotations

import json

from algorithms.catalogue import OPERATORS
from algorithms.compressors.base import Compressor
from proofs_check.compressors.attained import FILE, SHOWN, shares
from proofs_check.compressors.check import check_compressor


def measured(compressor: Compressor, d: int) -> dict[str, tuple[str, float]]:
    """What is to be kept of an operator: by formula the check and the share."""
    kept: dict[str, tuple[str, float]] = {}
    for only in SHOWN:
        verdicts = check_compressor(compressor, d=d, seed=1, only=only)
        for (formula, check), share in shares(compressor, d, verdicts).items():
            if check == only and share > 0:
                kept.setdefault(formula, (check, share))
        if len(kept) == sum(hasattr(claim, "formula") for claim in compressor.claims(d)):
            break
    return kept


if __name__ == "__main__":
    made = {
        name: {str(d): found for d in (100, 1000) if (found := measured(operator, d))}
        for name, operator in OPERATORS.items()
    }
    FILE.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
