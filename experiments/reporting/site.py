"""The documentation as a folder of pages: README, docs, the catalogue, and the API reference.

``python -m experiments.reporting.site [FOLDER]`` writes it to ``docs/site/index.html``. What a page
points to must be there: anything else stops the build.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment
from markdown_it import MarkdownIt

from experiments.reporting.api_reference import ROOT, api_reference
from experiments.reporting.assets import Entry, write_assets
from experiments.reporting.catalogue_pages import CataloguePage, catalogue_pages
from experiments.reporting.page import environment
from experiments.storage.files import write_atomically

API = "api/rateproof.html"
KINDS = {
    "rows": "Rows", "theorems": "Results", "operators": "Operators", "topologies": "Topologies",
    "problems": "Problems",
}  # fmt: skip
_PAGES = {"README.md": "index.html", "CONTRIBUTING.md": "contributing.html"}


def written_pages() -> dict[str, str]:
    """The Markdown files of the project by path, each with its page."""
    docs = ROOT / "docs"
    texts = [path.relative_to(docs) for path in sorted(docs.rglob("*.md"))]
    return {**_PAGES, **{f"docs/{text}": text.with_suffix(".html").as_posix() for text in texts}}


def write_site(out: Path, api: bool = True) -> Path:
    """Write all pages to the folder ``out`` and return the path of the first; ``api``: with the
    API reference, which takes most of the time.

    Raises:
        ValueError: a page points to what is not there; or pdoc is not installed.
        Warning: pdoc warns of a docstring.
    """
    writer = environment()
    pages = written_pages()
    found: list[Entry] = []
    for source, page in pages.items():
        title, html = _rendered(source, pages, out)
        _write(writer, out, page, title=title, body=html)
        found.append(Entry(title, "page", page, source))
    members = sorted(catalogue_pages(), key=lambda one: (list(KINDS).index(one.kind), one.name))
    for kind, group in groupby(members, key=lambda one: one.kind):
        _list(writer, out, kind, list(group))
    for one in members:
        _write(writer, out, one.link, title=one.name, lede=one.lede, kind=one.kind,
               sections=one.sections)  # fmt: skip
        found.append(Entry(one.name, one.kind, one.link, one.words))
    write_assets(out, found, plotting=False)
    if api:
        api_reference(out / "api")
    broken = list(broken_links(out, () if api else (API,)))
    if broken:
        raise ValueError(f"pages must point to what is there, got {'; '.join(broken[:20])}")
    return out / "index.html"


def broken_links(out: Path, absent: Sequence[str] = ()) -> Iterator[str]:
    """Broken links of the folder's pages; those of the API reference are pdoc's.

    ``absent``: pages that are known to be left out.
    """
    files = [path for path in out.rglob("*.html") if (out / "api") not in path.parents]
    anchors = {path.resolve(): _Read(path.read_text(encoding="utf-8")) for path in files}
    left = {(out / page).resolve() for page in absent}
    for path, read in anchors.items():
        for link in read.links:
            page, _, anchor = link.partition("#")
            to = (path.parent / page).resolve() if page else path
            if re.match(r"[a-z]+:", link) or to in left:
                continue
            if not to.exists() or (anchor and to in anchors and anchor not in anchors[to].ids):
                yield f"{path.relative_to(out.resolve())} to {link}"


def _write(writer: Environment, out: Path, page: str, **told: Any) -> None:
    common = {
        "up": "../" * page.count("/"), "here": page, "pages": list(_bar()), "preset": "",
        "done": 0, "missing": 0, "date": "", "lede": "", "body": "", "kind": "", "sections": (),
        "kinds": KINDS,
    }  # fmt: skip
    text = writer.get_template("site.html.j2").render({**common, **told})
    path = out / page
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text.encode())


def _bar() -> Iterator[tuple[str, str]]:
    yield "index.html", "Start"
    yield "tutorial.html", "Tutorial"
    yield from ((f"{kind}/index.html", title) for kind, title in KINDS.items())
    yield API, "API"


def _list(writer: Environment, out: Path, kind: str, members: list[CataloguePage]) -> None:
    lines = "".join(
        f'<tr><td class="key"><a href="{one.link.partition("/")[2]}">{one.name}</a></td>'
        f"<td>{one.lede}</td></tr>"
        for one in members
    )
    body = (
        '<div class="box" tabindex="0" role="region" aria-label="All"><table class="sorted whole">'
        f"<thead><tr><th>name</th><th>what it is</th></tr></thead><tbody>{lines}</tbody></table>"
        "</div>"
    )
    _write(writer, out, f"{kind}/index.html", title=KINDS[kind], body=body)


def _rendered(source: str, pages: dict[str, str], out: Path) -> tuple[str, str]:
    """Title and HTML of a Markdown file; links to files of the project go to their page."""
    markdown = MarkdownIt("commonmark").enable("table")
    tokens = markdown.parse((ROOT / source).read_text(encoding="utf-8"))
    title = next(t.content for t in tokens if t.type == "inline")
    for k, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", _anchor(tokens[k + 1].content))
        for child in token.children or ():
            for name in ("href", "src"):
                if name in child.attrs:
                    child.attrSet(name, _target(str(child.attrs[name]), source, pages, out))
    html = str(markdown.renderer.render(tokens[3:], markdown.options, {}))
    box = '<div class="box" tabindex="0" role="region" aria-label="Table"><table>'
    html = html.replace("<table>", box).replace("</table>", "</table></div>")
    return title, html.replace("<pre>", '<pre tabindex="0">')


def _anchor(heading: str) -> str:
    """Anchor as on GitHub."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _target(link: str, source: str, pages: dict[str, str], out: Path) -> str:
    if re.match(r"[a-z]+:|#", link):
        return link
    name, _, anchor = link.partition("#")
    path = ((ROOT / source).parent / name).resolve()
    if not path.exists():
        raise ValueError(f"{source} must point to files that are there, got {link}")
    place = path.relative_to(ROOT).as_posix()
    up = "../" * pages[source].count("/")
    if place in pages:
        return up + pages[place] + (f"#{anchor}" if anchor else "")
    if path.suffix == ".png":
        (out / "assets").mkdir(parents=True, exist_ok=True)
        write_atomically(out / "assets" / path.name, path.read_bytes())
        return f"{up}assets/{path.name}"
    return up + _copied(path, place, out)


def _copied(path: Path, place: str, out: Path) -> str:
    """A file of the project beside the pages, as text."""
    if path.is_dir():
        raise ValueError(f"pages must point to files, got the folder {place}")
    copy = out / "files" / f"{place}.txt"
    copy.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(copy, path.read_bytes())
    return copy.relative_to(out).as_posix()


class _Read(HTMLParser):
    """Links and anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids.add(values.get("id") or "")
        link = values.get("href") or values.get("src")
        if link:
            self.links.append(link)


if __name__ == "__main__":
    print(write_site(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "site"))
