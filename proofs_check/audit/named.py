"""Audits by name or by object: compressors here and in another process, hooks on ranks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from proofs_check.audit.audit import Audit, Interrupted, audit
from proofs_check.audit.claims import Stated
from proofs_check.audit.cross_process import check_in_other_process
from proofs_check.audit.hooks import audit_hook
from proofs_check.audit.loading import imported
from proofs_check.audit.plan import Plan
from proofs_check.audit.subject import subject_of
from proofs_check.audit.torch_hooks import TORCH_HOOKS
from proofs_check.audit.user_hooks import hook_of
from proofs_check.verdict import Outcome

_RANKS = 2

Tell = Callable[[str], None]


def audit_named(
    name: str,
    stated: Stated,
    plan: Plan,
    ranks: int | None = None,
    matrix: bool = False,
    tell: Tell = lambda _: None,
    found: Tell = lambda _: None,
) -> Audit:
    """Audit MODULE:ATTRIBUTE or torch:HOOK; a hook on ``ranks`` ranks, torch's on one, others two.

    Raises:
        ValueError: it cannot be imported, or is nothing that compresses vectors.
        SubjectFault: it raises where it is made, or where it had taken such vectors before.
        Interrupted: Ctrl-C; carries what was finished.
    """
    module, _, attribute = name.partition(":")
    if module == "torch" and attribute in {hook.name for hook in TORCH_HOOKS}:
        return audit_hook(attribute, stated, plan, ranks or 1)
    try:
        thing = imported(name)
    except ValueError as error:
        hooks = f", or torch:HOOK; hooks are {', '.join(hook.name for hook in TORCH_HOOKS)}"
        raise ValueError(f"{error}{'' if attribute and module != 'torch' else hooks}") from error
    if hook_of(name, thing, matrix) is not None:
        return audit_hook(name, stated, plan, ranks or _RANKS, matrix)
    made = audit(subject_of(name, thing, matrix), stated, plan, tell, found)
    tell("another process")
    return _elsewhere(name, made, matrix)


def audit_object(
    thing: Any,
    stated: Stated,
    plan: Plan,
    ranks: int | None = None,
    matrix: bool = False,
    tell: Tell = lambda _: None,
    found: Tell = lambda _: None,
) -> Audit:
    """Audit an object; as :func:`audit_named` where it can be imported by a name of its own.

    Raises:
        ValueError: it is nothing that compresses vectors, or a hook that other processes cannot
            import.
        SubjectFault, Interrupted: as :func:`audit_named`.
    """
    name = _name_of(thing)
    if name:
        return audit_named(name, stated, plan, ranks, matrix, tell, found)
    title = getattr(thing, "__name__", type(thing).__name__)
    if hook_of(title, thing, matrix) is not None:
        raise ValueError(
            f"compressor is the DDP hook {title}, which is audited in processes that import it, "
            "and it has no name in a module; 'MODULE:ATTRIBUTE' would do"
        )
    return audit(subject_of(title, thing, matrix), stated, plan, tell, found)


def _name_of(thing: Any) -> str:
    """MODULE:ATTRIBUTE that imports this very object in any process; "" where there is none."""
    module, attribute = (getattr(thing, word, "") for word in ("__module__", "__qualname__"))
    if not module or not attribute or module == "__main__" or "<" in attribute:
        return ""
    name = f"{module}:{attribute}"
    try:
        return name if imported(name) is thing else ""
    except ValueError:
        return ""


def _elsewhere(name: str, found: Audit, matrix: bool) -> Audit:
    """The same with what another process gives."""
    dims = [one.d for one in found.measures]
    if not dims:
        return found
    try:
        return found.with_behaviour(check_in_other_process(name, dims, _repeats(found), matrix))
    except KeyboardInterrupt as stop:
        raise Interrupted(replace(found, complete=False)) from stop


def _repeats(found: Audit) -> bool:
    return any(
        verdict.check == "determinism" and verdict.outcome is Outcome.SUPPORTED
        for verdict in found.behaviour
    )
