"""Domains of numbers on the command line: stated beside an option's type, held before a command.

Every command's function is held to them by one wrapper, :func:`within_domains`, so that a command
sees no number that is not finite, none that 64 bits do not hold, and none out of its domain.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Annotated, Any, final, get_args, get_origin

import typer


@final
@dataclass(frozen=True)
class Domain:
    """Numbers that an option takes.

    Attributes:
        least: the least of them.
        above: the number that they lie above.
        below: the number that they lie below.
        instead: what would do without the option.
    """

    least: float = -math.inf
    above: float = -math.inf
    below: float = math.inf
    instead: str = ""

    def __contains__(self, value: float) -> bool:
        return self.least <= value and self.above < value < self.below

    @property
    def words(self) -> str:
        """What would do, as a sentence ends."""
        if math.isfinite(self.below):
            return f"lie in ({self.above:g}, {self.below:g})"
        if math.isfinite(self.above):
            return "be positive and finite"
        return f"be at least {self.least:g}"


AtLeastOne, AtLeastTwo = Domain(least=1), Domain(least=2)
AtLeastFour, AtLeastEight, AtLeastHundred = Domain(least=4), Domain(least=8), Domain(least=100)
NotNegative, Above0, Share = Domain(least=0), Domain(above=0), Domain(above=0, below=1)

OfGamma = Domain(above=0, instead="without --gamma a theorem, or a cautious rule, sets it")

_BITS = 63
_LETTERS = ("n", "T", "d")  # options that are told of by their short names


def domain_of(annotation: Any) -> Domain | None:
    """The domain beside a type; None where none is stated."""
    return next((one for one in get_args(annotation)[1:] if isinstance(one, Domain)), None)


def declared(info: Any) -> tuple[str, ...]:
    """The words of an option, ``-T`` and ``--steps``; typer keeps the first as a default."""
    words = (getattr(info, "default", None), *(getattr(info, "param_decls", None) or ()))
    return tuple(one for one in words if isinstance(one, str) and one.startswith("-"))


def option_name(name: str, annotation: Any) -> str:
    """What sentences call an argument."""
    info = next((one for one in get_args(annotation)[1:] if hasattr(one, "param_decls")), None)
    return called(declared(info), name)


def called(words: Sequence[str], name: str) -> str:
    """An option's letter where that is the field's, else its long name."""
    spelt = [word.lstrip("-") for word in words if word.startswith("-")]
    for letter in _LETTERS:
        if letter in spelt:
            return letter
    return next((word for word in spelt if len(word) > 1), name)


def within_domains(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command, after its numbers are held to their domains: exit code 2 and a sentence else."""
    signature = inspect.signature(command, eval_str=True)
    kinds = {name: one.annotation for name, one in signature.parameters.items()}

    @wraps(command)
    def held(*args: Any, **options: Any) -> Any:
        for name, value in options.items():
            for one in value if isinstance(value, (list, tuple)) else (value,):
                told = _out_of_domain(name, one, kinds.get(name))
                if told:
                    from experiments.commands.console import BAD_INPUT, print_error

                    print_error(told)
                    raise typer.Exit(BAD_INPUT)
        return command(*args, **options)

    held.__signature__ = signature  # type: ignore[attr-defined]
    held.__annotations__ = kinds
    return held


def _out_of_domain(name: str, value: Any, annotation: Any) -> str:
    """A sentence on a number that the option does not take; empty where it takes it."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return ""
    shown = option_name(name, annotation)
    domain = domain_of(annotation) if get_origin(annotation) is Annotated else None
    if isinstance(value, float) and not math.isfinite(value):
        wanted = domain.words if domain else "be a finite number"
    elif isinstance(value, int) and name != "seed" and value.bit_length() > _BITS:
        wanted = f"fit into {_BITS + 1} bits"
    elif domain is not None and value not in domain:
        wanted = domain.words
    else:
        return ""
    tail = f"; {domain.instead}" if domain is not None and domain.instead else ""
    return f"{shown} must {wanted}, got {shown}={value}{tail}"
