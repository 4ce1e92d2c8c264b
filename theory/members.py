"""Members are discovered, never listed: whoever adds a file to a room has told everybody."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

Kind = TypeVar("Kind")


@cache
def _names(package: str) -> tuple[str, ...]:
    """Dotted names of every module under ``package``, the rooms inside it too.

    Raises:
        ModuleNotFoundError: there is no such package.
    """
    room = import_module(package)
    found = pkgutil.walk_packages(room.__path__, f"{package}.")
    return tuple(sorted(one.name for one in found if not one.ispkg))


@cache
def modules(package: str, named: str = "") -> tuple[ModuleType, ...]:
    """Every module under ``package`` (dotted name), the rooms inside it too, by name; those whose
    own name begins with ``named``.

    Raises:
        ModuleNotFoundError: there is no such package.
    """
    mine = (name for name in _names(package) if name.rpartition(".")[2].startswith(named))
    return tuple(import_module(name) for name in mine)


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
    """Declarations of the modules under ``package`` in a tuple called ``name``, joined.

    Modules whose source does not have the name declare nothing by it, and are not imported for it.
    """
    mine = (import_module(one) for one in _names(package) if name in _source(one))
    return tuple(item for module in mine for item in getattr(module, name, ()))


@cache
def _source(module: str) -> str:
    """Text of a module, which is not imported for it; its rooms are."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)
    return Path(spec.origin).read_text("utf-8")
