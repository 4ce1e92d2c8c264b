"""Mistakes in local steps that a worker corrects by a term of its own, each in a step's place."""

from __future__ import annotations

from dataclasses import replace

import torch

from algorithms.methods.base import RunContext
from algorithms.methods.drift.fednova import FedNova, FedNovaState
from algorithms.methods.drift.fedprox import FedProx, FedProxState
from algorithms.methods.drift.mime import Mime, MimeState


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
