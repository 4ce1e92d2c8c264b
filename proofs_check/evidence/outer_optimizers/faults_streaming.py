"""Faults planted in streaming DiLoCo: the mix, the delay, and whose velocity it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from algorithms.methods.base import RunContext
from algorithms.methods.outer_optimizers.streaming_diloco import StreamingDiLoCo, StreamingState
from proofs_check.evidence.outer_optimizers import closed_forms_streaming as streaming
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step


def _mixed_otherwise(*args: Any, mix: float, **named: Any) -> StreamingDiLoCo:
    return StreamingDiLoCo(*args, **named | {"mix": 1 - mix if mix else 0.0})


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "streaming DiLoCo without its mix", "the local model is lost when a fragment is applied",
        streaming.streaming_by_hand,
        lambda *args, **named: StreamingDiLoCo(*args, **named | {"mix": 0.0}),
    ),
    fault(
        "streaming DiLoCo with the mix the other way round", "1 - alpha for alpha",
        streaming.streaming_by_hand,
        _mixed_otherwise,
    ),
    fault(
        "streaming DiLoCo that applies at once", "no step passes while a fragment is on its way",
        streaming.streaming_by_hand,
        lambda *args, **named: StreamingDiLoCo(*args, **named | {"delay": 0}),
    ),
)  # fmt: skip


@wrong_step(
    "streaming DiLoCo with one velocity for all",
    judge=streaming.fragments_in_turn,
    of=StreamingDiLoCo,
)
def shared_velocity(
    own: StreamingDiLoCo, state: StreamingState, t: int, context: RunContext
) -> StreamingState:
    """every meeting of a fragment decays the velocity of all"""
    after = own.step(state, t, context)
    if own.sent_at(t - own.delay) is None:
        return after
    others = own.outer.eta * after.outer
    here = own.places(own.sent_at(t - own.delay) or 0, state.x.shape[-1])
    others[..., here] = after.outer[..., here]
    return after._replace(outer=others)


@wrong_step(
    "streaming DiLoCo with D of the wrong sign",
    judge=streaming.streaming_by_hand,
    of=StreamingDiLoCo,
)
def wrong_sign(
    own: StreamingDiLoCo, state: StreamingState, t: int, context: RunContext
) -> StreamingState:
    """the outer step goes away from the mean of the workers"""
    if own.delay:
        return own.step(state, t, context)
    sent = own.sent_at(t)
    if sent is None:
        return own.step(state, t, context)
    far = replace(own, delay=own.period - 1).step(state, t, context)  # sends, does not apply
    mirrored = far._replace(mean=2 * far.anchor - far.mean)
    return own.apply(mirrored, sent, t, context)
