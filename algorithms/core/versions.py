"""Versions of installed packages, also where a program runs from its sources."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def package_version(name: str) -> str:
    """Of an installed package; "missing" for one that is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"
