"""Closed-form cases: what the methods do where arithmetic says exactly what they must do.

Each case runs the code (``algorithms.engine.run`` or a method's own steps) and holds it against a
formula: identities to 1e-12, expectations within their statistical error at TEST_ERROR a test. A
module declares its cases in a tuple called ``CLOSED_FORMS``; rooms are named as the catalogue's
files.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_check.verdict import Verdict
from theory.members import declared

CLOSED_FORMS: tuple[Callable[[], tuple[Verdict, ...]], ...] = declared(__name__, "CLOSED_FORMS")

__all__ = ["CLOSED_FORMS"]
