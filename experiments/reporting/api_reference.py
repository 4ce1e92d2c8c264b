"""The API reference: a page for every module, made from the docstrings by pdoc.

It is a part of the documentation's pages (:mod:`experiments.reporting.site`). pdoc is installed for
development only. Modules are named to it one by one: by itself it passes over those of a package
that lists what it exports. Pages ask nothing of the network: formulas are MathML, and the
style sheet and the script of the search field stand beside the pages, once
(``experiments/templates/api``).
"""

from __future__ import annotations

import html
import json
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from jinja2 import Environment

from experiments.reporting.mathml import formula
from experiments.storage.files import write_atomically

ROOT = Path(__file__).parents[2]
PACKAGES = ("theory", "algorithms", "proofs_check", "experiments")
DOOR = "rateproof"
"""The module that notebooks import; its page comes first."""

_NO_FAULTS = ("Error parsing type annotation", "The module specification .* already been added")
"""What pdoc warns of where a name is imported for type checkers only, and where a module is named
that its package brought along."""

_TEMPLATES = ROOT / "experiments" / "templates" / "api"
_FORMULA = re.compile(r"(?<![\w`$\\])\$(?!\s)([^$`]+?)(?<!\s)\$(?![\w$])")
_MARK = re.compile(r"Formula(\d+)Placed")


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
    modules, classes and functions, and the first sentences of their docstrings, for the search
    field.

    Raises:
        ValueError: pdoc is not installed, or its search field is another than the one known here.
        Warning: pdoc warns of a docstring or an annotation.
    """
    pdoc = _pdoc()
    pdoc.render.configure(
        docformat="google", show_source=False, search=search, template_directory=_TEMPLATES
    )
    pdoc.render.env.filters["to_html"] = _with_formulas(pdoc.render_helpers.to_html)
    pdoc.render.precompile_index = _search_entries
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        for harmless in _NO_FAULTS:
            warnings.filterwarnings("ignore", message=harmless)
        pdoc.pdoc(*((DOOR, *module_names()) if names is None else names), output_directory=out)
    style: str = pdoc.render.env.get_template("pdoc.css.jinja2").render()
    write_atomically(out / "pdoc.css", style.encode())
    if search:
        write_atomically(out / "search-box.js", _search_box(pdoc.render.env).encode())
    return out / "index.html"


def _with_formulas(to_html: Callable[[str], Any]) -> Callable[[str], Any]:
    """pdoc's conversion from Markdown, which sees a word in place of each formula."""

    def converted(text: str) -> Any:
        formulas: list[str] = []

        def kept(match: re.Match[str]) -> str:
            formulas.append(formula(" ".join(match[1].split()), display=False) or match[0])
            return f"Formula{len(formulas) - 1}Placed"

        page = to_html(_FORMULA.sub(kept, text))
        shown = type(page)(_MARK.sub(lambda mark: formulas[int(mark[1])], page))
        shown.toc_html = page.toc_html
        return shown

    return converted


def _search_box(templates: Environment) -> str:
    """pdoc's script of the search field, for pages that say how far up the first page lies."""
    script = templates.get_template("search.html.jinja2").render()
    script = script.replace("<script>", "").replace("</script>", "")
    for place in ('"search.js"', "`${doc.modulename"):
        if script.count(place) != 1:
            raise ValueError(
                f"pdoc's search script must have {place} once, got {script.count(place)} times"
            )
        script = script.replace(place, f"apiRoot + {place}")
    return script


def _search_entries(documents: Sequence[dict[str, str]], _compiler: Path) -> str:
    """The search index as data, in place of pdoc's of all words, which takes 68 MB."""

    def entries() -> Iterator[dict[str, str]]:
        for one in documents:
            if one["kind"] in ("module", "class", "function"):
                lines = one.get("doc", "").partition("</p>")[0].split()
                said = html.unescape(re.sub(r"<[^>]+>", "", " ".join(lines)))
                kept = {name: one.get(name, "") for name in ("fullname", "modulename", "qualname")}
                yield kept | {
                    "kind": one["kind"], "doc": html.escape(said), "signature": "",
                    "funcdef": one.get("funcdef", ""),
                }  # fmt: skip

    return json.dumps(list(entries()))


def _pdoc() -> Any:
    if find_spec("pdoc") is None:
        raise ValueError("the API reference needs pdoc; pip install --group dev would do")
    import pdoc

    return pdoc
