"""TernGrad as a whole (Wen, Xu, Yan, Wu, Wang, Chen, Li 2017, arXiv:1705.07878)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.base import Shapes
from algorithms.compressors.identity import Identity
from algorithms.compressors.layerwise import LayerWise
from algorithms.compressors.ternary import TernarySum, UnitTernary
from algorithms.compressors.terngrad import TernGrad
from algorithms.methods.base import Method, RunContext
from algorithms.methods.quantisation.terngrad_block import TernaryBlock
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.rounds import rounds_block
from algorithms.problems.base import Problem
from algorithms.transforms.clipping import ClipEntries
from theory.constants import Constants
from theory.stepsizes import Stepsize


class TernGradState(NamedTuple):
    """The model that server and workers all hold, ``[..., 1, d]``.

    Attributes:
        x: the model ``[..., 1, d]``.
    """

    x: Tensor


@final
@dataclass(frozen=True)
class TernGradSGD(Method[TernGradState]):
    r"""Ternary gradients up, sums of ternaries down; every part can be left out (Algorithm 1).

    ``layers``       each tensor of the model has a scale of its own (Section 4, layer-wise)
    ``clip``         entries are cut off at so many standard deviations; None: they are not
    ``share_scale``  one small message ahead: the scale is the largest of all workers' scales
    ``localise``     the server answers with the sum of ternaries, ceil(log2(2n + 1)) bits a
                     coordinate, and workers keep the model (parameter localisation); it takes a
                     shared scale. Else the server sends the model.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.

    Raises:
        ValueError: localise without share_scale.
    """

    step_rule: Stepsize
    layers: bool = True
    clip: float | None = 2.5
    share_scale: bool = True
    localise: bool = True

    shared_model: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.localise and not self.share_scale:
            raise ValueError(
                "localise needs share_scale: ternaries of several scales have no integer sum"
            )

    @property
    def name(self) -> str:
        notes = ["by layer"] if self.layers else []
        notes += [] if self.clip is None else [f"clipped at {self.clip:g} sigma"]
        notes += ["shared scale"] if self.share_scale else []
        notes += ["localised"] if self.localise else []
        return f"TernGrad({', '.join(notes)})"

    def constants(self, problem: Problem) -> Constants:
        return problem.constants()

    def _shapes(self, problem: Problem) -> tuple[tuple[int, ...], ...]:
        return problem.shapes if self.layers else ((problem.d,),)

    def init(self, x0: Tensor, context: RunContext) -> TernGradState:
        return TernGradState(context.rows(x0, 1))

    def step(self, state: TernGradState, t: int, context: RunContext) -> TernGradState:
        problem, network = context.problem, context.network
        shapes = self._shapes(problem)
        g = context.gradient(state.x, t)
        if self.clip is not None:
            g = ClipEntries(self.clip, shapes).apply(g, network.n)
        if not self.share_scale:
            packet = context.pack(_by_layer(shapes), g, t)
            mean, _ = network.average(packet)
        else:
            scale = self._agreed(g, shapes, t, context)
            packet = context.pack(UnitTernary(), g, t, guide=scale.expand(g.shape))
            mean, _ = network.average(packet)
            if self.localise:
                mean = network.publish(context.pack_server(TernarySum(network.n), mean, t))
            mean = mean * scale
        x = state.x - self.step_rule(t) * mean
        return TernGradState(x if self.localise else context.published(x, t))

    def _agreed(
        self, g: Tensor, shapes: tuple[tuple[int, ...], ...], t: int, context: RunContext
    ) -> Tensor:
        """The largest scale of all workers for every coordinate's layer, ``[..., 1, d]``."""
        sizes = [math.prod(shape) for shape in shapes]
        own = [part.abs().amax(-1, keepdim=True) for part in torch.split(g, sizes, -1)]
        packet = context.pack(Identity(), torch.cat(own, -1), t, purpose="scale")
        largest = context.network.gather(packet).result.amax(-2, keepdim=True)
        largest = context.published(largest, t, "largest scale")
        by_layer = zip(torch.split(largest, 1, -1), sizes, strict=True)
        return torch.cat([one.expand(*one.shape[:-1], size) for one, size in by_layer], -1)

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        return rounds_block(TernaryBlock, context, t, self)

    def models(self, state: TernGradState) -> Tensor:
        return state.x


@lru_cache(maxsize=16)
def _by_layer(shapes: Shapes) -> LayerWise:
    """Kept, since it finds out once how its messages are written."""
    return LayerWise(TernGrad(), shapes)
