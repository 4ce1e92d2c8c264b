"""The literature as BibTeX: one entry a paper, in ``references.bib`` beside this file.

An entry's ``keywords`` name the rows of the survey that the paper proposes, or ``data:NAME`` for a
data set; they are ours and are not printed. The file is written one field a line: a stray brace is
an error with its line, not a lost entry, and so is a comma that is missing between two fields.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import final

from bibtexparser.entrypoint import parse_string
from bibtexparser.model import Entry

from theory.claims import Source

ARXIV = re.compile(r"(?<![\d.])(\d{2}(?:0[1-9]|1[0-2])\.\d{4,5})(?![\d.]*\d)")
"""An arXiv id of 2007 and later, wherever it stands in a text."""

_VENUE = {"article": "journal", "inproceedings": "booktitle", "misc": "howpublished"}
_PRINTED = ("author", "title", *_VENUE.values(), "year", "eprint", "archiveprefix")
_NO_MARK = str.maketrans("łŁøØ", "lLoO")


@final
@dataclass(frozen=True)
class Reference:
    """One entry.

    Attributes:
        key: by which LaTeX calls it.
        kind: article, inproceedings or misc.
        fields: what it says, by the name of the field.
    """

    key: str
    kind: str
    fields: Mapping[str, str]

    @property
    def authors(self) -> tuple[str, ...]:
        """Their names as the entry has them."""
        return tuple(self.fields["author"].split(" and "))

    @property
    def eprint(self) -> str:
        """The arXiv id; empty: none."""
        return self.fields.get("eprint", "")

    @property
    def years(self) -> frozenset[int]:
        """The year it was published in, and the year of the preprint."""
        mine = {int(self.fields["year"])}
        return frozenset(mine | ({2000 + int(self.eprint[:2])} if self.eprint else set()))

    @property
    def keywords(self) -> tuple[str, ...]:
        """Keys of the rows that it proposes, and ``data:NAME``."""
        return tuple(self.fields.get("keywords", "").replace(",", " ").split())

    def begins_with(self, surnames: str) -> bool:
        """Whether the first of ``surnames`` (``"Koloskova, Stich"``, ``"Ho et al."``) is the name
        that its first author has last; accents are no difference."""
        first = surnames.partition(",")[0].removesuffix(" et al.")
        return _bare(self.authors[0]).endswith(_bare(first))

    def bibtex(self) -> str:
        """The entry as LaTeX takes it."""
        lines = [f"  {name} = {{{self.fields[name]}}}," for name in _PRINTED if name in self.fields]
        return "\n".join((f"@{self.kind}{{{self.key},", *lines, "}"))


def _bare(name: str) -> str:
    """Small letters without accents, with a space ahead so that whole words are compared."""
    parts = unicodedata.normalize("NFKD", name.translate(_NO_MARK).strip("{} ").lower())
    return " " + "".join(letter for letter in parts if not unicodedata.combining(letter))


def read_bibtex(text: str) -> tuple[Reference, ...]:
    """Entries of a file that has one field a line, as ``references.bib`` is written.

    Raises:
        ValueError: what is no entry or no field of one, an entry without author, title, year or
            venue, braces that do not match, or a key or an arXiv id that occurs twice.
    """
    found: dict[str, Reference] = {}
    for block in parse_string(text).blocks:
        line = (block.start_line or 0) + 1
        if not isinstance(block, Entry):
            error = getattr(block, "error", "this is none")
            why = getattr(error, "abort_reason", error)
            raise ValueError(f"line {line} must begin an entry: {why}; got {block.raw!r}")
        for field in block.fields:
            if "\n" in field.value:
                at = (field.start_line or 0) + 1
                raise ValueError(f"line {at} must end with '}},', got {field.value!r}")
        fields = {field.key: field.value for field in block.fields}
        _add(found, Reference(block.key, block.entry_type, fields), line)
    return tuple(found.values())


def _add(found: dict[str, Reference], one: Reference, number: int) -> None:
    needed = {"author", "title", "year", *({_VENUE.get(one.kind, "a known kind")})}
    lacking = needed - one.fields.keys() - ({"howpublished"} if one.eprint else set())
    if lacking:
        raise ValueError(f"line {number}: {one.key} lacks {', '.join(sorted(lacking))}")
    if not re.fullmatch(r"\d{4}", one.fields["year"]):
        raise ValueError(f"line {number}: year must have four digits, got {one.fields['year']!r}")
    if one.eprint and not ARXIV.fullmatch(one.eprint):
        raise ValueError(f"line {number}: eprint must be an arXiv id, got {one.eprint!r}")
    if one.key in found or (one.eprint and one.eprint in {r.eprint for r in found.values()}):
        raise ValueError(f"line {number}: {one.key} or its eprint is there already; once would do")
    found[one.key] = one


REFERENCES: tuple[Reference, ...] = read_bibtex(
    files("theory.survey").joinpath("references.bib").read_text(encoding="utf-8")
)
"""Every paper that the code names, by first author and year."""

_BY_EPRINT = {one.eprint: one for one in REFERENCES if one.eprint}


def reference_of(source: Source) -> Reference | None:
    """The entry of a source; None for what is no publication (its year is 0).

    Raises:
        LookupError: there is no such entry, or several.
    """
    if not source.year:
        return None
    if source.arxiv:
        return reference_of_eprint(source.arxiv)
    mine = [
        one
        for one in REFERENCES
        if not one.eprint and source.year in one.years and one.begins_with(source.authors)
    ]
    if len(mine) != 1:
        raise LookupError(
            f"{source} must have one entry without eprint in theory/survey/references.bib, got "
            f"{', '.join(one.key for one in mine) or 'none'}"
        )
    return mine[0]


def reference_of_eprint(arxiv: str) -> Reference:
    """The entry of an arXiv id.

    Raises:
        LookupError: there is none.
    """
    if arxiv not in _BY_EPRINT:
        raise LookupError(f"no entry of theory/survey/references.bib has eprint = {{{arxiv}}}")
    return _BY_EPRINT[arxiv]


def references_for(keyword: str) -> tuple[Reference, ...]:
    """The papers that propose a row, or ``data:NAME``'s."""
    return tuple(one for one in REFERENCES if keyword in one.keywords)
