"""Closed forms: observed, cmfl, lag, printed uploads; faults of filters and of what is stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from algorithms.methods.base import Method, RunContext
from algorithms.methods.lazy.cmfl import CMFL, CMFLState
from algorithms.methods.lazy.lag import LAG, LAGState
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.least_squares import LeastSquares
from algorithms.problems.least_squares_data import dealt, packaged, rising
from algorithms.synchronisation.lazy import ServerRule
from proofs_check.figure_runs.uploads import contenders, race
from proofs_check.instruments.closed_forms import ClosedForms, agrees, at_least, none_wrong, same
from proofs_check.instruments.erratum import Shown, demonstrates
from proofs_check.instruments.paths import models, path
from proofs_check.mutants.method_mutant import (
    MethodMutant,
    fault,
    wrong_step,
)
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, Stepsize

# Lazy methods seen from outside: models and the ledger's messages tell all.
#
# Who sent at a step stands in the ledger; what the server must hold then follows: the exact
# gradients at the models of each worker's last message.


Make = Callable[[Stepsize], Method[Any]]
STEPS = 60


class ObservedRun(NamedTuple):
    """Observed run: models ``[T + 1, d]``, senders ``[T, n]``, gradients ``[T + 1, n, d]``
    at these models from the data alone.

    Attributes:
        x: the models ``[T + 1, d]``.
        sent: who sent at a step ``[T, n]``.
        gradients: of every worker at these models ``[T + 1, n, d]``.
    """

    x: Floats
    sent: NDArray[np.bool_]
    gradients: Floats


def problem() -> LeastSquares:
    """Nine workers with L_i from 4 to 2000: d_i reaches from 10 down to 0."""
    return rising(growth=1.6)


def watch(make: Make, steps: int = STEPS, on: LeastSquares | None = None) -> ObservedRun:
    """A run from outside, ``on`` a problem other than :func:`problem`."""
    built = on or problem()
    method = make(ConstantStep(1 / built.curvatures[-1].item()))
    x, counts = [], []
    for moment in path(method, built, steps):
        x.append(method.models(moment.state)[0].mean(0).numpy())
        counts.append(moment.context.network.account((1,)).sent_messages[0].numpy())
    points = np.stack(x)
    a, y = built.features.numpy(), built.targets.numpy()
    gradients = np.einsum("nsd,tns->tnd", a, np.einsum("nsd,td->tns", a, points) - y)
    return ObservedRun(points, np.diff(np.stack(counts), axis=0) > 0, gradients)


# CMFL held to its rule from outside.

_SHARE = 0.7  # v_0 of CMFL


_CMFL_FORMS = ClosedForms("cmfl")


@_CMFL_FORMS.case(
    "relevance seen from outside",
    f"Wang, Wang, Li 2019, Algorithm 1; {STEPS} steps, v_0 = {_SHARE:g}",
)
def relevant_senders(make: Make | None = None, decays: bool = True) -> Verdict:
    """CMFL with one local step: senders are those of equal signs, and their mean is the move."""
    built = dealt(packaged(), 3, "three data sets")
    seen = watch(make or (lambda rule: CMFL(rule, 1, _SHARE, decays)), on=built)
    updates = -seen.gradients[:-1] / built.curvatures[-1].item()
    moves = np.diff(seen.x, axis=0)
    wrong, expected, last = 0, [], None
    for t, (u, sent) in enumerate(zip(updates, seen.sent, strict=True)):
        share = 1.0 if last is None else (np.sign(u) == np.sign(last)).mean(-1)
        asked = _SHARE / np.sqrt(t + 1) if decays else _SHARE
        relevant = np.broadcast_to(share >= asked, sent.shape)
        wrong += int((relevant != sent).sum())
        expected.append(u[relevant].mean(0) if relevant.any() else 0 * u[0])
        last = moves[t] if sent.any() else last
    gap = float(np.abs(np.stack(expected) - moves).max())
    good = wrong == 0 and gap <= 1e-11 * max(1.0, float(np.abs(moves).max()))
    return agrees(
        "updates whose signs agree with the last common one in a share v_k or more are sent, "
        f"and their mean moves the model; v_k {'decays' if decays else 'is constant'}",
        good, float(wrong), 0.0,
        f"{wrong} of {seen.sent.size} decisions differ, moves differ by {gap:.2g}; "
        f"{int(seen.sent.sum())} uploads",
        on=built,
    )  # fmt: skip


@_CMFL_FORMS.case(
    "limit", f"Wang, Wang, Li 2019, Algorithm 1; {STEPS} steps, H = 4", on="rising curvatures"
)
def without_threshold() -> Verdict:
    """CMFL at threshold 0 is local SGD."""
    rule = ConstantStep(1 / problem().constants().positive("L_max"))
    mine = models(CMFL(rule, 4, 0.0), problem(), STEPS)
    other = models(LocalSGD(rule, 4), problem(), STEPS)
    return same("threshold 0 makes CMFL local SGD", mine.numpy(), other.numpy(), tolerance=1e-10)


def cmfl() -> tuple[Verdict, ...]:
    """Senders, and the limit of no threshold."""
    return (without_threshold(), relevant_senders(), relevant_senders(decays=False))


# LAG held to its rules from outside.
#
# LAG moves along the mean of the gradients last sent, a worker speaks when Eq. 15a or 15b of Chen
# et al. 2018 (arXiv:1805.09965) says so, and one with a small L_i stays silent for d_i steps at
# least: if it spoke d \le D steps ago, \|\nabla f_i(x_t) - \nabla f_i(\hat x_i)\|^2 \le L_i^2 d
# \sum_{k \le d} \|x_{t+1-k} - x_{t-k}\|^2 by Cauchy and Schwarz, which is within the allowance as
# long as L_i^2 \gamma^2 d \le \xi_k for all k \le d.

_XI, _MEMORY = 0.1, 10
_TIE = 1e-9  # relative: closer comparisons are left out, rounding may decide them
_PROVENANCE = f"Chen et al. 2018, arXiv:1805.09965; {STEPS} steps on rising curvatures"


def step() -> ConstantStep:
    """The constant stepsize 1/L of :func:`problem`."""
    return ConstantStep(1 / problem().curvatures[-1].item())


def server_rule(step: Stepsize) -> LAG:
    """LAG-PS on :func:`problem`."""
    return LAG(step, ServerRule(problem().smoothness))


_LAG_FORMS = ClosedForms("lag", "rising curvatures")


@_LAG_FORMS.case("aggregate seen from outside", _PROVENANCE)
def mean_of_the_last(make: Make = LAG, name: str = "LAG-WK") -> Verdict:
    """The step is gamma times the mean of all workers' last sent gradients, old or new."""
    seen = watch(make)
    stored = np.zeros_like(seen.gradients[0])
    directions = []
    for t, sent in enumerate(seen.sent):
        stored[sent] = seen.gradients[t][sent]
        directions.append(stored.mean(0))
    return same(
        f"{name}: x_t - x_t+1 = gamma mean_i grad f_i(last sent model of i)",
        np.diff(seen.x, axis=0) / -step().gamma, np.stack(directions), tolerance=1e-9,
    )  # fmt: skip


