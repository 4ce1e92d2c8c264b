"""Faults planted in local steps: control variates, meetings, proximal terms, Mime, FedDyn."""

from __future__ import annotations

from dataclasses import replace

import torch

from algorithms.compressors.identity import Identity
from algorithms.methods.base import RunContext
from algorithms.methods.drift.feddyn import FedDyn, FedDynState
from algorithms.methods.drift.fednova import FedNova, FedNovaState, accumulated_weight
from algorithms.methods.drift.fedprox import FedProx, FedProxState
from algorithms.methods.drift.mime import Mime, MimeState
from algorithms.methods.drift.scaffnew import Scaffnew, ScaffnewState
from algorithms.methods.drift.scaffold import Scaffold
from algorithms.methods.parts.participation import taking_part
from proofs_check.evidence.drift import closed_forms as controls
from proofs_check.evidence.drift import closed_forms as wrong_controls
from proofs_check.evidence.drift import closed_forms_mime as statistics
from proofs_check.evidence.drift import closed_forms_proximal as forms
from proofs_check.evidence.drift import closed_forms_proximal as proximal
from proofs_check.evidence.drift import closed_forms_scaffnew as coins
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step

# Mistakes in local steps that a worker corrects by a term of its own, each in a step's place.


def alias_of_anchor(own: FedProx, state: FedProxState, t: int, context: RunContext) -> FedProxState:
    """the anchor is the live model itself, so that the proximal term is 0"""
    return replace(own, pull=0.0).step(state, t, context)


def last_step_as_anchor(
    own: FedProx, state: FedProxState, t: int, context: RunContext
) -> FedProxState:
    """the anchor is the worker's model of the step before, not the round's start"""
    after = own.step(state, t, context)
    return after._replace(anchor=state.x) if (t + 1) % own.period else after


def steps_of_another(
    own: FedNova, state: FedNovaState, t: int, context: RunContext
) -> FedNovaState:
    """the change of a worker is divided by the steps of the next"""
    after = own.step(state, t, context)
    if (t + 1) % own.period:
        return after
    right = torch.tensor(own.weights(), dtype=state.x.dtype)[:, None]
    changes = state.anchor - own.alone(state, t, context).x
    anchor = state.anchor - (right.roll(1, 0) * changes).mean(-2, keepdim=True)
    return after._replace(anchor=anchor, x=anchor.expand_as(after.x).contiguous())


def uncorrected(own: Mime, state: MimeState, t: int, context: RunContext) -> MimeState:
    """g_i(y) for g_i(y) - g_i(x) + c: MimeLite posing as Mime"""
    return replace(own, lite=True).step(state, t, context)


def momentum_unused(own: Mime, state: MimeState, t: int, context: RunContext) -> MimeState:
    """the server's momentum is kept, and no local step hears of it"""
    return own.step(state._replace(momentum=torch.zeros_like(state.momentum)), t, context)


# Faults planted in control variates and skipped meetings: mistakes of public code among them.


def _coins_of_own(own: Scaffnew, t: int, context: RunContext) -> torch.Tensor:
    """A coin for every worker held here, ``[..., m]`` (bool)."""
    lots = context.draws("own coin", t).uniform(1, torch.float64)[..., 0]
    return lots < own.probability


@wrong_step("Scaffnew with a coin each", judge=coins.recursion_by_coin, of=Scaffnew)
def coin_each(own: Scaffnew, state: ScaffnewState, t: int, context: RunContext) -> ScaffnewState:
    """every worker tosses its own coin, and takes the mean of those who met"""
    gamma, heads = own.step_rule(t), _coins_of_own(own, t, context)
    ahead = state.x - gamma * (context.gradient(state.x, t) - state.shift)
    packet = context.pack(Identity(), ahead, t, sends=heads)
    mean, _ = context.network.average(packet)
    share = heads.double().mean(-1)[..., None, None]
    mean = torch.where(share > 0, mean / share, 0)
    shift = own.renewed(state.shift, mean, ahead, gamma)
    met = heads[..., None]
    return ScaffnewState(torch.where(met, mean, ahead), torch.where(met, shift, state.shift))


@wrong_step("Scaffnew renewing shifts on tails", judge=coins.recursion_by_coin, of=Scaffnew)
def renewed_on_tails(
    own: Scaffnew, state: ScaffnewState, t: int, context: RunContext
) -> ScaffnewState:
    """h moves by the mean of models that nobody has sent"""
    gamma = own.step_rule(t)
    after = own.step(state, t, context)
    ahead = state.x - gamma * (context.gradient(state.x, t) - state.shift)
    mean = ahead.mean(-2, keepdim=True)
    return after._replace(shift=own.renewed(state.shift, mean, ahead, gamma))


