"""MODULE:ATTRIBUTE, imported."""

from __future__ import annotations

import sys
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from traceback import extract_tb
from typing import Any

PACKAGES = ("theory", "algorithms", "proofs_check", "experiments")
"""Names that mean this project's packages, whatever lies in the current folder."""


def imported(name: str) -> Any:
    """What MODULE:ATTRIBUTE names; the attribute may have dots.

    Raises:
        ValueError: it cannot be imported; names the line of the module that raised.
    """
    module, colon, path = name.partition(":")
    wanted = "name must be MODULE:ATTRIBUTE, importable from here"
    if not (colon and module and path):
        raise ValueError(f"{wanted}, got name={name}")
    try:
        found: Any = import_module(module)
        for attribute in path.split("."):
            found = getattr(found, attribute)
    except (Exception, SystemExit) as error:  # importing a stranger's module may raise anything
        told = str(error).partition("\n")[0]
        raise ValueError(
            f"{wanted}, got name={name} ({type(error).__name__}: {told}{_line_of(error)})"
            + _clash(error)
        ) from error
    return found


def _clash(error: BaseException) -> str:
    """A sentence where one of the user's packages has the name of one of ours."""
    package = (getattr(error, "name", None) or "").partition(".")[0]
    ours = sys.modules.get(package) if package in PACKAGES else None
    place = Path.cwd() / package
    if not isinstance(error, ImportError) or ours is None or not place.exists():
        return ""
    home = Path(str(ours.__file__)).resolve().parent
    if home == place.resolve():
        return ""
    return (
        f"; the name {package} means rateproof's own package here, which hides {place}: another "
        "name for that folder, or a module that does not import it, would do"
    )


def _line_of(error: BaseException) -> str:
    """Where a module stopped being imported: what ran below Python's own import frames."""
    frames = extract_tb(error.__traceback__)
    inside = list(takewhile(lambda f: not f.filename.startswith("<frozen"), reversed(frames)))
    if not inside or len(inside) == len(frames):
        return ""
    return f", in {Path(inside[0].filename).name}, line {inside[0].lineno}"
