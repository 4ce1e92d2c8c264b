"""MODULE:ATTRIBUTE, imported."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def imported(name: str) -> Any:
    """What MODULE:ATTRIBUTE names; the attribute may have dots.

    Raises:
        ValueError: it cannot be imported.
    """
    module, colon, path = name.partition(":")
    wanted = "name must be MODULE:ATTRIBUTE, importable from here, or torch:HOOK"
    if not (colon and module and path):
        raise ValueError(f"{wanted}, got name={name}")
    try:
        found: Any = import_module(module)
        for attribute in path.split("."):
            found = getattr(found, attribute)
    except (Exception, SystemExit) as error:  # importing a stranger's module may raise anything
        told = str(error).partition("\n")[0]
        raise ValueError(f"{wanted}, got name={name} ({type(error).__name__}: {told})") from error
    return found
