"""The API reference: a page for every module, made from the docstrings by pdoc.

``python -m experiments.reporting.api_reference [FOLDER]`` writes it to ``docs/api/index.html``.
pdoc is installed for development only. Modules are named to it one by one: by itself it passes
over those of a package that lists what it exports.
"""

from __future__ import annotations

import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("theory", "algorithms", "proofs_check", "experiments")


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


def api_reference(out: Path, packages: tuple[str, ...] = PACKAGES, search: bool = True) -> Path:
    """Write the pages to the folder ``out``, and return the path of the first; ``search``: with an
    index of all words for the search field.

    Raises:
        ValueError: pdoc is not installed.
    """
    if find_spec("pdoc") is None:
        raise ValueError("the API reference needs pdoc; pip install --group dev would do")
    import pdoc

    pdoc.render.configure(docformat="google", math=True, show_source=False, search=search)
    with warnings.catch_warnings():  # names imported for type checkers only are no error here
        warnings.simplefilter("ignore")
        pdoc.pdoc(*module_names(packages), output_directory=out)
    return out / "index.html"


if __name__ == "__main__":
    print(api_reference(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "api"))
