r"""CHOCO-Gossip through a quantiser whose range shrinks: agreement at the derived rate.

Li, Fu, Xie, Zhang 2011 (IEEE TAC 56(2)); see :mod:`theory.networks.zooming`. Every coordinate's
disagreement stays below A R_0 \kappa^t, and no difference leaves the range. With a fixed range of
as many bits public copies come no nearer than a cell.
"""

from __future__ import annotations

from algorithms.compressors.nearest_grid import FixedRange
from algorithms.compressors.requirements import OutOfRange
from algorithms.compressors.zooming_range import ZoomingRange
from algorithms.engine.run import run
from algorithms.methods.gossip.choco import ChocoGossip
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.closed_forms.gossip.consensus import consensus_problem
from proofs_check.instruments.evidence import IDENTITY
from proofs_check.instruments.paths import path
from proofs_check.verdict import Outcome, Verdict
from theory.networks.zooming import Zooming

COVERS = ("choco-gossip",)

D = 5
_STEPS = 400
_SETTINGS: tuple[tuple[Topology, float, int], ...] = (
    (Ring(6), 0.05, 2),
    (Torus(3, 3), 0.4, 4),
    (Complete(8), 1.0, 6),
)


def setting(topology: Topology, gamma: float, b: int) -> tuple[Quadratic, Zooming, float, float]:
    r"""Consensus problem, theory, \kappa halfway between the least derived and 1, and R_0."""
    problem = consensus_problem(topology.n, D, 90)
    theory = Zooming.of(topology.matrix(0), gamma, b)
    ratio = (1 + theory.ratio) / 2
    return problem, theory, ratio, theory.radius(problem.c.numpy(), ratio)


def within(topology: Topology, gamma: float, b: int, hurry: float = 1.0) -> Verdict:
    r"""The largest ||y^t|| / (A R_0 \kappa^t), while the range shrinks as (hurry \kappa)^t."""
    problem, theory, ratio, radius = setting(topology, gamma, b)
    level = theory.spread(ratio) * radius
    method = ChocoGossip(topology, ZoomingRange(radius, b, hurry * ratio), gamma)
    worst, why = 0.0, "nothing beyond the range"
    try:
        for moment in path(method, problem, _STEPS):
            x = moment.state.x[0]
            apart = float((x - x.mean(0)).norm(dim=0).max())
            worst = max(worst, apart / (level * max(ratio**moment.t, 1e-12)))
    except OutOfRange as error:
        worst, why = float("inf"), str(error)
    return Verdict(
        subject="choco-gossip",
        problem=problem.name,
        claim=f"at {b} bits a coordinate workers agree as {ratio:.4f}^t and no difference leaves "
        f"the range, {topology.name}, gamma={gamma:g}",
        check="zooming quantiser",
        outcome=Outcome.SUPPORTED if worst <= 1 + IDENTITY else Outcome.REFUTED,
        statistic=worst,
        bound=1.0,
        evidence=f"disagreement at most {worst:.4g} of the bound in {_STEPS} rounds; {why}",
        provenance=f"derived; n={topology.n}, d={D}",
    )


def fixed_ranges_stall() -> Verdict:
    """Disagreement after 400 rounds on a torus of 9 at 4 bits: fixed range against shrinking."""
    topology, gamma, b = _SETTINGS[1]
    problem, _, ratio, radius = setting(topology, gamma, b)
    shrinking, fixed = (
        float(run(ChocoGossip(topology, q, gamma), problem, steps=_STEPS).consensus[0, -1])
        for q in (ZoomingRange(radius, b, ratio), FixedRange(radius, b))
    )
    return Verdict(
        subject="choco-gossip",
        problem=problem.name,
        claim="at 4 bits a fixed range stalls where a shrinking one agrees",
        check="zooming quantiser",
        outcome=Outcome.SUPPORTED if shrinking < 1e-6 * fixed else Outcome.REFUTED,
        statistic=shrinking,
        bound=fixed,
        evidence=f"consensus distance {shrinking:.3g} against {fixed:.3g}",
        provenance=f"{_STEPS} rounds, {topology.name}, no randomness",
    )


def zooming() -> tuple[Verdict, ...]:
    """The rate on three graphs at 2, 4 and 6 bits, and the stall of a fixed range."""
    return (*(within(*setting) for setting in _SETTINGS), fixed_ranges_stall())


CLOSED_FORMS = (zooming,)
