"""Batched: a method whose stochastic gradients average more samples, by a rule of the step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

from torch import Tensor

from algorithms.methods.base import Method, RunContext
from algorithms.pipeline.base import MOST_STEPS, StepBlock, block_of
from algorithms.problems.base import Problem
from theory.constants import Constants
from theory.rules.batch_rules import BatchRule


def with_batch(context: RunContext, factor: int) -> RunContext:
    """The same world with the problem's batch times ``factor``.

    Where a stopwatch runs, a gradient then takes the time of ``factor`` base batches in turn.
    """
    if context.network.stopwatch is not None:
        for _ in range(factor - 1):
            context.network.stopwatch.work()  # the last is charged with the gradient
    if factor == 1:
        return context
    return replace(context, problem=context.problem.enlarged(factor))


@final
@dataclass(frozen=True)
class Batched(Method[Any]):
    r"""Step t of ``method`` on batches of k_t B samples, k_t = ``batch(t)``.

    With a fixed k: large-batch SGD. With k_t that grows: batch growth (Smith et al. 2018,
    arXiv:1711.00489), CR-PSGD (Yu, Jin 2019, arXiv:1905.04346, Algorithm 1: BSP-SGD with a constant
    stepsize and B_{t+1} = \lfloor\rho B_t\rfloor). The constants are those of the smallest batch,
    which hold for all.
    """

    method: Method[Any]
    batch: BatchRule

    @property
    def shared_model(self) -> bool:  # type: ignore[override]
        return self.method.shared_model

    @property
    def name(self) -> str:
        return f"{self.method.name}, {self.batch}"

    def constants(self, problem: Problem) -> Constants:
        return self.method.constants(problem.enlarged(self.batch.least))

    def init(self, x0: Tensor, context: RunContext) -> Any:
        return self.method.init(x0, context)

    def step(self, state: Any, t: int, context: RunContext) -> Any:
        return self.method.step(state, t, with_batch(context, self.batch(t)))

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        factor = self.batch(t)
        larger = replace(context, problem=context.problem.enlarged(factor))
        block = block_of(self.method, larger, t)
        if block is not None:
            changes = (s for s in range(t + 1, t + MOST_STEPS) if self.batch(s) != factor)
            ends = (next(changes, t + MOST_STEPS), block.until)
            block.until = min(end for end in ends if end is not None)
            block.more_gradients += factor - 1
        return block

    def models(self, state: Any) -> Tensor:
        return self.method.models(state)

    def seconds(self, state: Any, t: int) -> Tensor | None:
        return self.method.seconds(state, t)

    def computed(self, state: Any, t: int) -> Tensor | None:
        return self.method.computed(state, t)
