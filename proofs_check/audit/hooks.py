"""torch's own DDP communication hooks as subjects, on the gloo ranks of this machine."""

from __future__ import annotations

from dataclasses import replace

import torch

from algorithms.network.launch import launch
from proofs_check.audit.arrays import TORCH
from proofs_check.audit.audit import Audit, Plan, audit
from proofs_check.audit.claims import Stated
from proofs_check.audit.subject import Function, Subject
from proofs_check.audit.torch_hooks import HookLine, torch_hook

_SEARCH = 1_500
RANKS = (1, 2)


def audit_hook(
    name: str, stated: Stated | None = None, plan: Plan | None = None, ranks: int = 1
) -> Audit:
    """Audit ``torch_hook(name)`` where every rank holds the same x.

    Raises:
        UnknownName: there is no such hook.
        ValueError: ranks < 1.
    """
    return audit_hooks((name,), stated, plan, ranks)[0]


def audit_hooks(
    names: tuple[str, ...],
    stated: Stated | None = None,
    plan: Plan | None = None,
    ranks: int = 1,
) -> list[Audit]:
    """Audits of several hooks, one after another on the same ranks."""
    for name in names:
        torch_hook(name)
    plan = plan or Plan()
    plan = replace(plan, search=min(plan.search, _SEARCH))
    found: list[Audit] = launch(_on_rank, names, stated, plan, ranks=ranks)[0]
    return found


def _on_rank(names: tuple[str, ...], stated: Stated | None, plan: Plan) -> list[Audit]:
    """Audits on rank 0; the others follow its calls."""
    found = []
    for name in names:
        line = HookLine(torch_hook(name))
        if line.rank != 0:
            line.follow()
            continue
        try:
            found.append(audit(_subject(name, line), stated, plan))
        finally:
            line.stop()
    return found


def _subject(name: str, line: HookLine) -> Subject:
    def fresh() -> Function:
        line.reset()
        return lambda x, seed: line(x)

    ranks = "1 rank" if line.ranks == 1 else f"{line.ranks} ranks"
    kind = f"DDP communication hook {line.hook.what}"
    told = f"takes torch tensors; gloo, {ranks}, torch {torch.__version__}"
    return Subject(f"torch:{name}", kind, fresh, True, TORCH, told)
