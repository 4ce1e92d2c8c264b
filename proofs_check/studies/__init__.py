"""Measured rates and effects: one study per file, each able to fail. STUDIES holds them all.

Every module-level :class:`~proofs_check.instruments.study.Study` here is one, whatever its name;
rooms are named as the catalogue's files.
"""

from proofs_check.instruments.study import Study
from theory.members import members

STUDIES: tuple[Study, ...] = members(__name__, Study)

__all__ = ["STUDIES"]
