"""Faults planted in EF21-P: what is sent, and where gradients are taken."""

from __future__ import annotations

from dataclasses import replace

from algorithms.methods.base import RunContext
from algorithms.methods.error_feedback.ef21_p import EF21P, EF21PState
from proofs_check.evidence.error_feedback.closed_forms_model import (
    both_ways_by_hand,
    both_ways_end,
    contraction,
    is_diana,
    mean_of_shifts,
    recursion,
)
from proofs_check.methods.faulty.faulty_method import OneWrongStep, wrapped
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step


def model_itself(own: EF21P, state: EF21PState, t: int, context: RunContext) -> EF21PState:
    """The server compresses its model, not what workers lack of it."""
    x, *shifts = own.moved(state, t, context)
    packet = context.pack_server(own.compressor.at_step(t), x, t, purpose="model")
    return EF21PState(x, context.network.publish(packet), *shifts)


@wrong_step("EF21-P at the server's model", judge=recursion, of=EF21P)
def untold_model(own: EF21P, state: EF21PState, t: int, context: RunContext) -> EF21PState:
    """workers take gradients at x, of which they hold w alone"""
    return own.step(state._replace(told=state.x), t, context)._replace(told=state.told)


@wrong_step("EF21-P that sends the last step", judge=contraction, of=EF21P)
def last_step_alone(own: EF21P, state: EF21PState, t: int, context: RunContext) -> EF21PState:
    """workers hear C of the server's last step: what C left out is lost"""
    x, *shifts = own.moved(state, t, context)
    packet = context.pack_server(own.compressor.at_step(t), x - state.x, t, purpose="step")
    return EF21PState(x, state.told + context.network.publish(packet), *shifts)


def shifts_stay(own: EF21P, state: EF21PState, t: int, context: RunContext) -> EF21PState:
    """h_i stays 0: the gradients themselves are compressed"""
    return replace(own, alpha=0.0).step(state, t, context)


ef21_p_without_shifts = wrong_step(
    "EF21-P + DIANA whose shifts stay", judge=both_ways_end, of=EF21P
)(shifts_stay)


@wrong_step("EF21-P + DIANA whose server keeps no shift", judge=mean_of_shifts, of=EF21P)
def forgetful_server(own: EF21P, state: EF21PState, t: int, context: RunContext) -> EF21PState:
    """the server adds nothing to its shift"""
    return own.step(state, t, context)._replace(shift=state.shift)


@wrong_step("EF21-P + DIANA that shifts by the whole", judge=both_ways_by_hand, of=EF21P)
def whole_shift(own: EF21P, state: EF21PState, t: int, context: RunContext) -> EF21PState:
    """h_i moves by the message itself, not by alpha of it"""
    return replace(own, alpha=1.0).step(state, t, context)


@wrong_step("EF21-P + DIANA with alpha twice", judge=is_diana, of=EF21P)
def twice_alpha(own: EF21P, state: EF21PState, t: int, context: RunContext) -> EF21PState:
    """the server's mean of messages is shortened by alpha as well"""
    new = own.step(state, t, context)
    step = state.x - own.step_rule(t) * new.shift
    return new._replace(x=step, told=step)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "EF21-P that compresses the model", "w = C(x): the entries left out count as 0",
        recursion, wrapped(lambda right: OneWrongStep(right, model_itself), EF21P),
    ),
)  # fmt: skip
