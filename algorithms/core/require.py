"""Numbers of the user that are refused by name and value."""

from __future__ import annotations

import math

import numpy as np


def require_int(name: str, value: int, least: int, most: float = math.inf) -> None:
    """Refuse what is no whole number (a bool is none), and whole numbers outside [least, most].

    Raises:
        ValueError: names argument and value.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise ValueError(f"{name} must be a whole number, got {name}={value!r}")
    if not least <= value <= most:
        limit = f"at least {least}" if most == math.inf else f"in [{least}, {most}]"
        raise ValueError(f"{name} must be {limit}, got {name}={value}")


def require_number(name: str, value: float, least: float = 0.0, *, strict: bool = False) -> None:
    """Refuse numbers below ``least`` (or equal to it, if ``strict``), NaN and infinity.

    Raises:
        ValueError: names argument and value.
    """
    if not math.isfinite(value) or value < least or (strict and value == least):
        sign = ">" if strict else ">="
        raise ValueError(f"{name} must be finite and {sign} {least:g}, got {name}={value}")
