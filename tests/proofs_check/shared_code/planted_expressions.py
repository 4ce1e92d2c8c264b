"""Faults planted as another expression in one function's own source."""

from __future__ import annotations
import __future__

import inspect
import sys
import textwrap
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

from proofs_check.verdict import Outcome, Verdict


def plant(monkeypatch: Any, owner: Any, name: str, before: str, after: str) -> None:
    """The function ``name`` of a class or module with ``after`` for the first ``before``; what it
    calls by name it finds as before."""
    own = inspect.getattr_static(owner, name)
    inner = own.func if isinstance(own, cached_property) else getattr(own, "fget", own)
    source = textwrap.dedent(inspect.getsource(inner))
    assert before in source, f"{before!r} is not in {name}"
    source = source.replace(before, after, 1).replace(f"def {name}(", f"def planted_{name}(", 1)
    body = textwrap.indent(f"{source}\nreturn planted_{name}", "    ")
    module = sys.modules[inner.__module__]
    flags = __future__.annotations.compiler_flag
    code = compile(f"def made(__class__):\n{body}", module.__file__ or "", "exec", flags=flags)
    spaces = dict(vars(module))
    exec(code, spaces)
    made = spaces["made"](owner)
    if isinstance(made, cached_property):
        made.__set_name__(owner, name)
    monkeypatch.setattr(owner, name, made)


def seen(check: Callable[[], Iterable[Verdict]]) -> bool:
    """Whether a check refutes or cannot be taken."""
    try:
        return any(verdict.outcome is Outcome.REFUTED for verdict in check())
    except Exception:  # of whatever kind, a planted fault is seen by it
        return True
