"""DDP communication hooks as subjects, torch's own and a user's, on gloo ranks of this machine."""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from typing import Any, final

import torch
from torch import Tensor

from algorithms.network.launch import launch
from proofs_check.audit.arrays import TORCH
from proofs_check.audit.audit import Audit, Interrupted, audit
from proofs_check.audit.calls import Form
from proofs_check.audit.claims import Stated
from proofs_check.audit.hook_ranks import check_ranks
from proofs_check.audit.plan import Plan
from proofs_check.audit.reporting import ProgressLine, Reporter
from proofs_check.audit.subject import Function, Subject
from proofs_check.audit.torch_hooks import HookLine
from proofs_check.audit.user_hooks import hook_named

_SEARCH = 1_500
RANKS = (1, 2)


def audit_hook(
    name: str,
    stated: Stated | None = None,
    plan: Plan | None = None,
    ranks: int = 1,
    matrix: bool = False,
) -> Audit:
    """Audit ``hook_named(name, matrix)`` where every rank holds the same x.

    Raises:
        UnknownName: torch has no such hook.
        ValueError: ranks < 1, or MODULE:ATTRIBUTE is no hook.
        Interrupted: Ctrl-C; carries what was finished.
    """
    return audit_hooks((name,), stated, plan, ranks, matrix)[0]


def audit_hooks(
    names: tuple[str, ...],
    stated: Stated | None = None,
    plan: Plan | None = None,
    ranks: int = 1,
    matrix: bool = False,
) -> list[Audit]:
    """Audits of several hooks, one after another on the same ranks.

    Raises:
        Interrupted: Ctrl-C came; carries what was finished.
    """
    for name in names:
        hook_named(name, matrix)
    plan = plan or Plan()
    # all ranks draw alike, so that no clock of one of them may decide how much
    plan = replace(plan, search=min(plan.search, _SEARCH), seconds=math.inf)
    with _ctrl_c_to_ranks():
        found, complete = launch(_on_rank, names, stated, plan, matrix, ranks=ranks, fresh=True)[0]
    if not complete:
        raise Interrupted(found[-1])
    audits: list[Audit] = found
    return audits


@contextmanager
def _ctrl_c_to_ranks() -> Iterator[None]:
    """Inside, Ctrl-C is the ranks': they end in order and hand back what was finished.

    The second one ends all, as ever.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []

    def forward(number: int, frame: Any) -> None:
        if came:
            signal.default_int_handler(number, frame)
        came.append(number)
        for child in multiprocessing.active_children():
            if child.pid is not None:
                os.kill(child.pid, signal.SIGINT)

    kept = signal.signal(signal.SIGINT, forward)
    try:
        yield
    except Exception as error:
        if came:  # too early for the ranks to say anything
            raise KeyboardInterrupt from error
        raise
    finally:
        signal.signal(signal.SIGINT, kept)


@final
class _Asked:
    """Whether Ctrl-C came: rank 0 looks between calls of the hook, others leave it to rank 0."""

    def __init__(self, rank: int) -> None:
        self.came = False
        signal.signal(signal.SIGINT, self._note if rank == 0 else signal.SIG_IGN)

    def _note(self, number: int, frame: Any) -> None:
        self.came = True

    def look(self) -> None:
        """Raises KeyboardInterrupt if it came."""
        if self.came:
            raise KeyboardInterrupt


def _on_rank(
    names: tuple[str, ...], stated: Stated | None, plan: Plan, matrix: bool
) -> tuple[list[Audit], bool]:
    """Audits on rank 0, and whether all are complete; the other ranks follow its calls."""
    found: list[Audit] = []
    complete = True
    with redirect_stdout(sys.stderr):  # a stranger's hook may print
        for name in names:
            line = HookLine(hook_named(name, matrix))
            asked = _Asked(line.rank)
            if line.rank != 0:
                line.follow()
                continue
            try:
                if complete:
                    found.append(_audited(name, line, asked, stated, plan))
            except Interrupted as stop:
                found.append(stop.found)
                complete = False
            finally:
                line.stop()
    return found, complete


def _audited(name: str, line: HookLine, asked: _Asked, stated: Stated | None, plan: Plan) -> Audit:
    subject = _subject(name, line, asked)
    tell = ProgressLine(sys.stderr)
    try:
        found = audit(subject, stated, plan, tell, tell.found)
        if not found.runs:
            return found
        tell("ranks that hold different gradients")
        speaker = Reporter(subject.name, f"gloo, {line.ranks} ranks")
        return found.with_behaviour(*check_ranks(line, speaker, found.random))
    finally:
        tell.clear()


def _subject(name: str, line: HookLine, asked: _Asked) -> Subject:
    def fresh() -> Function:
        line.reset()
        return lambda x, seed: call(x, seed)

    def call(x: Tensor, seed: int = 0) -> Tensor:
        asked.look()
        return line(x, seed)

    def send(x: Tensor) -> tuple[Any, ...]:
        call(x)
        return line.handed

    def form() -> Form:
        line.reset()
        return Form(call, kind, send)

    ranks = "1 rank" if line.ranks == 1 else f"{line.ranks} ranks"
    kind = f"DDP communication hook {line.hook.what}"
    description = f"takes torch tensors; gloo, {ranks}, torch {torch.__version__}"
    subject = name if ":" in name else f"torch:{name}"
    return Subject(
        subject, kind, fresh, True, TORCH, description, form=form, announce=line.announce
    )