@wrong_step("Scaffnew with the wrong sign", judge=coins.lyapunov_step, of=Scaffnew)
def wrong_sign(own: Scaffnew, state: ScaffnewState, t: int, context: RunContext) -> ScaffnewState:
    """h -= (p/gamma) (x - x_hat)"""
    after = own.step(state, t, context)
    return after._replace(shift=2 * state.shift - after.shift)


# Faults planted in proximal and normalised local steps, and in Mime's correction.


@wrong_step("FedProx with the norm itself", judge=proximal.fedprox_by_hand, of=FedProx)
def norm_itself(own: FedProx, state: FedProxState, t: int, context: RunContext) -> FedProxState:
    """mu |y - x| for mu |y - x|^2 / 2: a pull of one length"""
    away = state.x - state.anchor
    length = away.norm(dim=-1, keepdim=True)
    unit = torch.where(length > 0, away / length, 0)
    bent = own.step_rule(t) * own.pull * (away - unit)
    after = own.step(state, t, context)
    if (t + 1) % own.period:
        return after._replace(x=after.x + bent)
    anchor = after.anchor + bent.mean(-2, keepdim=True)
    return FedProxState(anchor.expand_as(state.x).contiguous(), anchor)


@wrong_step(
    "FedProx that renews its anchor at each step", judge=proximal.fedprox_by_hand, of=FedProx
)
def renewed_anchor(own: FedProx, state: FedProxState, t: int, context: RunContext) -> FedProxState:
    """the anchor is the worker's model of the step before, not the round's start"""
    after = own.step(state, t, context)
    return after._replace(anchor=state.x) if (t + 1) % own.period else after


@wrong_step("FedNova without tau_eff", judge=proximal.fednova_by_hand, of=FedNova)
def one_step_of_all(own: FedNova, state: FedNovaState, t: int, context: RunContext) -> FedNovaState:
    """x -= the mean of normalised changes, without the factor tau_eff"""
    after = own.step(state, t, context)
    if (t + 1) % own.period:
        return after
    effective = own.weights()[0] * accumulated_weight(own.local_steps[0], own.momentum)
    anchor = state.anchor + (after.anchor - state.anchor) / effective
    return after._replace(anchor=anchor, x=anchor.expand_as(after.x).contiguous())


@wrong_step(
    "FedNova that divides by steps under momentum", judge=proximal.fednova_by_hand, of=FedNova
)
def plain_steps(own: FedNova, state: FedNovaState, t: int, context: RunContext) -> FedNovaState:
    """tau_i for |a_i|_1, whatever the momentum"""
    after = own.step(state, t, context)
    if (t + 1) % own.period:
        return after
    wrong = torch.tensor(replace(own, momentum=0.0).weights(), dtype=state.x.dtype)[:, None]
    changes = state.anchor - own.alone(state, t, context).x
    anchor = state.anchor - (wrong * changes).mean(-2, keepdim=True)
    return after._replace(anchor=anchor, x=anchor.expand_as(after.x).contiguous())


@wrong_step("Mime whose old gradient is of another batch", judge=statistics.noise_cancels, of=Mime)
def other_batch(own: Mime, state: MimeState, t: int, context: RunContext) -> MimeState:
    """g_i(x) is drawn anew: the noise of two batches adds up"""
    after = own.step(state, t, context)
    again = context.problem.gradient(state.x, context.draws("another batch", t))
    once = context.problem.gradient(state.x, context.draws("gradient", t))
    noise = own.step_rule(t) * (1 - own.beta) * (again - once)
    return after._replace(x=after.x + noise)


@wrong_step("Mime that renews momentum within the round", judge=statistics.mime_rounds, of=Mime)
def renewed_momentum(own: Mime, state: MimeState, t: int, context: RunContext) -> MimeState:
    """m takes in the mean gradient at every local step"""
    after = own.step(state, t, context)
    if (t + 1) % own.period == 0:
        return after
    mean = after.mean_gradient
    return after._replace(momentum=(1 - own.beta) * mean + own.beta * after.momentum)


# Faults planted in FedDyn's terms, and who sees them.


