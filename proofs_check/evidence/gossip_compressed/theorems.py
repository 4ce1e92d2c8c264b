"""D-squared, DCD-PSGD, difference compression, quantised consensus: derivations, a run under a
bound."""

from __future__ import annotations

from typing import Any

import sympy as sp

from algorithms.compressors.fixed_point import FixedPoint
from algorithms.methods.exchanges.exchange import Exchange, FixedLinks, RandomLinks
from algorithms.methods.gossip_compressed.quantised_consensus import QuantisedConsensus
from algorithms.problems import entries
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import by_moments, linear, of_row
from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled, truth
from proofs_check.proofs.evaluated import TIME, evaluates, symbol
from proofs_check.proofs.expressions import near
from proofs_check.verdict import Verdict
from theory.theorems.dcd_psgd import dcd_psgd
from theory.theorems.quantised_consensus import quantised_consensus

lam, beta, omega, s, difference_compression_v, q = sp.symbols("lam beta omega s v q", positive=True)
z, level = sp.symbols("z level", positive=True)
# D-squared: which modes of W it keeps stable, by the criterion of Jury.


d2_limit_lam, c, d2_limit_z = sp.symbols("lambda c z", real=True)
LIMIT = -1 / (3 - 2 * c)


def characteristic() -> Any:
    """x^{t+1} = lam (2 x^t - x^{t-1} - c x^t + c x^{t-1}), c = gamma a."""
    return d2_limit_z**2 - (2 - c) * d2_limit_lam * d2_limit_z + (1 - c) * d2_limit_lam


def at_minus_one(claimed: Any) -> DerivationStep:
    """z = -1 is a root exactly at the limit."""
    value = characteristic().subs(d2_limit_z, -1).subs(d2_limit_lam, claimed)
    return equality("at the limit -1 is a root", value, 0)


def above(claimed: Any) -> DerivationStep:
    """p(-1) has the sign of lam - limit: it grows with lam for c < 1."""
    slope = sp.diff(characteristic().subs(d2_limit_z, -1), d2_limit_lam)
    rest = sp.simplify(characteristic().subs(d2_limit_z, -1) - slope * (d2_limit_lam - claimed))
    return equality("p(-1) = (3 - 2c)(lambda - limit)", rest, 0)


def other_conditions() -> tuple[DerivationStep, ...]:
    """p(1) = 1 - lam > 0, and |p(0)| = (1 - c)|lam| < 1 for 0 <= c < 1, |lam| < 1."""
    one = sp.expand(characteristic().subs(d2_limit_z, 1))
    u, v = sp.symbols("u v", nonnegative=True)
    inside = (1 - (1 - c) ** 2 * d2_limit_lam**2).subs({c: u / (1 + u), d2_limit_lam: v / (1 + v)})
    return (
        equality("p(1) = 1 - lambda", one, 1 - d2_limit_lam),
        nonnegative("the product of the roots is inside the circle", inside, u, v),
    )


def prove_d2_limit(claimed: Any = LIMIT) -> Verdict:
    r"""Modes lambda in (``claimed``, 1) have both roots inside the unit circle; -1/3 as gamma -> 0.

    Jury: z^2 + p z + q is stable iff p(1) > 0, p(-1) > 0 and |q| < 1.
    """
    return settled(
        "d2_limit",
        "a mode of D-squared is stable for lambda in (-1/(3 - 2 gamma a), 1), unstable below; the "
        "limit is -1/3 as gamma -> 0",
        "Tang, Lian, Yan, Zhang, Liu 2018, arXiv:1803.07068; necessity derived",
        at_minus_one(claimed),
        above(claimed),
        *other_conditions(),
        equality("the limit as gamma -> 0", claimed.subs(c, 0), sp.Rational(-1, 3)),
        truth("it falls as gamma grows", sp.diff(claimed, c).subs(c, sp.Rational(1, 2)) < 0),
    )


# Compressed differences over gossip: what mixing and noise leave of the spread.


KEPT = sp.sqrt(lam**2 + omega * beta**2)


