"""Forms: variants that a row's text names, each a recipe of its own, run as ``ROW:FORM``.

A form is checked as its row is: run on its problems, billed, cross-validated on ranks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from algorithms.catalogue.asynchronous import downpour
from algorithms.catalogue.drift import feddyn_of_few, scaffold_of
from algorithms.catalogue.error_feedback import both_ways
from algorithms.catalogue.gossip_tracking import tracked_from_gradients
from algorithms.catalogue.row import CORE, Recipe, Row
from algorithms.catalogue.stragglers import assigned, stopping
from algorithms.catalogue.synchronous import round_trip
from algorithms.catalogue.variance_reduced import (
    estimated_dasha,
    partial_marina,
    sampled_marina,
)
from algorithms.compressors.composed import QuantisedTopK
from algorithms.compressors.identity import Identity
from algorithms.compressors.random_mask import RandomMask
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.admm.admm_random import RandomADMM
from algorithms.methods.base import Method
from algorithms.methods.cooperative.cooperative import Cooperative, elastic
from algorithms.methods.cooperative.easgd_async import AsyncEASGD
from algorithms.methods.drift.scaffold import ControlOption
from algorithms.methods.gossip_directed.overlap_sgp import OverlapSGP
from algorithms.methods.gossip_dual.ssda import SSDA
from algorithms.methods.gossip_pairwise.gossiping_sgd import Direction, GossipingSGD
from algorithms.methods.large_batch.cr_psgd import CatalystPSGD
from algorithms.methods.lazy.lag import LAG
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.local_updates.qsparse_async import AsyncQsparse
from algorithms.methods.parts.delay_compensation import DiagonalCompensation
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.optimizers.adagrad import Adagrad
from algorithms.problems.base import Problem
from algorithms.problems.conjugate import LocalModel
from algorithms.synchronisation.assignment import AtRandom, FirstComeFirstServed
from algorithms.synchronisation.lazy import ServerRule
from algorithms.topologies.complete import Complete
from algorithms.topologies.ring import Ring
from algorithms.topologies.static_exponential import StaticExponential
from theory.rules.batch_rules import SteadyBatch
from theory.stepsizes import Stepsize
from theory.survey.rows import SINCE_ROWS, SURVEY_ROWS

_PERIOD, _STAGES = 8, 10
_PULL = 0.9  # EASGD's beta; alpha is beta / n
_WEIGHTS = (0.08,) * 10  # LAG's convergence is stated for a sum below 1
_MASK = RandomMask(0.25, scaled=True)
_COMPOSED = QuantisedTopK(0.1, 15)


@final
@dataclass(frozen=True)
class RowForm:
    """A variant of the row called ``key``.

    Attributes:
        key: key of its row.
        name: its own name.
        what: one line: what it does otherwise than its row.
        recipe: how it is made.

    Raises:
        ValueError: there is no such row.
    """

    key: str
    name: str
    what: str
    recipe: Recipe

    @property
    def row(self) -> Row:
        """The form as a row: its key is ``ROW:FORM``."""
        listed = next((one for one in (*SURVEY_ROWS, *SINCE_ROWS) if one.key == self.key), None)
        if listed is None:
            raise ValueError(f"the form {self.name!r} is of no listed row, got key={self.key!r}")
        return Row(
            f"{self.key}:{self.name}", listed.family, self.what, listed.source, self.recipe,
            form=self.name, form_of=self.key, surveyed=listed in SURVEY_ROWS,
        )  # fmt: skip


def _server_rule(step: Stepsize, problem: Problem, _steps: int) -> Method[Any]:
    c = problem.constants()
    return LAG(step, ServerRule((c.L_max or c.need("L"),)), _WEIGHTS)


def _catalyst(step: Stepsize, problem: Problem, steps: int) -> Method[Any]:
    c = problem.constants()
    stage = max(1, steps // _STAGES)
    return CatalystPSGD(step, SteadyBatch(stage, 16), stage, 2 * (c.L_max or c.need("L")))


FORMS: tuple[RowForm, ...] = (
    RowForm(
        "lag",
        "ps",
        "the server asks those whose models are old by its own bound: LAG-PS",
        Recipe(
            _server_rule,
            (),
            Identity(),
            CORE[:4],
            stale="workers that are not asked keep the model they heard last",
            why="as for the worker's rule; it takes the smoothness of the workers' functions",
        ),
    ),
    RowForm(
        "easgd",
        "async",
        "every worker meets the centre at its own clock (Algorithm 1)",
        Recipe(
            lambda step, p, steps: AsyncEASGD(
                step, steps, round_trip(p), _PULL / p.n, period=_PERIOD
            ),
            (),
            Identity(),
            why="no rate of the asynchronous form is stated; its stability is among the closed "
            "forms",
        ),
    ),
    RowForm(
        "cooperative-sgd",
        "auxiliary",
        "one auxiliary variable, which the server holds and all models meet in: v = 1",
        Recipe(
            lambda step, p, _t: Cooperative(step, elastic(p.n, _PULL / p.n), _PERIOD),
            (),
            Identity(),
            cycle=_PERIOD,
            why="the theorem's lambda is that of a matrix over workers alone",
        ),
    ),
    RowForm(
        "ssda-msda",
        "ssda",
        "one round of messages and one local minimisation a step: SSDA",
        Recipe(
            lambda _s, p, _t: SSDA(Ring(p.n), LocalModel.from_problem(p)),
            (),
            Identity(),
            CORE[:4],
            why="rounds to a given accuracy are stated to order only",
            least_workers=2,
        ),
    ),
    RowForm(
        "sgp",
        "overlapped",
        "what is sent is taken in a step later, while gradients go on: 1-OSGP",
        Recipe(
            lambda step, p, _t: OverlapSGP(step, StaticExponential(p.n), 1),
            (),
            Identity(),
            message_bits=lambda p, bits: float((p.d + 1) * bits),
            why="the rate is stated to order only",
            least_workers=2,
        ),
    ),
    RowForm(
        "gossiping-sgd",
        "push",
        "a worker sends its model to one that averages it in",
        Recipe(
            lambda step, p, steps: GossipingSGD(
                step, steps, round_trip(p), Complete(p.n), Direction.PUSH
            ),
            (),
            Identity(),
            least_workers=2,
            why="one-sided averages keep the mean in expectation only; evidence is by experiment",
        ),
    ),
    RowForm(
        "qsparse-local-sgd",
        "async",
        "every worker meets the server alone, nobody waits",
        Recipe(
            lambda step, _p, _t: AsyncQsparse(step, _PERIOD, _COMPOSED, ErrorFeedback()),
            (),
            _COMPOSED,
            why="rates are stated to order only, for gaps of at most H",
        ),
    ),
    RowForm(
        "pqasgd",
        "sparse",
        "increments are sparsified without bias instead of quantised: SASGD",
        Recipe(
            lambda step, _p, _t: LocalSGD(step, _PERIOD, compressor=_MASK),
            (),
            _MASK,
            bits_vary=True,
            why="O(1/sqrt(nT)) is stated to order only, for non-convex objectives",
        ),
    ),
    RowForm(
        "cr-psgd",
        "catalyst",
        "stages on f plus a proximal term, for functions not convex",
        Recipe(
            _catalyst,
            (),
            Identity(),
            CORE[:4],
            cycle="stages of a tenth of the steps, in each of which the batch grows",
            why="the rate is stated to order only",
        ),
    ),
    RowForm(
        "decentralised-admm",
        "async",
        "one random edge at a time, no order of workers",
        Recipe(
            lambda step, p, _t: RandomADMM(step, Ring(p.n)),
            (),
            Identity(),
            why="almost sure convergence is stated without a rate",
            least_workers=2,
        ),
    ),
    RowForm(
        "dc-asgd",
        "constant",
        "lambda is constant: DC-ASGD-c; the row itself is DC-ASGD-a",
        Recipe(
            lambda step, p, steps: ParameterServer(
                step, steps, round_trip(p), correction=DiagonalCompensation(0.04)
            ),
            (),
            Identity(),
            why="its bounds hold up to the error of the approximate Hessian, to order only",
        ),
    ),
    RowForm(
        "downpour",
        "push-first",
        "pushes before it fetches, as the paper's listing does",
        downpour(push_first=True),
    ),
    RowForm(
        "downpour",
        "adagrad",
        "the server takes a stepsize for every coordinate: Adagrad",
        downpour(optimizer=Adagrad()),
    ),
    RowForm(
        "ringmaster",
        "stopping",
        "gradients are stopped at the age at which they would be dropped",
        stopping(),
    ),
    RowForm("ef21-p", "diana", "gradients go up as compressed differences to shifts", both_ways()),
    RowForm("marina", "partial", "half of the workers a compressed round", partial_marina()),
    RowForm(
        "marina",
        "samples",
        "compressed rounds are of differences of samples: VR-MARINA",
        sampled_marina(),
    ),
    RowForm(
        "dasha",
        "mvr",
        "workers average gradients over time, old ones taken anew",
        estimated_dasha(0.1, 0.0),
    ),
    RowForm(
        "dasha",
        "page",
        "workers take exact gradients at times, else differences of samples",
        estimated_dasha(0.0, 0.1),
    ),
    RowForm(
        "k-gt",
        "gradient-start",
        "corrections start at the mean gradient less the own one",
        tracked_from_gradients(),
    ),
    RowForm(
        "scaffold",
        "pass",
        "new controls are gradients at the server's model: option I",
        scaffold_of(ControlOption.PASS),
    ),
    RowForm("scaffold", "partial", "half of the workers a round", scaffold_of(few=True)),
    RowForm("feddyn", "partial", "half of the workers a round", feddyn_of_few()),
    RowForm(
        "asgrad",
        "pure",
        "models go to whoever arrives: asynchronous SGD",
        assigned(FirstComeFirstServed()),
    ),
    RowForm("asgrad", "random", "models go to workers drawn uniformly", assigned(AtRandom())),
)
