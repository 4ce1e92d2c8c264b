"""Command lines: drawn from the commands' own options, one value spoilt in half of them."""

from __future__ import annotations

import inspect
import itertools
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, get_args, get_origin

import typer
from hypothesis import strategies as st

from experiments.cli.domains import declared, domain_of, option_name
from experiments.cli.examples import EXAMPLES
from experiments.cli.main import app
from tests.experiments.calls import call
from tests.inputs import names
from tests.inputs.drawn import Drawn

ALWAYS = frozenset(("quick", "listed", "only_list", "plan"))
"""Switches that make a command short, by name; sound lines of a command that has one always have
it, since it would take minutes without."""

SMALL: dict[str, float] = {
    "n": 4, "workers": 4, "steps": 8, "replicas": 4, "budget": 0.3, "samples": 100, "simulated": 4,
    "most": 8, "repeats": 1, "processes": 1, "mutants": 1, "attack": 0.3, "values": 8,
    "ranks": 2, "d": 8,
}  # fmt: skip
"""Small numbers of what makes runs long; they are always given."""

READ = ("data", "matrix", "study", "report")
"""Paths that are read and must be there."""


@dataclass(frozen=True)
class Option:
    """An argument or option of a command, as its function states it."""

    command: str
    name: str
    kind: type
    flags: tuple[str, ...]
    required: bool
    many: bool
    unset: bool
    annotation: Any

    @property
    def told(self) -> tuple[str, ...]:
        """Words of which a sentence must have one to name it."""
        spelt = [word.lstrip("-") for word in self.flags]
        long = [self.name, self.name.rstrip("s"), option_name(self.name, self.annotation)]
        return tuple({*long, *(word for word in spelt if len(word) > 1), *self.flags})

    @property
    def known(self) -> tuple[str, ...]:
        """Names that it takes, where it takes names."""
        own = names.OF_COMMAND.get((self.command, self.name), names.KNOWN.get(self.name, ()))
        return tuple(own) or shown_in_examples(self)


@cache
def commands() -> dict[str, tuple[Option, ...]]:
    """Every command's options."""
    return {name: tuple(_options(name, function)) for name, function in sorted(_walked(app))}


def _walked(group: typer.Typer) -> Iterator[tuple[str, Callable[..., Any]]]:
    for one in group.registered_commands:
        assert one.callback is not None
        yield one.name or one.callback.__name__, one.callback
    for inner in group.registered_groups:
        assert inner.typer_instance is not None
        yield from _walked(inner.typer_instance)


def _options(command: str, function: Callable[..., Any]) -> Iterator[Option]:
    for name, one in inspect.signature(function).parameters.items():
        base, *more = get_args(one.annotation)
        info = next(m for m in more if hasattr(m, "param_decls"))
        words = declared(info)
        if not words and isinstance(info, typer.models.OptionInfo):
            words = ("--" + name.replace("_", "-"),)
        kinds = [a for a in (base, *get_args(base)) if isinstance(a, type) and a is not type(None)]
        many = any(get_origin(a) is list for a in (base, *get_args(base)))
        inner = [b for a in (base, *get_args(base)) if get_origin(a) is list for b in get_args(a)]
        kind = (inner or [a for a in kinds if get_origin(a) is None])[0]
        yield Option(
            command,
            name,
            kind,
            words,
            one.default is one.empty,
            many,
            one.default is None,
            one.annotation,
        )


@cache
def shown_in_examples(option: Option) -> tuple[str, ...]:
    """Values that the examples of the command's help have of it, files and one's own apart."""
    found = []
    for line in EXAMPLES.get(option.command, ()):
        words = shlex.split(line)[1:]
        values = (
            [after for word, after in itertools.pairwise(words) if word in option.flags]
            if option.flags
            else [word for word in words[:1] if not word.startswith("-")]
        )
        found += [v for v in values if ":" not in v and "." not in v and not v.isupper()]
    return tuple(found)


