"""The words of survey 002's Table IV: by what it classifies methods, and its two columns."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction

from theory.theorem import HALF


class Architecture(StrEnum):
    """Way of averaging gradients or models."""

    SERVER = "PS"
    ALL_REDUCE = "A.R."
    GOSSIP = "Gossip"


class Scheme(StrEnum):
    """Synchronisation scheme of the workers."""

    BSP = "BSP"
    SSP = "SSP"
    ASP = "ASP"
    LOCAL = "L-SGD"


class Compression(StrEnum):
    """Compression of a message."""

    NONE = "Null"
    QUANTISED = "Quant."
    SPARSE = "Spars."


class Objective(StrEnum):
    """The column of a cell. Convex means strongly convex or PL where 1/T is stated (erratum T1)."""

    CONVEX = "convex"
    NONCONVEX = "non-convex"

    @property
    def power(self) -> Fraction:
        """The exponent of T that the column states in every cell that is not blank."""
        return Fraction(-1) if self is Objective.CONVEX else -HALF
