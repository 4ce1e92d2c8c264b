"""Counts of the start page: each says what it is of, and its parts sum to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, final

import pandas as pd

from algorithms.catalogue import ROWS
from experiments.listing.results import RESULTS
from experiments.reporting.table import headline
from experiments.reporting.verdict_lines import MEANINGS
from proofs_check.verdict import CheckKind, Outcome
from theory.survey.errata import ERRATA


@final
class Tally(NamedTuple):
    """A count and its parts.

    Attributes:
        of: what is counted.
        link: where all of it stands.
        parts: names and numbers; they sum to the total.
    """

    of: str
    link: str
    parts: tuple[tuple[str, int], ...]

    @property
    def total(self) -> int:
        """Sum of the numbers of all parts."""
        return sum(count for _, count in self.parts)


def verdict_tallies(table: pd.DataFrame) -> tuple[Tally, ...]:
    """All lines of the results table in groups: claims, planted faults, the identity."""
    claims = headline(table)
    planted = claims["check_kind"] == CheckKind.MUTANT
    beside = ~planted & (claims["verdict"] == Outcome.CAUGHT.value)
    identity = table.drop(claims.index)
    groups = (  # of which each line is in one
        ("claims of methods, operators, problems and networks", "rows.html",
         claims[~planted & ~beside]),
        ("faults planted on purpose, against checks", "faults.html", claims[planted]),
        ("faults planted in methods, against their effects", "rows.html", claims[beside]),
        ("messages that are not compressed and arrive as they are", "checks.html", identity),
    )  # fmt: skip
    return tuple(
        Tally(of, link, _parts(one["verdict"], MEANINGS)) for of, link, one in groups if len(one)
    )


def outcome_sum(tallies: Sequence[Tally], name: str) -> int:
    """How many there are of one part in all counts together."""
    return sum(dict(one.parts).get(name, 0) for one in tallies)


def other_tallies(
    table: pd.DataFrame, libraries: Sequence[Mapping[str, object]], figures: Mapping[str, int]
) -> tuple[Tally, ...]:
    """Counts of methods, effects, results, errata, library compressors and figures."""
    methods = [row for row in ROWS if row.kind == "method"]
    effects = table[table["check_kind"] == CheckKind.EFFECT]
    verdicts = dict(zip(effects["row"], effects["verdict"], strict=True))
    standing = [_effect(verdicts.get(row.key)) for row in methods]
    shown = {
        number.removeprefix("erratum ")
        for number, verdict in zip(table["check"], table["verdict"], strict=True)
        if str(number).startswith("erratum ") and verdict not in ("error", Outcome.REFUTED.value)
    }
    made, reproduced = figures["made"], figures["reproduced"]
    told = (
        Tally("methods, schedules and links in the catalogue", "rows.html", _parts(
            f"{row.kind} {'of a survey' if row.surveyed else 'since'}" for row in ROWS
        )),
        Tally("methods, by the effect that they were proposed for", "rows.html", _parts(standing)),
        Tally("theorems, orders and laws", "theorems.html",
              _parts(one.confidence.value for one in RESULTS.values())),
        Tally("wrong statements of the surveys", "errata.html", _parts(
            "shown by this survey's runs" if one.id in shown else "not run in this survey"
            for one in ERRATA
        )),
        Tally("audited compressors of public libraries", "faults.html#libraries", _parts(
            "break a claim made for them" if one["refuted"] else "break none" for one in libraries
        )),
        Tally("published figures made again", "figures.html#published", tuple(
            part for part in (("as printed", reproduced), ("not as printed", made - reproduced))
            if part[1]
        )),
    )  # fmt: skip
    return tuple(one for one in told if one.total)


def _effect(verdict: str | None) -> str:
    return "not measured in this survey" if verdict is None else f"effect {verdict}"


def _parts(names: Iterable[str], order: Iterable[str] = ()) -> tuple[tuple[str, int], ...]:
    """Numbers by name: those of ``order`` first, then the largest."""
    found = Counter(names)
    first = {name: found[name] for name in order if found[name]}
    return tuple((first | dict(found.most_common())).items())
