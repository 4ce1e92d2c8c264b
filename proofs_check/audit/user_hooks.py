"""A user's own DDP communication hook, told from other callables by its arguments."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

from proofs_check.audit.loading import imported
from proofs_check.audit.torch_hooks import TorchHook, torch_hook

_BUCKET = "GradBucket"


def is_hook(thing: Any) -> bool:
    """Whether it is called as ``hook(state, bucket)``: by the second argument's name or type."""
    try:
        parameters = list(inspect.signature(thing).parameters.values())
    except (TypeError, ValueError):
        return False
    needed = [p for p in parameters if p.default is p.empty]
    if len(parameters) < 2 or len(needed) > 2:
        return False
    return parameters[1].name == "bucket" or _BUCKET in str(parameters[1].annotation)


def hook_of(name: str, thing: Any, matrix: bool = False) -> TorchHook | None:
    """The hook that ``thing`` is, None where it is none.

    A hook, a pair (state, hook), or a function without arguments that returns one of these. A state
    that is a class or a function without arguments is made anew where a fresh one is needed, else
    it is copied. ``matrix``: x is laid out as a matrix; PowerSGD's state asks for that itself.
    """
    if isinstance(thing, FunctionType) and not inspect.signature(thing).parameters:
        try:
            thing = thing()
        except Exception:  # a stranger's function may raise anything; it is no hook then
            return None
    if is_hook(thing):
        return TorchHook(name, f"{name}, state None", thing, None, matrix)
    if isinstance(thing, tuple | list) and len(thing) == 2 and is_hook(thing[1]):
        state, hook = thing
        make = _maker(state)
        matrix = matrix or hasattr(make(), "start_powerSGD_iter")
        what = f"{name}, state {getattr(state, '__name__', type(state).__name__)}"
        return TorchHook(name, what, hook, make, matrix)
    return None


def hook_named(name: str, matrix: bool = False) -> TorchHook:
    """A hook of torch, or MODULE:ATTRIBUTE.

    Raises:
        UnknownName: torch has no such hook.
        ValueError: it cannot be imported, or is no hook.
    """
    if ":" not in name:
        return torch_hook(name)
    found = hook_of(name, imported(name), matrix)
    if found is None:
        raise ValueError(
            f"{name} must be a DDP communication hook (state, bucket), a pair (state, hook), or a "
            "function without arguments that returns one of these"
        )
    return found


def _maker(state: Any) -> Callable[[], Any]:
    """Factory of fresh states."""
    if isinstance(state, type):
        return state
    if isinstance(state, FunctionType) and not inspect.signature(state).parameters:
        return state
    try:
        kept = copy.deepcopy(state)
    except Exception:  # whatever a stranger's __deepcopy__ raises: a process group, say
        return lambda: state
    return lambda: copy.deepcopy(kept)
