"""The affine map of one step, read off the method's own code by running it on a basis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from proofs_check.moments.laws import Choice, ChoiceLaw, Effect, Tables, adds_up, choice_law
from proofs_check.moments.operators import unlinear_operator
from proofs_check.moments.probe import AskedNumbers, Probe
from proofs_check.moments.reasons import NotLinear, Reason
from theory.arrays import Floats

TOLERANCE = 1e-9
_SCALES = (1e-3, 1.0, 1e3)
_EFFECTS = 3


class Affine(NamedTuple):
    """y' = A y + b + N w: ``a`` ``[..., D, D]``, ``b`` ``[..., D]``, ``noise`` ``[..., D, N]``.

    Attributes:
        a: the matrices A.
        b: what is added whatever the state.
        noise: what each standard normal number adds.
    """

    a: Floats
    b: Floats
    noise: Floats


class Chance(NamedTuple):
    """Independent choices: ``weights`` ``[K]`` of K outcomes, and what each adds to the mean map.

    Attributes:
        weights: the probabilities of the outcomes.
        off: the maps' deviations from their mean.
    """

    weights: Floats
    off: Affine


@final
@dataclass(frozen=True)
class StepMap:
    """One step: its mean map, its independent choices, and what is read off the state before it.

    Attributes:
        mean: the map in the mean over all choices.
        chances: the choices.
        outputs: mean model and model rows of a state, ``[d + m d, D + 1]``, constants last.
    """

    mean: Affine
    chances: tuple[Chance, ...]
    outputs: Floats

    @property
    def arrays(self) -> tuple[Floats, ...]:
        """All its numbers; two steps are alike where these are."""
        parts: list[Floats] = [*self.mean, self.outputs]
        for chance in self.chances:
            parts += [chance.weights, *chance.off]
        return tuple(parts)


class Laws:
    """Laws of choices, kept from one step to the next that asks for the same."""

    def __init__(self) -> None:
        self._known: dict[tuple[Choice, ...], ChoiceLaw] = {}

    def law(self, effect: Effect, choices: tuple[Choice, ...]) -> ChoiceLaw:
        """The law of a step's choices: that of an earlier step if real draws agree with it."""
        known = self._known.get(choices)
        if known is None or (choices and not adds_up(effect, known, choices)):
            known = self._known[choices] = choice_law(effect, choices)
        return known


def step_map(probe: Probe, state: Any, t: int, laws: Laws) -> tuple[StepMap, Any]:
    """The map of step t at ``state`` and a state from which the next step is taken.

    Raises:
        NotLinear: the step is not affine in the state and the noise, or its choices have no law.
    """
    asked = probe.asked(state, t)
    choices = tuple(Choice(source.high, count) for source, count in asked.choice.items())
    _refuse_unlinear(probe, state, t, asked)
    law = laws.law(_effect(probe, state, t, asked), choices)
    each, after = _affine(probe, state, t, asked, law.base)
    base = mean = Affine(*(part[0] for part in each))
    chances = []
    for factor in law.factors:
        found, _ = _affine(probe, state, t, asked, law.tables(factor))
        weights = factor.weights.numpy()
        centre = [np.einsum("k,k...->...", weights, part) for part in found]
        off = Affine(*(part - one for part, one in zip(found, centre, strict=True)))
        chances.append(Chance(weights, off))
        mean = Affine(*(m + c - b for m, c, b in zip(mean, centre, base, strict=True)))
    return StepMap(mean, tuple(chances), _outputs(probe, state)), after


def _affine(
    probe: Probe, state: Any, t: int, asked: AskedNumbers, tables: Tables
) -> tuple[Affine, Any]:
    """The maps of K choices ``[K, c]`` by source, one after another."""
    size, width = probe.shape.size, probe.shape.size + asked.size
    inputs = torch.cat((torch.zeros(1, width), probe.scale * torch.eye(width))).double()
    count = len(next(iter(tables.values()), inputs[:1]))
    after, state = _run(probe, state, t, inputs, asked, tables, count)
    lines = after.reshape(count, width + 1, size)
    moved = ((lines[:, 1:] - lines[:, :1]) / probe.scale).transpose(1, 2).numpy()
    return Affine(moved[..., :size], lines[:, 0].numpy(), moved[..., size:]), state


def _run(
    probe: Probe,
    state: Any,
    t: int,
    inputs: Tensor,
    asked: AskedNumbers,
    tables: Tables,
    count: int,
) -> tuple[Tensor, Any]:
    """Vectors after step t from every one of ``inputs``, for each of ``count`` choices in turn."""
    size, lines = probe.shape.size, inputs.repeat(count, 1)
    chosen = {
        source: tables[place].repeat_interleave(len(inputs), 0)
        for place, source in enumerate(asked.choice)
        if tables
    }
    return probe.stepped(state, t, lines[:, :size], lines[:, size:], asked, chosen)


def _effect(probe: Probe, state: Any, t: int, asked: AskedNumbers) -> Effect:
    """Effect of choices on three fixed states with noise."""
    generator = torch.Generator().manual_seed(5)
    shape = (_EFFECTS, probe.shape.size + asked.size)
    few = torch.randn(shape, generator=generator, dtype=torch.float64)

    def effect(tables: Tables) -> Tensor:
        count = len(next(iter(tables.values()), few[:1]))
        return _run(probe, state, t, few, asked, tables, count)[0].reshape(count, -1)

    return effect


def _refuse_unlinear(probe: Probe, state: Any, t: int, asked: AskedNumbers) -> None:
    """Sums of states go to sums of what they go to, at three scales, for the key's own choices."""
    generator = torch.Generator().manual_seed(t + 1)
    shape = (len(_SCALES), probe.shape.size + asked.size)
    scales = torch.tensor(_SCALES, dtype=torch.float64)[:, None]
    points = scales * torch.randn(shape, generator=generator, dtype=torch.float64)
    pairs = torch.cat(
        (torch.zeros_like(points[:1]), points, points.flip(-1), points + points.flip(-1))
    )
    after, _ = _run(probe, state, t, pairs, asked, {}, 1)
    _compare(probe, after, Reason.STEP)
    _compare(probe, probe.outputs(state, pairs[:, : probe.shape.size]), Reason.OUTPUT)


def _compare(probe: Probe, after: Tensor, reason: Reason) -> None:
    base, one, other, both = torch.split(after, [1, 3, 3, 3])
    size = (one.abs() + other.abs() + base.abs()).amax(-1, keepdim=True)
    off = (both - (one + other - base)).abs() / size.clamp_min(1e-300)
    worst = int(off.amax(0).argmax())
    if float(off.max()) <= TOLERANCE:
        return
    if reason is Reason.OUTPUT:
        raise NotLinear(reason, "models", f"off by {float(off.max()):.2g} of its size")
    field = probe.shape.names[worst]
    operator = unlinear_operator(probe.method, probe.context.problem)
    if operator:
        raise NotLinear(Reason.OPERATOR, field, operator)
    raise NotLinear(reason, field, f"off by {float(off.max()):.2g} of its size")


def _outputs(probe: Probe, state: Any) -> Floats:
    size = probe.shape.size
    inputs = torch.cat((torch.zeros(1, size), probe.scale * torch.eye(size))).double()
    seen = probe.outputs(state, inputs)
    moved = (seen[1:] - seen[:1]) / probe.scale
    found: NDArray[np.float64] = torch.cat((moved, seen[:1])).T.numpy()
    return found
