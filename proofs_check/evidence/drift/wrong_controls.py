"""Mistakes met in public code of SCAFFOLD and Scaffnew, each in the place of a step.

They run in the simulation alone, which holds all workers.
"""

from __future__ import annotations

import torch

from algorithms.methods.base import RunContext
from algorithms.methods.drift.scaffnew import Scaffnew, ScaffnewState
from algorithms.methods.drift.scaffold import Scaffold, ScaffoldState


def never_applied(
    own: Scaffold, state: ScaffoldState, t: int, context: RunContext
) -> ScaffoldState:
    """the correction is computed and bound to a name that no local step reads"""
    zeros = torch.zeros_like(state.control), torch.zeros_like(state.server_control)
    unaware = state._replace(control=zeros[0], server_control=zeros[1])
    after = own.step(unaware, t, context)
    return after._replace(control=state.control, server_control=state.server_control)


def never_stored(own: Scaffold, state: ScaffoldState, t: int, context: RunContext) -> ScaffoldState:
    """no worker keeps its c_i, and c_i^+ - c is sent for c_i^+ - c_i"""
    after = own.step(state._replace(control=torch.zeros_like(state.control)), t, context)
    if (t + 1) % own.period:
        return after
    return after._replace(
        control=torch.zeros_like(state.control),
        server_control=after.server_control - state.server_control,
    )


def sent_whole(own: Scaffold, state: ScaffoldState, t: int, context: RunContext) -> ScaffoldState:
    """c_i^+ is sent as if it were the difference"""
    after = own.step(state, t, context)
    if (t + 1) % own.period:
        return after
    kept = state.control.mean(-2, keepdim=True)
    return after._replace(server_control=after.server_control + kept)


def per_epoch(own: Scaffold, state: ScaffoldState, t: int, context: RunContext) -> ScaffoldState:
    """x - y is divided by the epochs, one, in the place of the K steps"""
    after = own.step(state, t, context)
    if (t + 1) % own.period:
        return after
    path = after.control - state.control + state.server_control
    more = (own.period - 1) * path
    return after._replace(
        control=after.control + more,
        server_control=after.server_control + more.mean(-2, keepdim=True),
    )


def random_start(own: Scaffold, state: ScaffoldState, t: int, context: RunContext) -> ScaffoldState:
    """the controls start at random numbers, and c at 0"""
    if t:
        return own.step(state, t, context)
    drawn = context.draws("start of controls", 0).normal(state.x.shape[-1], state.x.dtype)
    return own.step(state._replace(control=drawn), t, context)


def shared_length(
    own: Scaffold, state: ScaffoldState, t: int, context: RunContext
) -> ScaffoldState:
    """worker 0 takes one step a round, and divides by K all the same"""
    ended = own.period > 1 and bool(t % own.period)
    if not ended:
        return own.step(state, t, context)
    here = torch.arange(state.x.shape[-2])[:, None] == 0
    at_last = (t + 1) % own.period == 0
    g = context.problem.gradient(state.x, context.draws("gradient", t))
    still = state.x + own.step_rule(t) * (g - state.control + state.server_control)
    waiting = state._replace(x=torch.where(here, still, state.x))  # the step takes it back
    after = own.step(waiting, t, context)
    return after if at_last else after._replace(x=torch.where(here, state.x, after.x))


def share_of_few(own: Scaffold, state: ScaffoldState, t: int, context: RunContext) -> ScaffoldState:
    """the server divides what the workers of a round send by their number, not by n"""
    after = own.step(state, t, context)
    few = context.network.n / (own.participants or context.network.n)
    change = after.server_control - state.server_control
    return after._replace(server_control=state.server_control + few * change)


def never_renewed(
    own: Scaffnew, state: ScaffnewState, t: int, context: RunContext
) -> ScaffnewState:
    """x_hat is the mean already when h is renewed: h never moves"""
    return own.step(state, t, context)._replace(shift=state.shift)