def prove_dcd_psgd(kept: Any = KEPT) -> Verdict:
    """S <- ``kept`` S + sqrt(1 + omega), in gamma G.

    What is sent is (W - I) X - gamma G, at most beta S + 1 long; the mean of the next models is
    lam S + 1 from theirs, the noise sqrt(omega) (beta S + 1), at right angles in the mean. The
    square of Minkowski's sum has the mixed term at least as large.
    """
    s = sp.Symbol("S", positive=True)
    exact = (lam * s + 1) ** 2 + omega * (beta * s + 1) ** 2
    claimed = (kept * s + sp.sqrt(1 + omega)) ** 2
    mixed = 2 * s * (kept * sp.sqrt(1 + omega) - lam - omega * beta)
    # (lam^2 + omega beta^2)(1 + omega) - (lam + omega beta)^2 = omega (lam - beta)^2
    room = (lam**2 + omega * beta**2) * (1 + omega) - (lam + omega * beta) ** 2
    spread = sp.sqrt(1 + omega) / (1 - kept)
    excess = omega * (beta * spread + 1) ** 2
    return settled(
        "dcd_psgd",
        f"spreads shrink by {kept}, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Tang et al. 2018, arXiv:1803.06443",
        equality("both parts of a step", sp.expand(claimed - exact - mixed), 0),
        equality(
            "the mixed term has room",
            sp.expand(room),
            sp.expand(omega * (lam - beta) ** 2),
        ),
        equality("the spread ends at", sp.simplify(kept * spread + sp.sqrt(1 + omega) - spread), 0),
        near(dcd_psgd, spread, excess=excess),
    )


# DCD-PSGD's growth for two workers, ECD-PSGD's estimates in closed form.


ESTIMATE = sp.Rational(2, 3) * (2 * s - 3) / ((s - 1) * (s - 2)) * difference_compression_v
GROWTH = omega / 2


def two_workers(claimed: Any) -> DerivationStep:
    """W = J, models a and -a: z_i = C(-x_i), x_i+ = x_i + z_i is the error alone."""
    a, e, f = sp.symbols("a e f", real=True)
    apart = sp.expand((e - (e + f) / 2) ** 2 + (f - (e + f) / 2) ** 2)
    moments = {(2, 0): omega * a**2, (0, 2): omega * a**2}
    mean = sum(k * moments.get(powers, 0) for powers, k in sp.Poly(apart, e, f).terms())
    return equality("two workers: E||.||^2 times omega/2", mean / (2 * a**2), claimed)


def recursion(claimed: Any) -> tuple[DerivationStep, ...]:
    """e^{s+1} = (1 - 2/s)^2 e^s + (2/s)^2 v, e^3 = v."""
    after = (1 - 2 / s) ** 2 * claimed + (2 / s) ** 2 * difference_compression_v
    return (
        equality("one step of the estimate", after, claimed.subs(s, s + 1)),
        equality("its start", claimed.subs(s, 3), difference_compression_v),
        equality(
            "its tail: s e^s -> 4v/3",
            sp.limit(s * claimed, s, sp.oo),
            4 * difference_compression_v / 3,
        ),
    )


def prove_difference_compression(estimate: Any = ESTIMATE, growth: Any = GROWTH) -> Verdict:
    r"""E15 and E||\tilde x^s - x^s||^2 = ``estimate``; v is the second moment of one message."""
    return settled(
        "difference_compression",
        f"DCD-PSGD multiplies the disagreement of two workers by {growth}; ECD-PSGD's estimate of "
        f"x^s is off by {estimate}",
        "Tang, Gan, Zhang, Zhang, Liu 2018, arXiv:1803.06443, Algorithms 1 and 2; derived",
        two_workers(growth),
        *recursion(estimate),
    )


# Quantised consensus: what errors add to the disagreement when a pair compensates.


a, b, e, f, quantised_consensus_v = sp.symbols("a b e f v", real=True)
ADDED = quantised_consensus_v


def pair() -> tuple[Any, Any]:
    """Values a, b with errors e, f of the quantiser, after a compensating meeting."""
    return a - (a + e) / 2 + (b + f) / 2, b - (b + f) / 2 + (a + e) / 2