def sound(option: Option, room: Path) -> st.SearchStrategy[str] | None:
    """Values that it takes; None where nothing is known of them."""
    domain = domain_of(option.annotation)
    if (option.command, option.name) in names.OF_COMMAND:
        return st.sampled_from(option.known) if option.known else None
    if option.name in SMALL:
        return st.just(
            f"{SMALL[option.name]:g}" if option.kind is float else str(round(SMALL[option.name]))
        )
    if option.kind is int:
        least = max(round(domain.least), 1) if domain and domain.least > -9 else 1
        return st.integers(least, least + 3).map(str)
    if option.kind is float:
        return st.floats(0.01, 0.9).map("{:.3g}".format)
    if option.kind is Path:
        if option.name in READ:
            there = room / "study.toml" if option.name == "study" else room
            return st.just(str(there)) if option.required else None
        return st.just(str(room / "out"))
    return st.sampled_from(option.known) if option.known else None


def spoilt(option: Option, room: Path) -> st.SearchStrategy[str] | None:
    """Values that it does not take; None where it takes any word."""
    domain = domain_of(option.annotation)
    if option.kind in (int, float):
        words = [*names.NO_NUMBER, *(names.NOT_WHOLE if option.kind is int else names.NOT_FINITE)]
        if option.kind is int and option.name != "seed":
            words += names.TOO_LARGE
        if domain is not None:
            edge = [v for v in (-1, 0, 1, domain.least - 1, domain.below) if v not in domain]
            words += [f"{v:g}" for v in edge if abs(v) < 1e9]
        return st.sampled_from(words)
    if option.kind is Path:
        if option.name in READ:
            return st.just(str(room / "nowhere"))
        return st.just(str(room / "file" / "below"))
    return st.sampled_from(names.UNKNOWN) if option.known else None


@st.composite
def lines(
    draw: st.DrawFn, room: Path, only: tuple[str, ...] = (), *, sound_too: bool = True
) -> Drawn:
    """A command line; without ``sound_too`` one with a spoilt value."""
    command = draw(st.sampled_from(only or tuple(commands())))
    options = [one for one in commands()[command] if one.kind is not bool]
    flags = [one for one in commands()[command] if one.kind is bool and one.flags]
    spoil = not sound_too or draw(st.booleans())
    bad = (
        draw(st.sampled_from([o for o in options if spoilt(o, room) is not None]))
        if spoil
        else None
    )
    words, value, guessed = [], "", False
    for option in options:
        if option is bad:
            value = draw(spoilt(option, room))
            words += _typed(option, value)
            continue
        kept = (
            option.required
            or (option.name in SMALL and not option.unset)
            or (not option.flags and option.known)
            or (command, option.name) in names.OF_COMMAND
        )
        strategy = sound(option, room)
        if strategy is not None and (kept or (not spoil and draw(st.booleans()))):
            count = 2 if option.many and option.required else 1
            values = [draw(strategy) for _ in range(count)]
            words += [w for one in values for w in _typed(option, one)]
            guessed |= len({*values}) < count  # no two rows may be alike
            guessed |= (command, option.name) in names.LACKING
        elif option.required:
            words, guessed = [*words, *_typed(option, "nosuch")], True
    words += [f.flags[0] for f in flags if f.name in ALWAYS and not spoil]
    words += [f.flags[0] for f in flags if f.name in ("as_json", "tsv") and draw(st.booleans())]
    run = partial(call, command, *words)
    told = () if bad is None else bad.told
    if guessed and bad is not None:  # two are spoilt: a sentence on either would do
        told, value = ("",), ""
    return Drawn("command", shlex.join(["rateproof", command, *words]), run, told, value)


def _typed(option: Option, value: str) -> list[str]:
    if not option.flags:
        return [value]
    return (
        [f"{option.flags[-1]}={value}"]
        if option.flags[-1].startswith("--")
        else [option.flags[0], value]
    )
