"""Symbolic derivations, one per theorem or lemma; PROOFS holds the functions that run them.

A module's derivation is its function ``prove``; rooms are named as the catalogue's files.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_check.verdict import Verdict
from theory.members import modules

PROOFS: tuple[Callable[[], Verdict], ...] = tuple(
    module.prove for module in modules(__name__) if hasattr(module, "prove")
)
