"""Local SGD over gossip: some steps alone, then one round with the neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, final

from torch import Tensor

from algorithms.kernels.scaled_sum import add_scaled
from algorithms.methods.base import Method, RunContext
from algorithms.methods.exchanges.gossip_rounds import GossipRound
from algorithms.methods.parts.checks import check_size
from algorithms.pipeline.base import StepBlock
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.links import FixedLists
from algorithms.pipeline.neighbours import NeighbourPlan, neighbour_block
from algorithms.pipeline.row_programs import Program, Register, gradient, plus_scaled
from algorithms.problems.base import Problem
from algorithms.synchronisation.periods import FixedPeriod
from theory.constants import Constants
from theory.stepsizes import Stepsize


class GossipLocalState(NamedTuple):
    """Each worker's model ``[..., m, d]``; what its gossip keeps.

    Attributes:
        x: the models ``[..., m, d]``.
        memo: what the averaging round carries from one to the next, such as public copies.
    """

    x: Tensor
    memo: Any


@final
@dataclass(frozen=True)
class GossipLocalSGD(Method[GossipLocalState]):
    r"""x_i^{t+1/2} = x_i^t - \gamma_t g_i(x_i^t); a round of gossip follows when H | t + 1.

    The combination that the survey (002, section XI.1) leaves open. With plain gossip it is
    X_{t+1} = (X_t - \gamma G_t) W at meetings, which cooperative SGD covers (Wang, Joshi 2018,
    arXiv:1808.07576) and, with a varying W, Koloskova et al. 2020 (arXiv:2003.10422); H = 1 is
    D-PSGD with the step before the mixing. With
    :class:`algorithms.methods.gossip.choco.ChocoRound`, H = 1 is CHOCO-SGD (arXiv:1902.00340,
    Algorithm 2); H > 1 is SPARQ-SGD without a trigger (Singh et al. 2019, arXiv:1910.14280).

    What was found (``proofs_check.evidence.gossip_local``, constant steps, quadratics):

    - convex f_i and gamma <= 2/L: no H and no gap makes plain gossip diverge; where workers curve
      downward while their mean is strongly convex, it diverges beyond H*, for small gaps
      proportional to gap / gamma;
    - drift between workers is gamma H zeta / gap, spread by noise gamma^2 H sigma^2 / gap; the mean
      model's leading term depends on neither and rules once gamma <= c gap^2 / (n H^2);
    - compressed gossip does all this as plain gossip with the gap gamma_c gap; the operator's delta
      only bounds gamma_c.

    Attributes:
        step_rule: the stepsizes \gamma_t [x^2 / f] by step t.
        gossip: the averaging round, plain or compressed.
        period: steps H between meetings.

    Raises:
        ValueError: period < 1; a topology over another number of workers than the network's.
    """

    step_rule: Stepsize
    gossip: GossipRound[Any]
    period: int

    def __post_init__(self) -> None:
        _ = FixedPeriod(self.period)

    @property
    def name(self) -> str:
        return f"local SGD over gossip, H={self.period}, {self.gossip.name}"

    def constants(self, problem: Problem) -> Constants:
        return self.gossip.constants(problem, self.period)

    def init(self, x0: Tensor, context: RunContext) -> GossipLocalState:
        check_size(self.gossip.topology, context)
        x = context.rows(x0, len(context.network.workers))
        return GossipLocalState(x, self.gossip.init(x))

    def step(self, state: GossipLocalState, t: int, context: RunContext) -> GossipLocalState:
        x = add_scaled(state.x, -self.step_rule(t), context.gradient(state.x, t))
        if (t + 1) % self.period:
            return state._replace(x=x)
        meeting = (t + 1) // self.period - 1
        return GossipLocalState(*self.gossip.average(x, state.memo, meeting, t, context))

    def compiled_block(self, context: RunContext, t: int) -> StepBlock | None:
        x, g = Register(), Register()
        found = self.gossip.on_rows(x)
        if found is None:
            return None
        descent = gradient(g, x), plus_scaled(x, x, lambda s: -self.step_rule(s), g)
        meeting = Program((*descent, *found.operations), found.swaps)
        links = FixedLists.from_topology(self.gossip.topology, lambda s: (s + 1) // self.period - 1)
        plan = NeighbourPlan(
            (x, *found.rows), (Program(descent), meeting), links, drawn_gradient(context),
            found.compressor, program=lambda s: int((s + 1) % self.period == 0),
            opened=lambda state: (state.x, *found.opened(state.memo)),
            closed=lambda _, parts: GossipLocalState(parts[0], found.closed(parts[1:])),
        )  # fmt: skip
        return neighbour_block(context, t, plan)

    def models(self, state: GossipLocalState) -> Tensor:
        return state.x
