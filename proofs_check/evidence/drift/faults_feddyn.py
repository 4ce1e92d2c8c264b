"""Faults planted in FedDyn's terms, and who sees them."""

from __future__ import annotations

import torch

from algorithms.methods.base import RunContext
from algorithms.methods.drift.feddyn import FedDyn, FedDynState
from algorithms.methods.parts.participation import taking_part
from proofs_check.evidence.drift import closed_forms_feddyn as forms
from proofs_check.mutants.method_mutant import wrong_step


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