def mean_is_kept() -> DerivationStep:
    """Sum before and after, for any errors."""
    one, other = pair()
    return equality("the pair's sum is kept whatever the errors", one + other, a + b)


def added(claimed: Any) -> DerivationStep:
    """E of what the errors add to the sum of squares: independent, mean 0, second moment v each."""
    one, other = pair()
    clean = sp.expand(one**2 + other**2).subs({e: 0, f: 0})
    extra = sp.Poly(sp.expand(one**2 + other**2) - clean, e, f)
    moments = {(2, 0): quantised_consensus_v, (0, 2): quantised_consensus_v}
    mean = sum(c * moments.get(powers, 0) for powers, c in extra.terms())
    return equality("errors of a pair add v", mean, claimed)


def added_by_all() -> DerivationStep:
    """The same where everybody hears others at once, M = W - I: v times the squares of M."""
    m, errors = sp.Matrix(3, 3, sp.symbols("m:9", real=True)), sp.symbols("e:3", real=True)
    spread = sp.Poly(sp.expand((m * sp.Matrix(errors)).norm() ** 2), *errors)
    mean = sum(c * quantised_consensus_v for powers, c in spread.terms() if max(powers) == 2)
    return equality(
        "errors of all add v ||W - I||_F^2",
        mean,
        quantised_consensus_v * sum(entry**2 for entry in m),
    )


def unrolled(claimed: Any) -> DerivationStep:
    """u^{t+1} = q u^t + v with u^t = q^t z + (1 - q^t) level."""
    t = sp.symbols("t", positive=True)
    curve = q**t * z + (1 - q**t) * level
    after = (q**t * q) * z + (1 - q**t * q) * level
    return equality(
        "the level",
        sp.expand(after - q * curve).subs(level, claimed / (1 - q)),
        quantised_consensus_v,
    )


def prove_quantised_consensus(claimed: Any = ADDED) -> Verdict:
    r"""E||z^{t+1}||^2 = E||W z^t||^2 + ``claimed`` for one pair a tick.

    Errors of mean 0 given x have no cross term with W z; those of a pair add v, those of all
    v ||W - I||_F^2.
    """
    left = symbol("lam") ** (2 * TIME)
    bound = left * symbol("initial_potential") + (1 - left) * claimed / (1 - symbol("lam") ** 2)
    return settled(
        "quantised_consensus",
        f"a tick adds {claimed}; the level is {claimed}/(1 - lambda^2)",
        "derived; the rule is Carli, Fagnani, Frasca, Zampieri 2010, arXiv:0907.0748",
        mean_is_kept(),
        added(claimed),
        added_by_all(),
        unrolled(claimed),
        evaluates(quantised_consensus, bound.subs(quantised_consensus_v, symbol("absolute_error"))),
    )


PROOFS = (prove_d2_limit, prove_dcd_psgd, prove_difference_compression, prove_quantised_consensus)

COVERS = {"prove_d2_limit": ("d2",), "prove_difference_compression": ("dcd-psgd", "ecd-psgd")}


# Quantised consensus under its bound.


def _quantised(exchange: Exchange, where: str, steps: int) -> BoundCheck:
    grid = FixedPoint(2, 12)
    return BoundCheck(
        "quantised-consensus", f"consensus, {where}", quantised_consensus,
        lambda: entries.problem("consensus", exchange.n),
        lambda _s, p, _t: QuantisedConsensus(exchange, grid, row_error=p.d * grid.step**2 / 4),
        steps,
    )  # fmt: skip


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    _quantised(RandomLinks(RandomEdge(Ring(8))), Ring(8).name, 200),
    _quantised(RandomLinks(RandomEdge(Torus(3, 3))), Torus(3, 3).name, 100),
    _quantised(FixedLinks(Ring(8)), f"{Ring(8).name}, all at once", 60),
    by_moments("dcd-psgd", dcd_psgd, of_row("dcd-psgd"), 400),
    linear("d2", 600, look=200),
)
