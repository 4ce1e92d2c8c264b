"""Decays: factors by which what is remembered fades from step to step."""

from __future__ import annotations


def require_decay(name: str, value: float) -> None:
    """Refuse factors outside [0, 1): momenta and running means would never forget, or oscillate.

    Raises:
        ValueError: names the argument and its value.
    """
    if not 0 <= value < 1:
        raise ValueError(f"{name} must lie in [0, 1), got {name}={value}; 0 forgets at once")
