"""Closed-form cases: what the methods do where arithmetic says exactly what they must do.

Each case runs the code (``algorithms.engine.run`` or a method's own steps) and holds it against a
formula: identities to 1e-12, expectations within their statistical error at TEST_ERROR a test. A
module declares its cases in a tuple called ``CLOSED_FORMS``, and those that show an erratum, with
its name, in ``DEMONSTRATIONS``; rooms are named as the catalogue's files.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_check.verdict import Verdict
from theory.members import declared

CLOSED_FORMS: tuple[Callable[[], tuple[Verdict, ...]], ...] = declared(__name__, "CLOSED_FORMS")

DEMONSTRATIONS: dict[str, Callable[[], tuple[Verdict, ...]]] = dict(
    declared(__name__, "DEMONSTRATIONS")
)
"""By the name of an erratum, the case that shows it; citations have none."""


def demonstrated(name: str) -> tuple[Verdict, ...]:
    """What the demonstration of an erratum finds; nothing where it has none (a citation)."""
    found = DEMONSTRATIONS[name]() if name in DEMONSTRATIONS else ()
    return tuple(one for one in found if one.check == f"erratum {name}")


__all__ = ["CLOSED_FORMS", "DEMONSTRATIONS", "demonstrated"]
