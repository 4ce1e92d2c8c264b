"""Cost of a message, against no compression and against the length that is claimed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor, code_of
from algorithms.core.key import Key
from proofs_check.audit.arrays import tensor_of
from proofs_check.audit.calls import Form
from proofs_check.audit.claims import Stated
from proofs_check.audit.history import shown
from proofs_check.audit.measure import Measure
from proofs_check.audit.moments import ALPHA, ROUNDING
from proofs_check.audit.payload import Message, Part, message_of, own_length
from proofs_check.audit.randomness import seed_all
from proofs_check.audit.receiver import Missing, missing
from proofs_check.audit.reporting import Reporter, raised
from proofs_check.audit.runner import Runner
from proofs_check.audit.traits import CallMemory, Traits, ordinary
from proofs_check.instruments.statistics import half_width
from proofs_check.verdict import Outcome, Verdict

FLOAT_BITS = 32
_SAMPLES = 400
_FEW = 8
_EMPTY = (
    "the message is empty: what the receiver needs goes another way, so its length is not known"
)
_KEPT = (
    "the receiver needs what the sending object has kept, which is not in the message, so its "
    "length is not known"
)
_NOTHING = Part("nothing, which is read as 0", 0.0, 0.0)
_UNSEEN = (
    "what is sent is not seen, only x_hat: a pair (compress, decompress), an object with these "
    "methods, or one that has bits, would do"
)


@final
@dataclass(frozen=True)
class Cost:
    """The messages of one vector x ``[d]``.

    Attributes:
        lengths: lengths [bits] of the messages looked at ``[S]``.
        first: one of the messages.
        most: an upper end of the mean length [bits], at error 1e-9 where lengths vary.
        least: the lower end.
    """

    x: Tensor
    lengths: Tensor
    first: Message
    least: float
    most: float

    @property
    def mean(self) -> float:
        """Mean length of a message [bits]."""
        return float(self.lengths.mean())

    @property
    def dense(self) -> float:
        """Length of x itself in single precision [bits]."""
        return float(FLOAT_BITS * len(self.x))

    @property
    def description(self) -> str:
        """Length and make of the message, for a sentence."""
        least, most = float(self.lengths.min()), float(self.lengths.max())
        size = f"{self.mean:g}" if least == most else f"{self.mean:.6g} ({least:g} to {most:g})"
        return f"{size} bits ({self.first.description}) for d = {len(self.x)}"


def costs(runner: Runner, traits: Traits) -> tuple[Cost, ...]:
    """Messages at three vectors of each dimension in single precision.

    Raises:
        Unmeasured: what is sent is not seen, or its length cannot be told.
    """
    found = []
    apart = _apart(runner, traits)
    for d in traits.dims:
        ramp = -torch.arange(1.0, d + 1, dtype=torch.float64)
        for x in (ordinary(d), ordinary(d, 1) / ordinary(d, 2).abs().clamp_min(1e-3), ramp):
            found.append(_cost(runner, traits, x, apart))
    return tuple(found)


class Unmeasured(Exception):
    """The length of messages cannot be told; the message says why."""


def _apart(runner: Runner, traits: Traits) -> bool:
    """Whether the context holds what only the sender knows, so that it counts as sent."""
    make = runner.subject.form
    if make is None or make().ends is None:
        return False
    found, _ = missing(runner, next((d for d in traits.dims if d > 1), traits.dims[0]))
    if found is Missing.OBJECT and traits.memory is not CallMemory.GENERATOR:
        raise Unmeasured(_KEPT)
    return found is Missing.CONTEXT


def _cost(runner: Runner, traits: Traits, x: Tensor, apart: bool) -> Cost:
    message = _messages(runner, x, apart)
    first = message(0)
    seen = [_length(first)]
    seen += [_length(message(seed)) for seed in range(1, _FEW if traits.random else 1)]
    if len(set(seen)) > 1:
        seen += [_length(message(seed)) for seed in range(_FEW, _SAMPLES)]
    lengths = torch.tensor(seen, dtype=torch.float64)
    width = 0.0
    if len(set(seen)) > 1:
        spread = float((lengths.max() - lengths.min()).clamp_min(1.0))
        width = float(half_width(lengths[:, None], spread, ALPHA))
    mean = float(lengths.mean())
    return Cost(x, lengths, first, mean - width, mean + width)


def _length(message: Message) -> float:
    if message.length is not None:
        return message.length
    if message.unknown:
        raise Unmeasured(
            f"the message has a part of type {', '.join(message.unknown)} that has no length that "
            "can be told; a method bits() would do"
        )
    raise Unmeasured(_EMPTY if message.sent else _UNSEEN)


def _messages(runner: Runner, x: Tensor, apart: bool) -> Callable[[int], Message]:
    """Factory of messages of x from seeds; of a fresh instance where something is remembered.

    ``apart``: with their contexts.
    """
    own, make = runner.subject.operator, runner.subject.form
    if own is not None:
        return lambda seed: _operator_message(own, x, seed)
    if make is None:
        raise Unmeasured(_UNSEEN)
    kept = make()

    def called(by: Callable[[Form, Any], Any], seed: int) -> Any:
        form = make() if runner.renews else kept
        given = runner.subject.arrays.give(x.to(torch.float32))
        seed_all(seed, runner.generators)
        return by(form, given)

    def message(seed: int) -> Message:
        try:
            found: Message = called(_sent_with_context if apart else _sent, seed)
            if found.silent and not tensor_of(called(lambda form, x: form.call(x), seed)).any():
                return replace(found, parts=(_NOTHING,))
            return found
        except Exception as error:  # a stranger's code may raise anything
            raise Unmeasured(f"compress {raised(error)}, d = {len(x)}") from error

    return message


def _sent_with_context(form: Form, given: Any) -> Message:
    """Of a form with two ends: what is sent, and the context, which counts as sent."""
    assert form.ends is not None
    return replace(message_of(form.ends.write(given), len(given)), sent=True)


def _sent(form: Form, given: Any) -> Message:
    payload = None
    if form.send is None:
        form.call(given)
        found = Message((), ())
    else:
        payload = form.send(given)
        found = replace(message_of(payload, len(given)), sent=True)
    own, name = own_length(form.thing, payload, given)
    return replace(found, own=own, own_name=name)


def _operator_message(operator: Compressor, x: Tensor, seed: int) -> Message:
    draws = Key.seed(seed).draws(torch.tensor(0), torch.zeros(1, dtype=torch.int64))
    row = x.to(torch.float32)[None]
    bits = float(code_of(operator, len(x), torch.float32).lengths(operator.encode(row, draws))[0])
    return Message((Part("its code", bits, bits),), ())


def check_cost(speaker: Reporter, found: Sequence[Cost] | str) -> Verdict:
    """Whether a message of the largest dimension is shorter than the vector itself."""
    claim, check = f"a message is shorter than the {FLOAT_BITS} d bits of x itself", "message"
    if isinstance(found, str):
        return speaker.says(claim, check, Outcome.NOT_APPLICABLE, found)
    worst = _longest(found)
    share = 100 * worst.mean / worst.dense
    description = f"{worst.description}, {share:.3g}% of the {worst.dense:g} of no compression"
    others = [one for one in _each(found) if len(one.x) != len(worst.x)]
    if others:
        rest = ", ".join(f"{one.mean:g} (d = {len(one.x)})" for one in others)
        description += f"; {rest}"
    outcome = Outcome.SUPPORTED
    if worst.mean >= worst.dense:
        outcome = Outcome.REFUTED if worst.least > worst.dense else Outcome.COMPARED
    return speaker.says(claim, check, outcome, description, statistic=worst.mean, bound=worst.dense)


def check_bits(speaker: Reporter, stated: Stated, found: Sequence[Cost] | str) -> list[Verdict]:
    """Whether messages are as short as is claimed; nothing where nothing is."""
    if stated.bits is None:
        return []
    claim, check = stated.bits_sentence(), "bits"
    if isinstance(found, str):
        return [speaker.says(claim, check, Outcome.NOT_APPLICABLE, found)]
    pairs = [(one, limit) for one in found if (limit := stated.bits_at(len(one.x))) is not None]
    one, limit = max(pairs, key=lambda pair: pair[0].least / max(pair[1], 1e-300))
    description = f"{one.description} against {limit:g}, x = {shown(one.x)}"
    beyond = one.least > limit * (1 + 1e-12)
    packed = sum(part.packed for part in one.first.parts)
    if beyond and one.first.own is None and packed <= limit:
        description += (
            f"; with its integers packed to the range they lie in it would have {packed:g}"
        )
    if not beyond:
        sizes = ", ".join(str(len(one.x)) for one in _each(found))
        description = f"nearest to it: {description}; d = {sizes}"
    outcome = Outcome.REFUTED if beyond else Outcome.SUPPORTED
    return [
        speaker.says(
            claim, check, outcome, description, statistic=one.mean, bound=limit,
            uncertainty=(one.most - one.least) / 2, tightness=one.mean / limit if limit else None,
        )
    ]  # fmt: skip


def headline(measures: Sequence[Measure], found: Sequence[Cost] | str, eps: float) -> str:
    """Headline: it loses nothing, or sends more than no compression; else "".

    In R^1 many operators lose nothing, so that this dimension alone says nothing.
    """
    description = []
    exact = [one.d for one in measures if one.worst.look.ratio <= (ROUNDING * eps) ** 2]
    if exact and len(exact) == len(measures) and max(exact) > 1:
        description.append(
            "the identity: C(x) = x at every vector that was looked at, so nothing is compressed"
        )
    if not isinstance(found, str) and found:
        worst = _longest(found)
        if worst.least > worst.dense:
            description.append(
                f"sends more than no compression: {worst.description}, {worst.dense:g} are "
                f"those of x"
            )
    return "; ".join(description)


def _longest(found: Sequence[Cost]) -> Cost:
    """The longest message of the largest dimension."""
    largest = max(len(one.x) for one in found)
    return max((one for one in found if len(one.x) == largest), key=lambda one: one.mean)


def _each(found: Sequence[Cost]) -> list[Cost]:
    """The longest message of each dimension."""
    dims = dict.fromkeys(len(one.x) for one in found)
    return [max((c for c in found if len(c.x) == d), key=lambda c: c.mean) for d in dims]