def never_learnt(own: FedDyn, state: FedDynState, t: int, context: RunContext) -> FedDynState:
    """the workers' terms stay 0, and the server's with them: FedProx"""
    after = own.step(state, t, context)
    mean = after.anchor + after.server_linear / own.pull
    nought = torch.zeros_like(after.linear), torch.zeros_like(after.server_linear)
    x = after.x if (t + 1) % own.period else mean.expand_as(after.x).contiguous()
    anchor = state.anchor if (t + 1) % own.period else mean
    return FedDynState(x, nought[0], anchor, nought[1])


feddyn_never_learnt = wrong_step(
    "FedDyn whose terms stay 0", judge=forms.ends_at_minimiser, of=FedDyn
)(never_learnt)


@wrong_step("FedDyn whose server takes the mean", judge=forms.reflected, of=FedDyn)
def plain_mean(own: FedDyn, state: FedDynState, t: int, context: RunContext) -> FedDynState:
    """x = mean y_i, without - h/a"""
    after = own.step(state, t, context)
    if (t + 1) % own.period:
        return after
    anchor = after.anchor + after.server_linear / own.pull
    return after._replace(anchor=anchor, x=anchor.expand_as(after.x).contiguous())


@wrong_step("FedDyn dividing by those who took part", judge=forms.mean_of_terms, of=FedDyn)
def share_of_few(own: FedDyn, state: FedDynState, t: int, context: RunContext) -> FedDynState:
    """h -= a times the mean over S in the place of the sum over n"""
    after = own.step(state, t, context)
    few = context.network.n / (own.participants or context.network.n)
    change = after.server_linear - state.server_linear
    return after._replace(server_linear=state.server_linear + few * change)


@wrong_step("FedDyn with the wrong sign", judge=forms.stays_at_minimiser, of=FedDyn)
def added_term(own: FedDyn, state: FedDynState, t: int, context: RunContext) -> FedDynState:
    """+ <h_i, y> in the local objective"""
    after = own.step(state._replace(linear=-state.linear), t, context)
    return after._replace(linear=after.linear + 2 * state.linear)


@wrong_step("FedDyn that forgets who stays away", judge=forms.few_take_part, of=FedDyn)
def forgotten_absent(own: FedDyn, state: FedDynState, t: int, context: RunContext) -> FedDynState:
    """the term of a worker that does not take part is set back to 0"""
    after = own.step(state, t, context)
    if (t + 1) % own.period:
        return after
    here = taking_part(own.participants, t // own.period, context)
    return after if here is None else after._replace(linear=after.linear * here[..., None])


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    wrong_step(
        "SCAFFOLD whose correction is never applied",
        judge=controls.rounds_on_two_workers, of=Scaffold,
    )(wrong_controls.never_applied),
    wrong_step(
        "SCAFFOLD that stores no control", judge=controls.rounds_on_two_workers, of=Scaffold
    )(wrong_controls.never_stored),
    wrong_step(
        "SCAFFOLD that sends its control whole", judge=controls.mean_of_controls, of=Scaffold
    )(wrong_controls.sent_whole),
    wrong_step(
        "SCAFFOLD dividing by epochs", judge=controls.rounds_on_two_workers, of=Scaffold
    )(wrong_controls.per_epoch),
    wrong_step(
        "SCAFFOLD with controls that start anywhere", judge=controls.mean_of_controls, of=Scaffold
    )(wrong_controls.random_start),
    wrong_step(
        "SCAFFOLD with one K for unequal steps", judge=controls.rounds_on_two_workers, of=Scaffold
    )(wrong_controls.shared_length),
    wrong_step(
        "SCAFFOLD dividing by those who took part", judge=controls.mean_of_controls, of=Scaffold
    )(wrong_controls.share_of_few),
    wrong_step(
        "Scaffnew that overwrites before it subtracts", judge=coins.recursion_by_coin, of=Scaffnew
    )(wrong_controls.never_renewed),
    wrong_step(
        "FedProx whose anchor is an alias", judge=proximal.solved_locally, of=FedProx
    )(alias_of_anchor),
    wrong_step(
        "FedNova with another worker's steps", judge=proximal.fednova_by_hand, of=FedNova
    )(steps_of_another),
    fault(
        "FedNova that normalises nothing", "the mean of changes: FedAvg",
        proximal.fednova_by_hand, lambda *args: replace(FedNova(*args), normalised=False),
    ),
    wrong_step("Mime uncorrected", judge=statistics.mime_rounds, of=Mime)(uncorrected),
    wrong_step("Mime uncorrected, at its limit", judge=statistics.mime_is_exact, of=Mime)(
        uncorrected
    ),
    wrong_step("MimeLite without momentum", judge=statistics.mimelite_rounds,
               of=statistics.MimeLite)(momentum_unused),
)  # fmt: skip
