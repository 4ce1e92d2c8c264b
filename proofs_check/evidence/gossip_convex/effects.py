"""Effects of gossip for convex functions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, final

from torch import Tensor

from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.gossip_convex.mirror_descent import MirrorDescent
from algorithms.methods.gossip_convex.projected_dgd import projected_dgd
from algorithms.methods.gossip_directed.gossipgrad import GossipGraD
from algorithms.problems.absolute_data import simplex_signs
from algorithms.problems.pairwise import breast_cancer_pairs
from algorithms.problems.partitions import SortedByLabel
from algorithms.problems.quadratic_data import BOUND, on_ball, unequal
from algorithms.sets.ball import Ball
from algorithms.sets.base import Unconstrained
from algorithms.sets.geometry import Euclidean
from algorithms.sets.simplex import Simplex
from algorithms.topologies.averaging import Averaging
from algorithms.topologies.random_digraph import RandomDigraph
from algorithms.topologies.ring import Ring
from proofs_check.evidence.gossip_convex.faults import AllAtHome, GuestsAtHome, Speechless
from proofs_check.instruments.contrast import arm, contrast
from proofs_check.instruments.effect_check import StepsizeChoice
from proofs_check.instruments.reading import Reading
from proofs_check.instruments.setting import FromProblem, Setting
from proofs_check.instruments.variants import Fixed
from proofs_check.methods.faulty.faulty_method import FaultyMethod
from theory.stepsizes import InverseRootStep

_MEAN_MODEL = " of the mean model"


def _root(scale: float) -> FromProblem:
    """Multiples of ``scale`` / sqrt(t + 1)."""
    return FromProblem(f"gamma_t = {scale:g}/sqrt(t + 1)", lambda _: InverseRootStep(scale))


DGD = contrast(
    "dgd", "neighbours' averages at every step lead to the optimum of the sum",
    Setting(
        "quadratic-unequal, no noise", partial(unequal, sigma2=0.0), 8, 1200,
        (0.005, 0.02, 0.1, 1.0), points=200, d=20, note="ring",
    ),
    Reading(of=_MEAN_MODEL),
    method="DGD",
    baseline=arm(
        "each to its own minimum, averaged once", lambda it: Speechless(it.own)
    ),
    without=arm(
        "means of what is heard over a digraph, in which workers do not count alike",
        lambda it: GossipGraD(
            it.step, FixedLinks(Averaging(RandomDigraph(it.problem.n, 0.4, seed=7))),
            shuffle=False,
        ),
    ),
    at_most=0.02,
    source="Nedic, Ozdaglar 2009, IEEE TAC 54(1), Proposition 3: a neighbourhood of the optimum of "
    "the size of the stepsize",
)  # fmt: skip

GOSSIP_DUAL_AVERAGING = contrast(
    "gossip-dual-averaging", "samples that travel make functions of pairs a matter of gossip",
    Setting(
        "pairwise-logistic, sorted by label",
        partial(breast_cancer_pairs, lam=0.05, samples=4, partition=SortedByLabel()), 6, 300,
        _root(0.2), replicas=48, points=60, d=Fixed.DATA,
        note="a step is a tick, random pairs of a ring, 4 samples each",
    ),
    Reading(quantity="distance_of_workers"),
    method="gossip dual averaging",
    baseline=arm(
        "workers by themselves, over own pairs alone", lambda it: AllAtHome(it.own)
    ),
    without=arm("sums are averaged, samples stay at home", lambda it: GuestsAtHome(it.own)),
    at_most=0.05,
    source="Colin, Bellet, Salmon, Clemencon 2016, arXiv:1606.02421, Theorem 3 and section 5",
)  # fmt: skip


def _projection(it: Any) -> Method[Any]:
    return MirrorDescent(it.step, Ring(it.problem.n), Euclidean(Simplex()))


MIRROR_DESCENT = contrast(
    "mirror-descent", "on the simplex steps in the entropy beat projections",
    Setting(
        "simplex-signs, d = 200", simplex_signs, 8, 100, (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0),
        replicas=16, points=60, d=200, note="ring, 200 signs of which a gradient takes one",
    ),
    Reading(of=_MEAN_MODEL),
    method="mirror descent, entropy",
    baseline=arm(
        "projected gradients", _projection, step=tuple(2.0**-k for k in range(6, 11))
    ),
    without=arm(
        "the mirror map left out: Euclidean projection with the method's stepsizes", _projection
    ),
    at_most=0.3,
    source="Rabbat 2015, IEEE CAMSAP; for the simplex Beck, Teboulle 2003, Oper. Res. Lett. 31(3): "
    "sqrt(log d) where projection has sqrt(d)",
    scales=("linear", "log"), tuning=StepsizeChoice.OWN_GRIDS,
)  # fmt: skip


@final
@dataclass(frozen=True)
class ProjectedInTheEnd(FaultyMethod):
    """The mean of the models, projected when it is looked at: the steps know nothing of the set."""

    right: Method[Any]

    @property
    def shared_model(self) -> bool:  # type: ignore[override]
        return True

    def step(self, state: Any, t: int, context: Any) -> Any:
        return self.right.step(state, t, context)

    def models(self, state: Any) -> Tensor:
        rows = self.right.models(state)
        return Ball(BOUND[1]).project(rows.mean(-2, keepdim=True)).expand_as(rows)


PROJECTED_DGD = contrast(
    "projected-dgd", "projecting at every step finds the optimum over a set that binds",
    Setting(
        "quadratic-ball, no noise", partial(on_ball, sigma2=0.0), 8, 800, _root(0.5),
        points=200, d=20, note=f"ring, radius {BOUND[1]:g}",
    ),
    Reading(quantity="squared_distance", of=_MEAN_MODEL),
    method="projected DGD",
    baseline=arm(
        "DGD without a set, its mean model projected in the end",
        lambda it: ProjectedInTheEnd(
            projected_dgd(it.step, Ring(it.problem.n), Unconstrained())
        ),
    ),
    without=arm(
        "a ball of radius 100, which never binds",
        lambda it: projected_dgd(it.step, Ring(it.problem.n), Ball(100.0)),
    ),
    at_most=0.35,
    source="Ram, Nedic, Veeravalli 2010, arXiv:0811.2595, Theorem 2: convergence to the optimum "
    "over the set",
)  # fmt: skip
