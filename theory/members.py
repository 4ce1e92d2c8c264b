"""Members are discovered, never listed: whoever adds a file to a room has told everybody."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar

Kind = TypeVar("Kind")


@cache
def modules(package: str, named: str = "") -> tuple[ModuleType, ...]:
    """Every module under ``package`` (dotted name), the rooms inside it too, by name; those whose
    own name begins with ``named``.

    Raises:
        ModuleNotFoundError: there is no such package.
    """
    room = import_module(package)
    names = sorted(
        found.name
        for found in pkgutil.walk_packages(room.__path__, f"{package}.")
        if not found.ispkg and found.name.rpartition(".")[2].startswith(named)
    )
    return tuple(import_module(name) for name in names)


def members(package: str, kind: type[Kind], named: str = "") -> tuple[Kind, ...]:
    """Every public module-level value of ``kind`` under ``package``, in the order of its file; of
    the modules whose own name begins with ``named``.

    A value that one module imports from another is counted once, at the first.
    """
    found: dict[int, Kind] = {}
    for module in modules(package, named):
        for name, value in vars(module).items():
            if isinstance(value, kind) and not name.startswith("_"):
                found.setdefault(id(value), value)
    return tuple(found.values())


def declared(package: str, name: str) -> tuple[Any, ...]:
    """Declarations of the modules under ``package`` in a tuple called ``name``, joined."""
    return tuple(item for module in modules(package) for item in getattr(module, name, ()))
