"""MODULE:ATTRIBUTE, imported."""

from __future__ import annotations

from importlib import import_module
from itertools import takewhile
from pathlib import Path
from traceback import extract_tb
from typing import Any

from proofs_check.audit.own_folders import PACKAGES, own_name, see_own_folders


def imported(name: str) -> Any:
    """Object that MODULE:ATTRIBUTE names; the attribute may have dots.

    A module that is not ours finds packages of its own folder first
    (:mod:`proofs_check.audit.own_folders`).

    Raises:
        ValueError: it cannot be imported; names the line of the module that raised.
    """
    module, colon, path = name.partition(":")
    wanted = "name must be MODULE:ATTRIBUTE, importable from here"
    if not (colon and module and path):
        raise ValueError(f"{wanted}, got name={name}")
    try:
        see_own_folders()
        found: Any = import_module(own_name(module))
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
    name = getattr(error, "name", None) or ""
    package = name.partition(".")[0]
    place = Path.cwd() / package
    home = Path(__file__).resolve().parents[2]
    if not isinstance(error, ImportError) or package not in PACKAGES or not place.exists():
        return ""
    if home == Path.cwd().resolve():
        return ""
    if own_name(name) == name:
        return f"; neither {place} nor rateproof's own package of that name has it"
    return (
        f"; by a computed name {package} means rateproof's own package here, not {place}: an "
        "import statement, or another name for that folder, would do"
    )


def _line_of(error: BaseException) -> str:
    """Line at which a module's import stopped: what ran below Python's own import frames."""
    frames = extract_tb(error.__traceback__)
    inside = list(takewhile(lambda f: not f.filename.startswith("<frozen"), reversed(frames)))
    if not inside or len(inside) == len(frames):
        return ""
    return f", in {Path(inside[0].filename).name}, line {inside[0].lineno}"
