"""The API reference: a page for every module, made from the docstrings by pdoc.

It is a part of the documentation's pages (:mod:`experiments.reporting.site`). pdoc is installed for
development only. Modules are named to it one by one: by itself it passes over those of a package
that lists what it exports.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PACKAGES = ("theory", "algorithms", "proofs_check", "experiments")
DOOR = "rateproof"
"""The module that notebooks import; its page comes first."""

_NO_FAULTS = ("Error parsing type annotation", "The module specification .* already been added")
"""What pdoc warns of where a name is imported for type checkers only, and where a module is named
that its package brought along."""


def module_names(packages: tuple[str, ...] = PACKAGES, root: Path = ROOT) -> tuple[str, ...]:
    """Dotted names of all modules of the packages, packages before what they hold."""
    files = [path for package in packages for path in (root / package).rglob("*.py")]
    names = {
        path.relative_to(root)
        .with_suffix("")
        .as_posix()
        .replace("/", ".")
        .removesuffix(".__init__")
        for path in files
    }
    return tuple(sorted(names))


def api_reference(out: Path, names: Sequence[str] | None = None, search: bool = True) -> Path:
    """Write the pages to the folder ``out``, and return the path of the first.

    ``names``: of these modules; None: of the door and all packages. ``search``: with an index of
    all words for the search field.

    Raises:
        ValueError: pdoc is not installed.
        Warning: pdoc warns of a docstring or an annotation.
    """
    pdoc = _pdoc()
    pdoc.render.configure(docformat="google", math=True, show_source=False, search=search)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        for harmless in _NO_FAULTS:
            warnings.filterwarnings("ignore", message=harmless)
        pdoc.pdoc(*((DOOR, *module_names()) if names is None else names), output_directory=out)
    return out / "index.html"


def _pdoc() -> Any:
    if find_spec("pdoc") is None:
        raise ValueError("the API reference needs pdoc; pip install --group dev would do")
    import pdoc

    return pdoc
