"""Faults in the ways of a run: stepsizes of another step, seconds of another tick, a state that is
not all there is, a period that is stated too short."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, final

from torch import Tensor

from algorithms.catalogue.synchronous import round_trip
from algorithms.methods.base import Method, RunContext
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.problems.quadratic import Quadratic
from proofs_check.methods.falling_steps import FallingStep, falling
from proofs_check.methods.faulty.faulty_method import FaultyMethod
from proofs_check.methods.instrumented_run import watch
from proofs_check.methods.run_invariants import STEPS
from proofs_check.methods.run_paths import recorded, resumed
from proofs_check.methods.stated_periods import periods
from proofs_check.mutants.method_mutant import MethodMutant, fault, wrong_step
from proofs_check.verdict import Verdict
from theory.constants import Constants
from theory.stepsizes import ConstantStep, Stepsize

SEED = 5
RULE = FallingStep(0.1)
STEP = ConstantStep(0.1)
FALLING = BSP(RULE)
CONSTANT = BSP(STEP)
LOCAL = LocalSGD(RULE, 4)


def _problem() -> Quadratic:
    return Quadratic.strongly_convex(4, 6, sigma2=1.0, zeta2=1.0)


ASYNCHRONOUS = ParameterServer(STEP, STEPS, round_trip(_problem()))


def stepsizes_of_bsp(method: Method[Any] = FALLING) -> Verdict:
    """Whether BSP's step t takes the stepsize of step t, in blocks too."""
    return falling("bsp-sgd", method, RULE, _problem(), SEED, f"seed {SEED}")


def stepsizes_of_local_sgd(method: Method[Any] = LOCAL) -> Verdict:
    """Whether local SGD's stepsizes are of its own period."""
    return falling(
        "local-sgd", method, RULE, _problem(), SEED, f"seed {SEED}", LOCAL.periods.longest or 1
    )


def periods_of_local_sgd(method: Method[Any] = LOCAL) -> Verdict:
    """Whether local SGD's workers meet as often as its constants state."""
    seen = watch(method, _problem(), steps=STEPS, replicas=2, seed=SEED)
    return periods("local-sgd", _problem(), method, seen, f"seed {SEED}")


def records_of_asp(method: Method[Any] = ASYNCHRONOUS) -> Verdict:
    """Whether the records of ASP are those of its models and its schedule."""
    seen = watch(method, _problem(), steps=STEPS, replicas=ASYNCHRONOUS.replicas, seed=SEED)
    schedule = ASYNCHRONOUS.schedule(4)
    return recorded("asp", _problem(), method, seen, SEED, f"seed {SEED}", schedule)


def resumed_bsp(method: Method[Any] = CONSTANT) -> Verdict:
    """Whether BSP that is interrupted ends where BSP ends."""
    seen = watch(method, _problem(), steps=STEPS, replicas=2, seed=SEED)
    return resumed("bsp-sgd", _problem(), method, seen, SEED, f"seed {SEED}")


@final
@dataclass(frozen=True)
class TellsTheTickBefore(FaultyMethod):
    """An asynchronous server whose seconds are those of the tick before.

    Attributes:
        right: the server.
    """

    right: ParameterServer

    def seconds(self, state: Any, t: int) -> Tensor | None:
        return self.right.seconds(state, max(0, t - 1))

    def computed(self, state: Any, t: int) -> Tensor | None:
        return self.right.computed(state, t)

    def step(self, state: Any, t: int, context: RunContext) -> Any:
        return self.right.step(state, t, context)


@final
@dataclass(frozen=True)
class StatesAShorterPeriod(FaultyMethod):
    """Local SGD that states one step less between its meetings than there are.

    Attributes:
        right: local SGD.
    """

    right: LocalSGD

    def constants(self, problem: Any) -> Constants:
        stated = self.right.constants(problem)
        assert stated.H is not None
        return stated.state(H=stated.H - 1)

    def step(self, state: Any, t: int, context: RunContext) -> Any:
        return self.right.step(state, t, context)


@final
@dataclass(frozen=True)
class CountsOutsideItsState(FaultyMethod):
    """BSP whose stepsize halves after eight of its own steps, which it counts beside its state.

    Attributes:
        right: BSP.
        done: one entry for each step since the run began here.
    """

    right: BSP
    done: list[int] = field(default_factory=list, compare=False, repr=False)

    def init(self, x0: Tensor, context: RunContext) -> Any:
        self.done.clear()
        return self.right.init(x0, context)

    def step(self, state: Any, t: int, context: RunContext) -> Any:
        self.done.append(t)
        after = self.right.step(state, t, context)
        if len(self.done) <= 8:
            return after
        return after._replace(x=(state.x + after.x) / 2)


@final
@dataclass(frozen=True)
class _OfFirst(Stepsize):
    """The stepsize of step 0 of another rule.

    Attributes:
        right: the rule.
    """

    right: Stepsize

    def __call__(self, t: int) -> float:
        return self.right(0)

    def __str__(self) -> str:
        return f"the first of {self.right}"


@wrong_step("stepsizes of the step before", judge=stepsizes_of_bsp, on=FALLING)
def steps_late(own: BSP, state: Any, t: int, context: RunContext) -> Any:
    """the stepsize falls one step late"""
    g = context.network.average(context.pack(own.compressor, context.gradient(state.x, t), t))
    return state._replace(x=state.x - own.step_rule(max(0, t - 1)) * g.result)


@wrong_step("the first stepsize for ever", judge=stepsizes_of_bsp, on=FALLING)
def first_step_of_bsp(own: BSP, state: Any, t: int, context: RunContext) -> Any:
    """BSP takes the stepsize of step 0 at every step"""
    return replace(own, step_rule=_OfFirst(own.step_rule)).step(state, t, context)


@wrong_step("the first stepsize for ever, local", judge=stepsizes_of_local_sgd, on=LOCAL)
def first_step_of_local_sgd(own: LocalSGD, state: Any, t: int, context: RunContext) -> Any:
    """local SGD takes the stepsize of step 0 at every step"""
    return replace(own, step_rule=_OfFirst(own.step_rule)).step(state, t, context)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "seconds of the tick before", "records have the time of the tick before",
        records_of_asp, TellsTheTickBefore(ASYNCHRONOUS),
    ),
    fault(
        "H understated", "the stated period is a step shorter than the method's",
        periods_of_local_sgd, StatesAShorterPeriod(LOCAL),
    ),
    fault(
        "a counter outside the state", "a resumed run begins to count anew",
        resumed_bsp, CountsOutsideItsState(CONSTANT),
    ),
)  # fmt: skip
