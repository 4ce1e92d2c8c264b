"""Subject of an audit: any compressor, made fresh where that can be done."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.core.key import Key
from proofs_check.audit.arrays import BOTH, TORCH, Arrays
from proofs_check.audit.calls import Form, form_of, of_matrices
from proofs_check.audit.faults import SubjectFault, exits, first_line, place_of, takes_nothing
from proofs_check.audit.randomness import undisturbed

Function = Callable[[Any, int], Any]


@final
@dataclass(frozen=True)
class Subject:
    """A compressor x -> x_hat as ``fresh()`` gives it; a function also takes a seed, at its will.

    ``renewable`` says whether fresh() gives one that remembers nothing; ``arrays`` what it takes;
    ``description`` what was found out about that; ``operator`` itself, where it is one of ours;
    ``form()`` a fresh one with its messages, where it is not; ``announce`` is told the rows
    ``[P, d]`` and seeds of the next P calls, where that saves something.

    Attributes:
        name: what verdicts call it.
        kind: a function, a pair, a class, a hook or an operator.
    """

    name: str
    kind: str
    fresh: Callable[[], Function]
    renewable: bool
    arrays: Arrays
    description: str
    operator: Compressor | None = None
    form: Callable[[], Form] | None = None
    announce: Callable[[Tensor, Sequence[int]], None] | None = None


def subject_of(name: str, thing: Any, matrix: bool = False) -> Subject:
    """Auditable subject of ``thing``: its form, its arrays, and whether it can be made anew.

    A callable x -> x_hat, a pair (compress, decompress), an instance or a class with these
    methods (classes are made without arguments), a factory without arguments, or a Compressor.
    ``matrix``: it is given x as the most nearly square matrix.

    Raises:
        ValueError: it is none of them.
        SubjectFault: it takes neither numpy arrays nor torch tensors, or raises where it is made.
    """
    try:
        with undisturbed():
            return _found(name, thing, matrix)
    except Exception as error:  # a stranger's code may raise anything where it is made
        place = place_of(error)
        if place is None:
            raise
        description = first_line(error)
        raise SubjectFault(f"{name} raises {description} where it is made ({place})") from error


def _found(name: str, thing: Any, matrix: bool) -> Subject:
    as_given = of_matrices if matrix else form_of
    make = _maker(name, thing)
    first = _made(make) if make is not None else thing
    if isinstance(first, Compressor):
        return _own(name, first)
    form = as_given(first)
    kind = form.kind
    if make is None:
        make = _copies(thing)
    made = make

    def forms() -> Form:
        return form if made is None else as_given(_made(made))

    arrays, description = _arrays(name, lambda: _function(forms().call))
    fresh = _fresh(form) if made is None else lambda: _function(forms().call)
    return Subject(name, kind, fresh, made is not None, arrays, description, form=forms)


def _maker(name: str, thing: Any) -> Callable[[], Any] | None:
    """Factory of instances: a class, or a function without arguments."""
    if isinstance(thing, type):
        try:
            _made(thing)
        except TypeError as error:
            raise ValueError(
                f"{name} is a class that needs arguments ({error}); an instance, or a function "
                "without arguments that returns one, would do"
            ) from error
        return thing
    if isinstance(thing, FunctionType) and not inspect.signature(thing).parameters:
        return thing
    return None


def _made(make: Callable[[], Any]) -> Any:
    """Instance it makes; :mod:`faults` knows this call, and that of :func:`_answer`, by name."""
    try:
        return make()
    except (Exception, KeyboardInterrupt):
        raise
    except BaseException as stop:
        raise exits(stop) from None


def _copies(thing: Any) -> Callable[[], Any] | None:
    """Copies of an instance as it is now; nothing where it cannot be copied."""
    try:
        kept = copy.deepcopy(thing)
    except Exception:  # whatever a stranger's __deepcopy__ raises
        return None
    if kept is thing or isinstance(thing, FunctionType):
        return None
    return lambda: copy.deepcopy(kept)


def _function(call: Callable[[Any], Any]) -> Function:
    return lambda x, seed: call(x)


def _fresh(form: Form) -> Callable[[], Function]:
    function = _function(form.call)
    return lambda: function


def _own(name: str, compressor: Compressor) -> Subject:
    def compress(x: Tensor, seed: int) -> Tensor:
        draws = Key.seed(seed).draws(torch.tensor(0), torch.zeros(1, dtype=torch.int64))
        return compressor.compress(x[None], draws)[0]

    kind = f"Compressor {compressor.name}"
    return Subject(name, kind, lambda: compress, True, TORCH, "takes torch tensors", compressor)


def _arrays(name: str, fresh: Callable[[], Function]) -> tuple[Arrays, str]:
    """Array type it takes, by trying: first one that it also returns."""
    answers: list[tuple[Arrays, bool]] = []
    troubles: dict[str, Exception] = {}
    for arrays in BOTH:
        for d in (16, 1000, 100, 4, 20, 1):
            x = torch.linspace(-1.5, 2, d, dtype=torch.float32)
            try:
                answers.append((arrays, arrays.owns(_answer(fresh, arrays.give(x)))))
                break
            except Exception as error:  # a stranger's code may raise anything
                trouble = error
        else:
            troubles[arrays.name] = trouble
    if not answers:
        raise takes_nothing(name, troubles)
    chosen, kept = max(answers, key=lambda answer: answer[1])
    description = " and ".join(arrays.plural for arrays, _ in answers)
    used = f"; audited with {chosen.plural}" if len(answers) > 1 else ""
    returned = "" if kept else ", but returns another kind"
    return chosen, f"takes {description}{used}{returned}"


def _answer(fresh: Callable[[], Function], given: Any) -> Any:
    """Output of a fresh instance."""
    try:
        return fresh()(given, 0)
    except (Exception, KeyboardInterrupt):
        raise
    except BaseException as stop:
        raise exits(stop) from None
