"""Errata of what the surveys print.

Errata are those of the rows that are implemented; ``printed`` is the survey's formula (Tang et al.
2020, arXiv:2003.06307), ``correct`` the one in use, ``evidence`` how the difference shows.
"""

from __future__ import annotations

from theory.survey.errata_methods import METHODS
from theory.survey.errata_tables import TABLES
from theory.survey.errata_theory import THEORY
from theory.survey.erratum import Erratum as Erratum

ERRATA: tuple[Erratum, ...] = tuple(
    sorted((*METHODS, *THEORY, *TABLES), key=lambda e: ("ETS".index(e.id[0]), int(e.id[1:])))
)
