"""Mutants that a kept score tells of, found again in the sources."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from experiments.closure.versions import ROOT
from experiments.mutation.sites import Mutant, mutants

_TOLD = ("function", "kind", "before", "after")


def mutant_of(told: Mapping[str, Any]) -> Mutant:
    """The mutant that a score tells of; of several alike in its function the one nearest its line.

    Raises:
        ValueError: the sources have none there.
    """
    module = told["file"].removesuffix(".py").replace("/", ".")
    alike = [
        one
        for one in mutants(module, ROOT / told["file"])
        if all(getattr(one, name) == told[name] for name in _TOLD)
    ]
    if not alike:
        raise ValueError(
            f"{told['file']} has no {told['before']} in {told['function']} any more; "
            "score the row again"
        )
    return min(alike, key=lambda one: abs(one.line - told["line"]))
