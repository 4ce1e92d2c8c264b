"""A user's folders that have the names of ours: theory, algorithms, proofs_check, experiments.

In this process those names are rateproof's. A module that is not ours finds its own all the same:
its import statements, wherever they stand, look for ``algorithms.thing`` in the user's folders
first, where it gets the name ``own_packages.algorithms.thing``, and then among ours. So a user's
module may import from both. ``importlib.import_module`` of such a name gives ours.
"""

from __future__ import annotations

import builtins
import os
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any, final

PACKAGES = ("theory", "algorithms", "proofs_check", "experiments")
"""Names that mean this project's packages, whatever lies in the current folder."""

NAMESPACE = "own_packages"
"""Package below which the user's packages of such names are imported."""

_HOME = Path(__file__).resolve().parents[2]
_INSTALLED = {Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "purelib", "platlib")}


def own_name(module: str, names: Sequence[str] = ()) -> str:
    """Name under which a user's code finds a module, from which it imports ``names``."""
    head, *rest = module.split(".")
    if head in PACKAGES:
        for folder in _folders():
            if _is_there(folder / head, rest, names):
                return f"{NAMESPACE}.{module}"
    return module


def see_own_folders() -> None:
    """Let modules that are imported from now on find their own folders' packages."""
    folders = [str(folder) for folder in _folders()]
    if not folders:
        return
    namespace = sys.modules.setdefault(NAMESPACE, ModuleType(NAMESPACE, "The user's packages."))
    namespace.__path__ = folders
    if not any(isinstance(one, _UsersFinder) for one in sys.meta_path):
        places = [place for place, one in enumerate(sys.meta_path) if one is PathFinder]
        sys.meta_path.insert(places[0] if places else 0, _UsersFinder())


def _is_there(place: Path, rest: Sequence[str], names: Sequence[str]) -> bool:
    if rest:
        return _lies(place / rest[0])
    if place.with_suffix(".py").exists() or (place / "__init__.py").exists():
        return True
    if names:
        return any(_lies(place / name) for name in names)
    return any(place.glob("*.py"))  # a folder of data is no package


def _lies(place: Path) -> bool:
    return place.is_dir() or place.with_suffix(".py").exists()


def _folders() -> tuple[Path, ...]:
    """Folders of the import path, other than copies of this project, that have such a package."""
    return _folders_from(tuple(sys.path), os.getcwd())


@lru_cache(maxsize=8)
def _folders_from(path: tuple[str, ...], here: str) -> tuple[Path, ...]:
    """Those of a path whose relative entries start from the folder ``here``."""

    def found() -> Iterator[Path]:
        for entry in dict.fromkeys(Path(here, part).resolve() for part in path):
            if entry != _HOME and not (entry / "proofs_check" / "verdict.py").exists():
                if any(_lies(entry / name) for name in PACKAGES):
                    yield entry

    return tuple(found())


def _is_users(file: Path) -> bool:
    """Whether a file is a user's: neither ours, nor installed apart from a folder like theirs."""
    folders = _folders()
    if not folders or any(file.is_relative_to(_HOME / name) for name in PACKAGES):
        return False
    if any(file.is_relative_to(place) for place in _INSTALLED):
        return any(file.is_relative_to(one) for one in folders if _INSTALLED & {one, *one.parents})
    return True


def _import(
    name: str,
    globals: Mapping[str, object] | None = None,
    locals: Mapping[str, object] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> ModuleType:
    """``__import__`` of a user's module."""
    found = name if level else own_name(name, fromlist or ())
    if found == name:
        return builtins.__import__(name, globals, locals, fromlist or (), level)
    if fromlist:
        return builtins.__import__(found, globals, locals, fromlist)
    import_module(found)
    return sys.modules[f"{NAMESPACE}.{name.partition('.')[0]}"]


def names_of_users(file: Path) -> dict[str, Any]:
    """Global names that a module has before it runs: a user's imports as said above, ours none."""
    if not _is_users(file.resolve()):
        return {}
    return {"__builtins__": {**vars(builtins), "__import__": _import}}


@final
class _UsersLoader(SourceFileLoader):
    """A module whose import statements are :func:`_import`'s."""

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update(names_of_users(Path(self.path)))
        super().exec_module(module)


@final
class _UsersFinder(MetaPathFinder):
    """Python's own finder of files, with :class:`_UsersLoader` for those of users."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: Any = None
    ) -> ModuleSpec | None:
        if not _folders():
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or type(spec.loader) is not SourceFileLoader:
            return None
        file = Path(spec.loader.path).resolve()
        if not _is_users(file):
            return None
        spec.loader = _UsersLoader(fullname, spec.loader.path)
        return spec