@_LAG_FORMS.case("trigger seen from outside", _PROVENANCE)
def speaks_by_rule(make: Make = LAG, server: bool = False) -> Verdict:
    """Worker i sends at step t > 0 if and only if Eq. 15a (``server``: 15b) is broken."""
    seen, gamma = watch(make), step().gamma
    last = np.where(seen.sent[0], 0, -1)
    moves = np.square(np.diff(seen.x, axis=0)).sum(-1)
    smooth = np.square(np.array(problem().smoothness))
    wrong = judged = 0
    for t in range(1, len(seen.sent)):
        allowed = _XI * moves[max(0, t - _MEMORY) : t].sum() / gamma**2
        changed = np.square(seen.gradients[t] - seen.gradients[last, range(len(last))]).sum(-1)
        moved = smooth * np.square(seen.x[t] - seen.x[last]).sum(-1)
        left = moved if server else changed
        clear = np.abs(left - allowed) > _TIE * allowed
        wrong += int((clear & ((left > allowed) != seen.sent[t])).sum())
        judged += int(clear.sum())
        last = np.where(seen.sent[t], t, last)
    rule = "15b" if server else "15a"
    return none_wrong(
        f"a worker sends if and only if Eq. {rule} is broken", wrong,
        f"{wrong} of {judged} decisions differ; {int(seen.sent.sum())} uploads in {seen.sent.size}",
    )  # fmt: skip


@_LAG_FORMS.case("silence of smooth workers", f"derived, Cauchy-Schwarz; {_PROVENANCE}")
def silence(make: Make = LAG, name: str = "LAG-WK") -> Verdict:
    """After an upload a worker is silent for d_i = max{d <= D: L_i^2 gamma^2 d <= xi} steps."""
    seen, gamma = watch(make, 4 * STEPS), step().gamma
    longest = np.floor(_XI / (np.square(problem().smoothness) * gamma**2) + 1e-12)
    due = np.minimum(longest, _MEMORY)
    gaps = [np.diff(np.flatnonzero(column)) - 1 for column in seen.sent.T]
    least = np.array([gap.min() if gap.size else np.inf for gap in gaps])
    margin = float((least - due).min())
    return at_least(
        f"{name}: after an upload worker i is silent d_i steps, L_i^2 gamma^2 d_i <= xi", margin,
        0.0,
        f"shortest silences {_list(least)}, d_i {_list(due)}; uploads "
        f"{_list(seen.sent.sum(0))} in {len(seen.sent)} steps",
        resolution=0.0,
    )  # fmt: skip


@_LAG_FORMS.case("limit", _PROVENANCE)
def without_allowance() -> Verdict:
    """LAG whose weights are zero is gradient descent."""
    mine = models(LAG(step(), weights=(0.0,)), problem(), STEPS)
    other = models(BSP(step()), problem(), STEPS)
    return same(
        "zero weights make LAG gradient descent", mine.numpy(), other.numpy(), tolerance=1e-10
    )


