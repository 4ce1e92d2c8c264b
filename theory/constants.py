"""Constants: all that a theorem may speak of, each with how it is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from types import MappingProxyType
from typing import Any, final


class Kind(Enum):
    """Relation of a stated constant to the true value."""

    EXACT = "exact"
    UPPER = "upper bound"
    LOWER = "lower bound"
    MEASURED = "measured along the run"


@final
@dataclass(frozen=True)
class Statement:
    """Statement of one constant: exact or a bound, where it holds, and why.

    Attributes:
        kind: exact, an upper bound or a lower bound.
    """

    kind: Kind
    where: str
    why: str


class MissingConstants(ValueError):
    """A theorem was asked about a setting that does not state what it needs."""


class Inapplicable(MissingConstants):
    """A theorem has no number for these constants; the message names what fails."""


@final
@dataclass(frozen=True)
class Constants:
    """The numbers of one setting (problem, method, network); ``None`` where nothing is stated.

    Units: [f] is that of the objective, [x] that of the parameters.

    Attributes:
        n: number of workers.
        d: number of parameters.
        L: smoothness of f: gradients are L-Lipschitz [f / x^2].
        mu: strong convexity of f [f / x^2].
        sigma2: largest variance E||g_i(x) - grad f_i(x)||^2 of a worker's gradient [(f / x)^2].
        zeta2: largest (1/n) sum_i ||grad f_i(x) - grad f(x)||^2, heterogeneity [(f / x)^2].
        G2: largest second moment E||g_i(x)||^2 [(f / x)^2].
        initial_gap: f(x_0) - f* [f].
        R2: ||x_0 - x*||^2 [x^2].
        f_star: the minimum f* [f].
        lam: max(|lambda_2|, |lambda_n|) of the mixing matrix W; its gap is 1 - lam.
        lam_n: smallest eigenvalue of W.
        beta: ||I - W||_2.
        symmetric: whether W is symmetric.
        omega: E||C(x) - x||^2 <= omega ||x||^2 with E C(x) = x.
        delta: E||C(x) - x||^2 <= (1 - delta) ||x||^2.
        H: largest number of local steps between two meetings.
        tau: largest staleness, in updates.
        convex: whether every f_i is convex.
        pl: Polyak-Lojasiewicz constant [f / x^2].
        L_max: smoothness of every f_i [f / x^2].
        mu_min: strong convexity of every f_i [f / x^2].
        omega_up: omega of the workers' operator, where both directions are compressed.
        omega_down: omega of the server's.
        delta_up: delta of the workers' operator, where both directions are compressed.
        delta_down: delta of the server's.
        initial_potential: the consensus potential at the start [x^2].
        alpha: step of the shifts h_i of DIANA.
        L_one: sum_j L_j of |f(y) - f(x) - <grad f(x), y - x>| <= sum_j L_j (y_j - x_j)^2 / 2
            [f / x^2].
        sigma_one: sum over coordinates j of the standard deviation of a worker's gradient [f / x].
        symmetric_noise: whether gradient noise is unimodal and symmetric in every coordinate.
        absolute_error: E||C(p) - p||^2 at most this for every p that can occur [x^2].
        H_stale: H where a mean is heard one period late, as in CoCoD-SGD.
        H_velocity: H where velocities are averaged with the models.
        momentum: m of velocities u <- m u + g.
        tau_coordinate: largest staleness of any coordinate that is read, in updates.
        lazy: sum of the weights of past moves in a lazy worker's allowance.
        lazy_window: past moves that this allowance looks back at.
        lead: clocks that a worker may be ahead of the slowest (SSP's s).
        lipschitz: largest norm of a gradient of any component [f / x].
        lipschitz_one: largest entry of a gradient of any component: how much f can change by in
            the 1-norm [f / x].
        divergence: D(x*, x_0), D the distance that steps of mirror descent are measured by.
        hessian_lipschitz: ||grad^2 f(x) - grad^2 f(y)||_2 is at most this times ||x - y||
            [f / x^3].
        diameter: largest distance of two points that can occur [x].
        zeta2_star: (1/n) sum_i ||grad f_i(x*)||^2 at a minimiser x* [(f / x)^2].
        growth: step t averages at least growth^t/2 base batches.
        reach: distance, in gamma sqrt(G2), within which of the model gradients are taken.
        behind: distance of the model from a virtual iterate that takes plain steps, in the same.
        gain: steps of that iterate over gamma times the mean gradient.
        excess: n times the variance of such a step beside that of gradients [G2].
        blocks: blocks of coordinates that take turns.
        tau_rms: root of the mean squared staleness, in updates.
        kept: what a round of gossip leaves of the mean squared distance of models from their mean
            (with that of public copies from models, where there are some), in expectation.
        carried: what mixing leaves of one worker's step, summed over all its ages: sum_k of the
            norm of what k products of mixing matrices differ from their limit in.
        echoed: alpha of what is sent, C(g + alpha h), under decaying feedback.
        remembered: beta of its memory h <- beta h + g - sent.
        consensus_step: gamma of compressed gossip, a pure number.
        L_rms: root of the mean of L_i^2, L_i the smoothness of f_i [f / x^2].
        initial_memory: (1/n) sum_i ||g_i - grad f_i(x_0)||^2 of what workers hold of their
            gradients after the first message [(f / x)^2].
        refresh: probability of a round in which gradients are sent in full.
        meeting_chance: probability p that all workers meet after a step.
        compensation: what a correction of the delay adds to a gradient is at most this times the
            model's move since it was read [f / x^2].
        turn: every worker arrives at least once within this many consecutive ticks.
        collected: gradients of its model that a server waits for: the noise of its step is at most
            sigma2 / collected, and so many at least make it.
        held: arrivals for which a server keeps a model, at most.
        statements: by a constant's name, how it is known.
    """

    n: int | None = None
    d: int | None = None
    L: float | None = None
    mu: float | None = None
    sigma2: float | None = None
    zeta2: float | None = None
    G2: float | None = None
    initial_gap: float | None = None
    R2: float | None = None
    f_star: float | None = None
    lam: float | None = None
    lam_n: float | None = None
    beta: float | None = None
    symmetric: bool | None = None
    omega: float | None = None
    delta: float | None = None
    H: int | None = None
    tau: int | None = None
    convex: bool | None = None
    pl: float | None = None
    L_max: float | None = None
    mu_min: float | None = None
    omega_up: float | None = None
    omega_down: float | None = None
    delta_up: float | None = None
    delta_down: float | None = None
    initial_potential: float | None = None
    alpha: float | None = None
    L_one: float | None = None
    sigma_one: float | None = None
    symmetric_noise: bool | None = None
    absolute_error: float | None = None
    H_stale: int | None = None
    H_velocity: int | None = None
    momentum: float | None = None
    tau_coordinate: int | None = None
    lazy: float | None = None
    lazy_window: int | None = None
    lead: int | None = None
    lipschitz: float | None = None
    lipschitz_one: float | None = None
    divergence: float | None = None
    hessian_lipschitz: float | None = None
    diameter: float | None = None
    zeta2_star: float | None = None
    growth: float | None = None
    reach: float | None = None
    behind: float | None = None
    gain: float | None = None
    excess: float | None = None
    blocks: int | None = None
    tau_rms: float | None = None
    kept: float | None = None
    carried: float | None = None
    echoed: float | None = None
    remembered: float | None = None
    consensus_step: float | None = None
    L_rms: float | None = None
    initial_memory: float | None = None
    refresh: float | None = None
    meeting_chance: float | None = None
    compensation: float | None = None
    turn: int | None = None
    collected: int | None = None
    held: int | None = None
    statements: MappingProxyType[str, Statement] = field(
        default_factory=lambda: MappingProxyType({})
    )

    def stated(self) -> tuple[str, ...]:
        """Names of the constants that carry a value."""
        return tuple(
            f.name
            for f in fields(self)
            if f.name != "statements" and getattr(self, f.name) is not None
        )

    def missing(self, names: Iterable[str]) -> tuple[str, ...]:
        """Those of ``names`` without a value."""
        return tuple(name for name in names if getattr(self, name) is None)

    def need(self, name: str) -> float:
        """The value of ``name`` as a float.

        Raises:
            MissingConstants: the constant is not stated.
        """
        value = getattr(self, name)
        if value is None:
            raise MissingConstants(
                f"this theorem needs {name}; stated are {', '.join(self.stated()) or 'none'}"
            )
        return float(value)

    def positive(self, name: str) -> float:
        """The value of ``name``, which the theorem takes to be positive.

        Raises:
            MissingConstants: it is not stated.
            Inapplicable: it is stated as 0 (no strong convexity, say).
        """
        value = self.need(name)
        if not value > 0:
            raise Inapplicable(f"this theorem needs {name} > 0; stated is {name}={value:g}")
        return value

    def state(self, statement: Statement | None = None, **values: Any) -> Constants:
        """A copy with ``values`` set; ``statement`` says how they are known (default: exact)."""
        known = statement or Statement(Kind.EXACT, "uniform", "set by construction")
        merged = dict(self.statements) | {name: known for name in values}
        return replace(self, **values, statements=MappingProxyType(merged))

    def without(self, *names: str) -> Constants:
        """A copy that states nothing of ``names``."""
        kept = {name: s for name, s in self.statements.items() if name not in names}
        return replace(self, **dict.fromkeys(names, None), statements=MappingProxyType(kept))

    def uniform(self, *names: str) -> Constants:
        """A copy without those of ``names`` that are stated for part of space only."""
        local = [
            name
            for name in names
            if name in self.statements and self.statements[name].where != "uniform"
        ]
        return self.without(*local)

    def completed(self) -> Constants:
        """A copy with what follows: a uniform zeta2 holds at x* too (zeta2_star).

        tau bounds the staleness of coordinates, mu > 0 is a Polyak-Lojasiewicz constant, L_max
        bounds the mean of the L_i^2. If n = 1 or zeta2 = 0, then L_max = L and mu_min = mu.
        """
        if self.zeta2 is not None and self.zeta2_star is None:
            why = Statement(Kind.UPPER, "x*", "zeta2 holds everywhere")
            return self.state(why, zeta2_star=self.zeta2).completed()
        if self.tau is not None and self.tau_coordinate is None:
            why = Statement(Kind.UPPER, "uniform", "tau bounds the age of whole models")
            return self.state(why, tau_coordinate=self.tau).completed()
        if self.mu is not None and self.mu > 0 and self.pl is None:
            why = Statement(Kind.LOWER, "uniform", "strong convexity implies it")
            return self.state(why, pl=self.mu).completed()
        if self.L_max is not None and self.L_rms is None:
            why = Statement(Kind.UPPER, "uniform", "L_max bounds every L_i")
            return self.state(why, L_rms=self.L_max).completed()
        if self.n != 1 and self.zeta2 != 0:
            return self
        why = Statement(Kind.UPPER, "uniform", "all f_i have the gradient of f")
        follows = {"L_max": self.L, "mu_min": self.mu}
        new = {k: v for k, v in follows.items() if v is not None and getattr(self, k) is None}
        return self.state(why, **new).completed() if new else self

    def merge(self, other: Constants) -> Constants:
        """Both settings' constants; where both state one, ``other`` wins."""
        values = {name: getattr(other, name) for name in other.stated()}
        merged = dict(self.statements) | dict(other.statements)
        return replace(self, **values, statements=MappingProxyType(merged))
