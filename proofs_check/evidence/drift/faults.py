"""Faults planted in control variates and skipped meetings: mistakes of public code among them."""

from __future__ import annotations

import torch

from algorithms.compressors.identity import Identity
from algorithms.methods.base import RunContext
from algorithms.methods.drift.scaffnew import Scaffnew, ScaffnewState
from algorithms.methods.drift.scaffold import Scaffold
from proofs_check.evidence.drift import closed_forms as controls
from proofs_check.evidence.drift import closed_forms_scaffnew as coins
from proofs_check.evidence.drift import wrong_controls
from proofs_check.mutants.method_mutant import MethodMutant, wrong_step

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
)  # fmt: skip


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