def _list(values: Floats | NDArray[np.int64]) -> str:
    return ", ".join(f"{value:g}" for value in values)


def lag() -> tuple[Verdict, ...]:
    """Both rules, the workers' own (LAG-WK) and the server's (LAG-PS), against their paper."""
    return (
        mean_of_the_last(), mean_of_the_last(server_rule, "LAG-PS"),
        speaks_by_rule(), speaks_by_rule(server_rule, server=True),
        silence(), silence(server_rule, "LAG-PS"), without_allowance(),
    )  # fmt: skip


# LAG's two rules on nine workers of rising curvature (S3).


@demonstrates("S3", "lag", "LAG-WK needs fewer uploads than LAG-PS")
def s3() -> Shown:
    """The workers' rule sends less than the server's, whose number the survey gives for LAG."""
    problem = rising()
    by = {one.name: one for one in contenders(problem) if one.name.startswith("LAG")}
    server, worker = (race(by[name], problem).total for name in ("LAG-PS", "LAG-WK"))
    return (
        (float(worker < server), 1.0),
        (float(server), float(worker)),
        f"uploads {server} by the server's rule, {worker} by the workers'; "
        "Table 5 of Chen et al. 2018: 1756 and 412",
    )


CLOSED_FORMS = (cmfl, lag)


def _root(step: Stepsize) -> Method[Any]:
    return LAG(step, ServerRule(tuple(value**0.5 for value in problem().smoothness)))


def _filter(step: Stepsize) -> CMFL:
    return CMFL(step, 1, 0.7, decays=False)


def _relevant(make: Make = _filter) -> Verdict:
    return relevant_senders(make, decays=False)


def _by_server(make: Make = server_rule) -> Verdict:
    return speaks_by_rule(make, server=True)


@wrong_step("LAG never replacing stored gradients", judge=mean_of_the_last, of=LAG)
def never_replaced(own: LAG, state: LAGState, t: int, context: RunContext) -> LAGState:
    """workers compare with the first they sent"""
    new = own.step(state, t, context)
    return new if t == 0 else new._replace(stored=state.stored)


@wrong_step("LAG averaging over the senders", judge=mean_of_the_last, of=LAG)
def senders_only(own: LAG, state: LAGState, t: int, context: RunContext) -> LAGState:
    """changes divided by how many sent, not by n"""
    new = own.step(state, t, context)
    spoke = (new.stored != state.stored).any(-1).sum(-1).clamp_min(1)[..., None, None]
    mean = state.mean + (new.mean - state.mean) * (context.network.n / spoke)
    return new._replace(mean=mean, x=state.x - own.step_rule(t) * mean)


@wrong_step("LAG-PS taking all as informed", judge=_by_server, of=server_rule)
def all_heard(own: LAG, state: LAGState, t: int, context: RunContext) -> LAGState:
    """the model of a worker's stored gradient is forgotten"""
    new = own.step(state, t, context)
    return new._replace(incoming=state.x.expand_as(new.incoming))


@wrong_step("CMFL against the grain", judge=_relevant, of=_filter)
def against_the_grain(own: CMFL, state: CMFLState, t: int, context: RunContext) -> CMFLState:
    """opposite signs are relevant"""
    return own.step(state._replace(update=-state.update), t, context)


@wrong_step("CMFL by magnitude", judge=_relevant, of=_filter)
def by_magnitude(own: CMFL, state: CMFLState, t: int, context: RunContext) -> CMFLState:
    """relevance counts |u_j| >= |last_j|"""
    u = -own.step_rule(t) * context.gradient(state.x, t)
    wrapped = torch.where(u.abs() >= state.update.abs(), u, -u)
    new = own.step(state._replace(update=wrapped), t, context)
    moved = (new.common != state.common).any(-1, keepdim=True)
    return new._replace(update=torch.where(moved, new.common - state.common, state.update))


@wrong_step("CMFL dividing by all", judge=_relevant, of=_filter)
def divides_by_all(own: CMFL, state: CMFLState, t: int, context: RunContext) -> CMFLState:
    """what arrived is divided by n"""
    u = -own.step_rule(t) * context.gradient(state.x, t)
    share = own.sends(u, state.update, t + 1).double().mean(-1)[..., None, None]
    new = own.step(state, t, context)
    update = (new.common - state.common) * share
    common = state.common + update
    return CMFLState(common.expand_as(new.x).contiguous(), common, update)


@wrong_step("CMFL keeping its first update", judge=_relevant, of=_filter)
def first_update_kept(own: CMFL, state: CMFLState, t: int, context: RunContext) -> CMFLState:
    """relevance is measured by the first round for ever"""
    new = own.step(state, t, context)
    return new if t == 0 else new._replace(update=state.update)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault("LAG-PS without the square of L_i", "L_i ||x_i - x||^2 in Eq. 15b", _by_server, _root),
)  # fmt: skip
