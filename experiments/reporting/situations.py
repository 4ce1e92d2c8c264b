"""The start page's table "which method, when": kept comparisons by what is scarce and by data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple, final

from experiments.compare.axes import AXES
from experiments.questions import kept

SCARCE = {
    AXES["bits"]: ("Slow network", "bits are what costs"),
    AXES["messages"]: ("Slow start-up of messages", "messages are what costs, of any length"),
    AXES["gradients"]: ("Fast network", "only gradients cost"),
    AXES["seconds"]: (
        "A straggler",
        "one worker is a thousand times slower; seconds are what costs",
    ),
}
"""Heading and explanation of a line of the table, by the axis of its contests."""

_PLAIN = ("BSP", "BSP, dense", "bsp-sgd")
_LEAST = 6  # methods of the smallest state that are named
_LEVEL = 3  # methods not told apart that are named


@final
class SituationPart(NamedTuple):
    """What one comparison says.

    Attributes:
        link: where it stands in the report.
        title: the question's part.
        setting: problem and size in words.
        best: the method ahead.
        level: those not told apart from it, as many as are named.
        others: how the rest stands, in words; empty where there is none.
    """

    link: str
    title: str
    setting: str
    best: str
    level: tuple[str, ...]
    others: str


@final
class Situation(NamedTuple):
    """A line of the table: same data for all workers, and data that differ.

    Attributes:
        name: what is scarce.
        about: in a sentence's part.
        alike: comparisons where workers have the same data.
        differ: those where they have not.
        both: those that do not depend on data.
    """

    name: str
    about: str
    alike: tuple[SituationPart, ...] = ()
    differ: tuple[SituationPart, ...] = ()
    both: tuple[SituationPart, ...] = ()


def situations(answers: Mapping[str, Mapping[str, Any]] | None = None) -> tuple[Situation, ...]:
    """The table's lines from the answers that are kept, nothing that no record says."""
    answers = kept.stored() if answers is None else answers
    titles = Counter(
        (record["axis"], record["alike"], record["title"])
        for answer in answers.values() for record in answer["parts"] if record["kind"] == "contest"
    )  # fmt: skip
    contests: dict[str, dict[bool, list[SituationPart]]] = {}
    floors: list[SituationPart] = []
    states: list[SituationPart] = []
    for key, answer in answers.items():
        for number, record in enumerate(answer["parts"], start=1):
            link = f"questions.html#{kept.anchor(key, number)}"
            if record["kind"] == "contest" and record["alike"] is not None:
                mine = contests.setdefault(record["axis"], {True: [], False: []})
                twin = titles[record["axis"], record["alike"], record["title"]] > 1
                mine[record["alike"]].append(_contest(link, record, with_budget=twin))
            elif record["kind"] == "sweep":
                floors.append(_sweep(link, record))
            elif record["kind"] == "state":
                states.append(_state(link, record))
    lines = [
        Situation(*words, tuple(contests[axis][True]), tuple(contests[axis][False]))
        for axis, words in SCARCE.items()
        if axis in contests
    ]
    if floors:
        about = "the stepsize stays as it is, and no noise hides what is left"
        lines.append(Situation("An exact answer", about, differ=tuple(floors)))
    if states:
        about = "numbers that stay in memory between two steps"
        lines.append(Situation("Little memory", about, both=tuple(states)))
    return tuple(lines)


def _contest(link: str, record: Mapping[str, Any], with_budget: bool) -> SituationPart:
    best, *rest = record["rows"]
    level = [one["name"] for one in rest if one["verdict"].startswith("not")]
    worse = [one for one in rest if one["verdict"] == "worse"]
    plain = next((one for one in worse if one["name"] in _PLAIN), None)
    told = [f"next {_behind(worse[0])}"] if worse else []
    if plain is not None and plain is not worse[0]:
        told.append(_behind(plain))
    if worse and worse[-1] is not worse[0] and worse[-1] is not plain:
        told.append(f"last of {len(record['rows'])} {_behind(worse[-1])}")
    title = record["title"]
    if with_budget:
        title += f", {kept.number(record['budget'])} {record['axis']}"
    return SituationPart(
        link, title, _setting(record), best["name"], _some(level, _LEVEL), "; ".join(told)
    )


def _behind(one: Mapping[str, Any]) -> str:
    """A method with its error, as a multiple of the best's where that is a measure."""
    words = kept.beside(one)
    return f"{one['name']} ({words.replace('x ', '× ') if 'x' in words else f'error {words}'})"


def _sweep(link: str, record: Mapping[str, Any]) -> SituationPart:
    exact, left, gone = kept.floors(record)
    worst = max(left, key=lambda one: one[2], default=None)
    told = []
    if worst is not None:
        ends = f"{kept.number(worst[1])} to {kept.number(worst[2])}"
        told.append(f"most is left by {worst[0]}: {ends}")
    if gone:
        told.append(f"diverged at some value: {', '.join(gone)}")
    first, *more = exact or ["none"]
    return SituationPart(
        link, record["title"], _setting(record), first, tuple(more), "; ".join(told)
    )


def _state(link: str, record: Mapping[str, Any]) -> SituationPart:
    held = [(one["name"], one["own"] + one["common"]) for one in record["rows"]]
    least = held[0][1]
    first = [name for name, count in held if count == least]
    most = held[-1]
    others = f"most of {len(held)}: {most[0]}, {most[1]:g}"
    return SituationPart(
        link, f"{least:g} {record['title']}", _setting(record), first[0],
        _some(first[1:], _LEAST), others,
    )  # fmt: skip


def _setting(record: Mapping[str, Any]) -> str:
    return f"{record['problem']}, n = {record['n']}"


def _some(names: list[str], most: int) -> tuple[str, ...]:
    """The first names, and how many more there are."""
    more = len(names) - most
    return (*names[:most], f"{more} more") if more > 0 else tuple(names)
