"""Options that all commands have by one mechanism, and names that options had before."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Annotated, Any, NoReturn, final

import typer
from typer.core import TyperCommand, TyperGroup

from algorithms.core.names import UnknownName, look_up
from experiments.cli.domains import called
from experiments.processes.loading import begun

RENAMED = {
    "survey": {"--workers": "--processes"},
    "sweep": {"--workers": "--processes"},
    "refute": {"--workers": "--processes"},
    "timeline": {"-s": "--schedule"},
    "audit": {"--d": "--dimension"},
}
"""By command, names that options had; each still works, and says what it is called now."""

TABULAR = frozenset((
    "advise", "assumptions", "audit", "check", "compare", "crossval", "errata", "figure", "figures",
    "list", "power", "predict", "question", "run", "scaling", "table", "theorem", "topologies",
    "worst-case",
))  # fmt: skip
"""Commands that print tables: they take ``--tsv`` and ``--wide``."""


_BAD_INPUT = 2  # as of all commands, which are not loaded for it
_USAGE: Any = typer.BadParameter.__base__  # of the click that typer brings
_Tsv = Annotated[
    bool, typer.Option("--tsv", help="Tables as lines with tabs, nothing else on standard output.")
]
_Wide = Annotated[
    bool, typer.Option("--wide", help="Tables as wide as they need be, whatever the terminal is.")
]


@final
class CommandWithOldOptions(TyperCommand):
    """A command that knows the old names of its options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As typer does, after old names of options became the present ones; what cannot be read is
        told of as every other error is, a number with its value, which typer's sentence lacks."""
        words = present(self.name or "", args)
        try:
            return super().parse_args(ctx, list(words))
        except _USAGE as error:
            number = isinstance(error, typer.BadParameter) and unread(error, words)
            _refuse(number or _sentence(ctx, error))


@final
class CommandsByName(TyperGroup):
    """All commands; a name that none of them has is told of as every other error is."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As typer does; an option that does not exist is told of in one sentence."""
        nothing = not args  # typer takes words out
        try:
            return super().parse_args(ctx, args)
        except _USAGE as error:
            if nothing:
                raise  # this prints the help
            _refuse(_sentence(ctx, error))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """As typer does; an unknown name is told of with the nearest ones."""
        try:
            look_up("command", args[0], self.commands)
        except UnknownName as error:
            _refuse(f"{error}; {ctx.command_path} -h lists all")
        return super().resolve_command(ctx, args)


def _sentence(ctx: Any, error: Any) -> str:
    """What typer says, as one sentence of ours."""
    told = str(error.format_message()).rstrip(".")
    return f"{told[:1].lower()}{told[1:]}; {ctx.command_path} -h says more"


def _refuse(told: str) -> NoReturn:
    """End a command that cannot begin, and say why."""
    begun()
    print(f"error: {told}", file=sys.stderr)
    raise typer.Exit(_BAD_INPUT)


def unread(error: Any, words: Sequence[str]) -> str:
    """A sentence on the number of an option that cannot be read; empty where it is none."""
    spelt = tuple(getattr(error.param, "opts", ()))
    whole = "integer" in error.message
    if not spelt or not (whole or "number" in error.message):
        return ""
    for at, word in enumerate(words):
        name, sign, value = word.partition("=")
        if not word.startswith("--") and word[:2] in spelt:
            name, sign, value = word[:2], word[2:], word[2:].removeprefix("=")
        if name not in spelt:
            continue
        value = value if sign else "".join(words[at + 1 : at + 2])
        if not _reads(value, whole):
            kind = "a whole number" if whole else "a number"
            shown = called(spelt, error.param.name)
            return f"{shown} must be {kind}, got {shown}={value}"
    return ""


def _reads(value: str, whole: bool) -> bool:
    try:
        int(value) if whole else float(value)
    except ValueError:
        return False
    return True


def present(command: str, args: Sequence[str]) -> list[str]:
    """The words with present names of options; a note on standard error for each old one."""
    known, found = RENAMED.get(command, {}), []
    for word in args:
        name, sign, value = word.partition("=")
        if name in known:
            from experiments.commands.console import print_note

            print_note(f"{name} of {command} is called {known[name]} now")
            name = known[name]
        found.append(name + sign + value)
    return found


def _print_schema(ctx: typer.Context, asked: bool) -> None:
    if asked:
        from experiments.commands.console import dump
        from experiments.outputs.schema import schema_of

        dump(schema_of(str(ctx.command.name)))
        raise typer.Exit


_Schema = Annotated[
    bool,
    typer.Option(
        "--json-schema", is_eager=True, callback=_print_schema,
        help="Print the JSON Schema of what --json prints, and end.",
    ),
]  # fmt: skip


def prints_json(command: Callable[..., Any]) -> bool:
    """Whether the command takes ``--json``."""
    return "as_json" in inspect.signature(command).parameters


def with_schema(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command with ``--json-schema``."""

    @wraps(command)
    def told(*args: Any, json_schema: bool, **options: Any) -> Any:
        return command(*args, **options)

    return _with_options(told, command, (("json_schema", _Schema),))


def with_tables(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command with ``--tsv`` and ``--wide``, which hold for all tables that it prints."""

    @wraps(command)
    def told(*args: Any, tsv: bool, wide: bool, **options: Any) -> Any:
        from experiments.commands.grid import LAYOUT

        LAYOUT.tsv, LAYOUT.wide = tsv, wide
        try:
            return command(*args, **options)
        finally:  # another command in the same process has wishes of its own
            LAYOUT.tsv = LAYOUT.wide = False

    return _with_options(told, command, (("tsv", _Tsv), ("wide", _Wide)))


def _with_options(
    told: Callable[..., Any], command: Callable[..., Any], added: Sequence[tuple[str, Any]]
) -> Callable[..., Any]:
    """``told`` with the signature of ``command`` and further flags."""
    mine = inspect.signature(command, eval_str=True)
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=kind)
        for name, kind in added
    ]
    told.__signature__ = mine.replace(  # type: ignore[attr-defined]
        parameters=[*mine.parameters.values(), *more]
    )
    told.__annotations__ = {p.name: p.annotation for p in (*mine.parameters.values(), *more)}
    return told
