"""Row: one method as data, with the recipe that a ready one is made by.

A row that is no method has a subject instead (:mod:`algorithms.catalogue.subject`).

A row is a composition: which method, which compressor, memory, topology and period, which theorems
speak of it and on which problems it runs. The first theorem whose assumptions hold tunes it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

from algorithms.catalogue.default_stepsize import default_stepsize
from algorithms.catalogue.downlink import Downlink, Received, RunRecord, answered
from algorithms.catalogue.subject import RowSubject
from algorithms.catalogue.tuned import Tuned, prescribed
from algorithms.compressors.base import Compressor, code_of
from algorithms.compressors.identity import Identity
from algorithms.methods.base import Method
from algorithms.network.ledger import Account
from algorithms.problems.base import Problem
from algorithms.problems.entries import PROBLEMS
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorem import Result, Theorem

Build = Callable[[Stepsize, Problem, int], Method[Any]]

CORE = (
    "quadratic-sc", "logreg-breast-cancer", "nonconvex-digits-dirichlet", "quadratic-unequal",
    "mlp-digits",
)  # fmt: skip
"""Strongly convex with noise and heterogeneity, convex data, non-convex on uneven shards, unequal
Hessians and minimisers, MLP."""

OBJECTIVES = (*CORE, *(e.name for e in PROBLEMS if e.general and e.name not in CORE))
"""Names of all problems that mean something to any method."""

_UNTUNED, _OTHER = ConstantStep(1.0), ConstantStep(0.5)


@final
@dataclass(frozen=True)
class Recipe:
    """Parts of a ready row: ``build(step, problem, steps)`` composes the method.

    ``theorems`` are those whose stepsize rule the method can run by, in the order in which they are
    tried; ``results`` is what else theory says of the row: orders, laws of mean estimation,
    theorems whose assumptions or metric no run meets. ``why`` says why no theorem tunes the row.

    ``compressor`` is what the workers send with; ``operators`` are further operators of the row
    whose claims are checked too (its other forms, the server's). ``message_bits(problem,
    float_bits)`` is the mean closed-form length [bits] of the messages a worker sends, where they
    are not those of ``compressor`` alone; with ``bits_vary`` it is a bound on that mean.
    ``downlink`` says what the workers hear, where the server does not answer each of their messages
    by one of its own (:mod:`algorithms.catalogue.downlink`). ``least_workers`` is 2 where a worker
    needs a neighbour. ``practice`` composes the method as its users do, where a theorem asks for a
    stepsize or further parameters so cautious that hardly anything happens; runs that no theorem
    speaks of are made by it. ``as_stated`` composes it as the row's order asks, where parameters
    follow the number of steps or are others than the row's.

    ``cycle`` is after how many steps the rule of a step comes again (a function of n, if it depends
    on it), or words on how it changes where it does not come again soon; 0: every H steps, H as the
    method's constants state it, else at every step. ``kept_draws`` names the purposes whose random
    numbers are drawn once and kept, ``stale`` says why gradients are taken at older models where no
    delay is stated, ``kept_step`` why a step takes the stepsize of one that is more than a cycle
    older. ``relative_move`` is the share of a layer's length that a stepsize of 1 moves
    in the long run, where a method scales its steps by that length (trust ratios); 0: it does not.

    Attributes:
        problems: names of the problems that the row runs on.

    Raises:
        ValueError: a result is named twice.
    """

    build: Build
    theorems: tuple[Theorem, ...]
    compressor: Compressor | None = None
    problems: tuple[str, ...] = CORE
    operators: tuple[Compressor, ...] = ()
    why: str = ""
    message_bits: Callable[[Problem, int], float] | None = None
    bits_vary: bool = False
    downlink: Downlink | None = None
    least_workers: int = 1
    results: tuple[Result, ...] = ()
    practice: Build | None = None
    as_stated: Build | None = None
    cycle: int | str | Callable[[int], int] = 0
    kept_draws: tuple[str, ...] = ()
    stale: str = ""
    kept_step: str = ""
    relative_move: float = 0.0

    def __post_init__(self) -> None:
        names = [result.name for result in (*self.theorems, *self.results)]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(
                f"theorems and results must differ, got {', '.join(twice)} twice; once would do"
            )


@final
@dataclass(frozen=True)
class Row:
    """One method; ``recipe`` is None while it is planned, and where it is no method.

    Attributes:
        key: its name on the command line.
        family: the part of the catalogue that it belongs to.
        what: one line about the method.
        source: where it was published.
        subject: what stands for a row that is no method.
        form: of a form of a row its own name, which ``key`` names after the row's; empty: a row.
        form_of: key of the row that it is a form of.
        surveyed: whether the surveys name it; else it was published since.
        advised: whether ``rateproof advise`` weighs it against the others that are: what people
            choose among who train a model.

    Raises:
        ValueError: a recipe and a subject both.
    """

    key: str
    family: str
    what: str
    source: str
    recipe: Recipe | None = None
    subject: RowSubject | None = None
    form: str = ""
    form_of: str = ""
    surveyed: bool = True
    advised: bool = False

    def __post_init__(self) -> None:
        if self.recipe and self.subject:
            raise ValueError(f"row {self.key!r} must have a recipe or a subject, got both")

    @property
    def base(self) -> str:
        """Key of the surveyed row: its own, or that of the row that it is a form of."""
        return self.form_of or self.key

    @property
    def state(self) -> str:
        """``ready`` or ``planned``."""
        return "ready" if self.recipe or self.subject else "planned"

    @property
    def kind(self) -> str:
        """Kind of the row: ``method``, or that of its subject."""
        return self.subject.kind if self.subject else "method"

    @property
    def compressor(self) -> Compressor | None:
        """The row's operator, if it has one."""
        return self.recipe.compressor if self.recipe else None

    @property
    def operators(self) -> tuple[Compressor, ...]:
        """Every operator of the row that compresses, the workers' first; the identity is none."""
        if self.recipe is None:
            return ()
        mine = (self.recipe.compressor, *self.recipe.operators)
        return tuple(one for one in mine if one is not None and not isinstance(one, Identity))

    @property
    def theorems(self) -> tuple[Theorem, ...]:
        """Results that speak of the row, in the order in which they are tried."""
        return self.recipe.theorems if self.recipe else ()

    @property
    def results(self) -> tuple[Result, ...]:
        """Further theory of the row: orders, laws of one mean, theorems that tune no run."""
        return self.recipe.results if self.recipe else ()

    @property
    def why(self) -> str:
        """Reason why no theorem tunes it; empty where one does, and while it is planned."""
        return self.recipe.why if self.recipe else ""

    @property
    def problems(self) -> tuple[str, ...]:
        """Names of the problems it runs on."""
        return self.recipe.problems if self.recipe else ()

    def runs_on(self, name: str) -> bool:
        """Whether it lists the problem called ``name``, its data dealt by whatever @RULE.

        Surveys and tests run it on these; by name it runs on any that :meth:`require_fit` lets
        through.
        """
        return name.partition("@")[0] in self.problems

    def require_fit(self, problem: Problem) -> None:
        """Refuse a problem on which the row's method means nothing, whether it lists it or not.

        Raises:
            ValueError: the row is planned, or the method cannot minimise the problem; says why.
        """
        why = self.ready().build(_UNTUNED, problem, 1).unfit(problem)
        if why:
            raise ValueError(f"row {self.key!r} does not run on problem={problem.name}: {why}")

    def claims(self, d: int) -> tuple[str, ...]:
        """Claims of the row on R^d: claims of its operator, if it compresses; its theorems.

        Of what is no method: what its subject states.
        """
        if self.subject:
            return self.subject.states
        sends = self.compressor
        own = () if sends is None or isinstance(sends, Identity) else sends.claims(d)
        return (*(str(claim) for claim in own), *(theorem.title for theorem in self.theorems))

    def tune(
        self, problem: Problem, steps: int, step: Stepsize | None = None, *, practice: bool = False
    ) -> Tuned:
        """The method for ``steps`` steps on a problem, tuned by the first theorem that applies.

        With a ``step`` of one's own, the first theorem that covers it speaks of the run. With
        ``practice`` the recipe's parameters are those of its users where it has such, and no
        theorem speaks of the run then.

        Raises:
            ValueError: the row is planned, or a ``step`` is given and the method takes none.
        """
        recipe = self.ready()
        stepless = _stepless(recipe, problem, steps)
        if stepless and step is not None:
            raise ValueError(f"row {self.key!r} has no stepsize, got {step}; leave it out")
        constants = recipe.build(_UNTUNED, problem, steps).constants(problem).completed()
        theorems = () if practice and recipe.practice else recipe.theorems
        for theorem in theorems:
            own = step or prescribed(theorem, constants, steps)
            if own is not None and theorem.applies(constants, own, steps):
                return Tuned(recipe.build(own, problem, steps), own, theorem, stepless)
        step, note = (
            (step, "") if step else default_stepsize(problem, constants, recipe.relative_move)
        )
        build = recipe.practice or recipe.build
        return Tuned(build(step, problem, steps), step, None, stepless, "" if stepless else note)

    def build(self, problem: Problem, steps: int) -> Method[Any]:
        """The method of :meth:`tune`."""
        return self.tune(problem, steps).method

    def message_bits(self, problem: Problem, float_bits: int) -> tuple[float, bool]:
        """Mean closed-form length [bits] of a worker's messages, and whether it is exact.

        Else it is a bound, because lengths vary.
        """
        recipe = self.ready()
        if recipe.message_bits is not None:
            return recipe.message_bits(problem, float_bits), not recipe.bits_vary
        operator = (recipe.compressor or Identity()).for_shapes(problem.shapes)
        fixed = code_of(operator, problem.d, problem.dtype).fixed_bits
        exact = fixed is not None and not recipe.bits_vary
        return operator.stated_bits(problem.d, float_bits), exact

    def received(self, run: RunRecord, sent: Account) -> Received:
        """Closed form of what the workers hear in a run in which they sent what ``sent`` says."""
        stated = self.ready().downlink
        return answered(run, sent) if stated is None else stated(run)

    @property
    def one_kind(self) -> bool:
        """Whether all of a worker's messages are those of its operator."""
        return self.ready().message_bits is None

    def ready(self) -> Recipe:
        """Its recipe.

        Raises:
            ValueError: the row is planned, or is no method.
        """
        if self.subject:
            raise ValueError(
                f"row {self.key!r} is a {self.kind}, not a method that runs; "
                f"`rateproof check {self.key}` checks it"
            )
        if self.recipe is None:
            raise ValueError(f"row {self.key!r} is planned, not ready; see `rateproof list`")
        return self.recipe


def _stepless(recipe: Recipe, problem: Problem, steps: int) -> bool:
    """Whether the method is the same whatever stepsize it is made with."""
    try:
        one, other = (recipe.build(step, problem, steps) for step in (_UNTUNED, _OTHER))
        return bool(one == other)
    except (ValueError, RuntimeError):  # what cannot be compared is not known to be the same
        return False
