"""A record of a method and what a theorem speaks of, as a programme, and its solution's samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, final

import numpy as np

from proofs_check.refute.measured import Unfit
from proofs_check.refute.recorded import MethodRecord
from proofs_check.worst_case.functions import FunctionClass, Lipschitz, SampledPoint, Smooth
from proofs_check.worst_case.gram import Expression, Vector, total
from proofs_check.worst_case.operators import contracted
from proofs_check.worst_case.programme import Programme, WorstCase
from theory.arrays import Floats
from theory.theorem import Metric

_ERROR = "error"


@final
@dataclass(frozen=True)
class WorkersAllowed:
    """What a claim asks of the workers' functions.

    Attributes:
        n: how many there are.
        kind: the class of each.
        apart: whether they are functions of their own; else they differ by linear terms alone.
        zeta2: (1/n) sum |b_i|^2 at most, of the linear terms; None: no limit.
        G2: |g_i|^2 at most, wherever a gradient is asked for; None: no limit.
        R2: |x_0 - x*|^2 at most; None: no limit.
        initial_gap: f(x_0) - f* at most; None: no limit.
        delta: the contraction's constant.
        omega: that of unbiased operators.
        zeta2_star: (1/n) sum |grad f_i(x*)|^2 at most; None: no limit.
    """

    n: int
    kind: FunctionClass
    apart: bool
    zeta2: float | None
    G2: float | None
    R2: float | None
    initial_gap: float | None
    delta: float
    omega: float = 0.0
    zeta2_star: float | None = None

    @property
    def convex(self) -> bool:
        """Whether every function is convex, so that x* is a point of the programme."""
        return not isinstance(self.kind, Smooth) or self.kind.mu >= 0


class WorstSamples(NamedTuple):
    """The worst functions' samples and operators' answers, as coordinates.

    Attributes:
        points: ``[n, K, d]``.
        gradients: ``[n, K, d]``.
        values: ``[n, K]``.
        first: x_0 ``[d]``.
        messages: what was compressed ``[M, d]``.
        answers: into what ``[M, d]``.
        senders: by whom ``[M]``.
    """

    points: Floats
    gradients: Floats
    values: Floats
    first: Floats
    messages: Floats
    answers: Floats
    senders: tuple[int, ...]


@final
@dataclass
class PosedRecord:
    """The programme of a record; functions sampled where the method and the metric ask.

    Attributes:
        record: the method's steps.
        allowed: what the functions may be.
        weight: weights of the steps' models in their weighted mean.
    """

    record: MethodRecord
    allowed: WorkersAllowed
    weight: Callable[[int], float]
    _samples: list[list[SampledPoint]] = field(default_factory=list)

    def __post_init__(self) -> None:
        given, self.programme = self.allowed, Programme()
        p = self.programme
        self._basis: dict[int, Vector] = {0: p.vector() if given.convex else p.zero()}
        tilts = [p.vector() for _ in range(given.n - 1)]
        tilts.append(-sum(tilts[1:], tilts[0]) if tilts else p.zero())
        self._tilts = tilts
        self._samples = [[] for _ in range(given.n if given.apart else 1)]
        if given.convex:
            for i, own in enumerate(self._samples):
                g = tilts[i] if given.apart else p.zero()
                own.append(SampledPoint(p.zero(), g, p.value() if given.apart else 0 * p.value()))
        self._follow()
        self._limit()

    def metric(self, metric: Metric) -> Expression:
        """The metric after the last step.

        Raises:
            Unfit: no programme says it.
        """
        models = [self._vector(row) for row in self.record.models]
        steps = len(models) - 1
        if metric is Metric.SQUARED_DISTANCE and self.allowed.convex:
            return models[-1].square
        if metric is Metric.SUBOPTIMALITY:
            return self._gap(models[-1])
        if metric is Metric.WEIGHTED_SUBOPTIMALITY:
            weights = np.array([self.weight(t) for t in range(steps)])
            shares = weights / weights.sum()
            mean = sum((w * x for w, x in zip(shares, models, strict=False)), self.programme.zero())
            return self._gap(mean)
        squares = [self._mean_gradient(x).square for x in models[:-1]]
        if metric is Metric.AVERAGE_SQUARED_GRADIENT:
            return total(squares) / steps
        if metric is Metric.MINIMUM_SQUARED_GRADIENT:
            least = self.programme.value()
            for one in squares:
                self.programme.at_most(least - one)
            return least
        raise Unfit(f"no programme says what {metric.value} is")

    def solved(self, goal: Expression) -> WorstCase:
        """The worst case of a goal that :meth:`metric` gave.

        Raises:
            Unsolved: there is none.
            ImportError: cvxpy is not installed.
        """
        return self.conditioned().largest(goal)

    def conditioned(self) -> Programme:
        """The programme with all that the class of functions asks of the samples."""
        p = self.programme.copied()
        for own in self._samples:
            p.function(self.allowed.kind, own)
            if isinstance(self.allowed.kind, Smooth) and not self.allowed.convex:
                for one in own:  # what lies above f* = 0 everywhere (Drori, Shamir 2020)
                    p.at_most(one.g.square / (2 * self.allowed.kind.L) - one.f)
        return p

    def samples(self, worst: WorstCase) -> WorstSamples:
        """The functions and operators of a solution."""
        n = self.allowed.n
        lists = self._samples if self.allowed.apart else self._samples * n
        tilts = [self.programme.zero()] * n if self.allowed.apart else self._tilts
        messages = [
            (self._vector(q.x), self._basis[q.answer], q.worker) for q in self.record.messages
        ]
        vectors = [one.x for own in lists for one in own]
        vectors += [one.g + b for own, b in zip(lists, tilts, strict=True) for one in own]
        vectors += [self._basis[0], *(u for u, _, _ in messages), *(c for _, c, _ in messages)]
        rows, m = worst.points(vectors), sum(map(len, lists))
        longest = max(map(len, lists))

        def table(given: Floats) -> Floats:  # shorter lists repeat their first
            found, at = [], 0
            for own in lists:
                part = given[at : at + len(own)]
                found.append(np.concatenate((part, np.repeat(part[:1], longest - len(own), 0))))
                at += len(own)
            return np.stack(found)

        values = np.array([
            worst.number(one.f + b @ one.x) for own, b in zip(lists, tilts, strict=True)
            for one in own
        ])  # fmt: skip
        stars = [worst.number(own[0].f) for own in lists] if self.allowed.convex else [0.0]
        after, k = rows[2 * m + 1 :], len(messages)
        return WorstSamples(
            table(rows[:m]), table(rows[m : 2 * m]), table(values) - float(np.mean(stars)),
            rows[2 * m], after[:k], after[k:], tuple(subset for _, _, subset in messages),
        )  # fmt: skip

    def _vector(self, coefficients: Floats) -> Vector:
        found = self.programme.zero()
        for k in np.flatnonzero(coefficients):
            found = found + float(coefficients[k]) * self._basis[int(k)]
        return found

    def _follow(self) -> None:
        """Every answer of the record as a vector, in the order in which they were given."""
        p = self.programme
        gradients = {q.answer: q for q in self.record.gradients}
        messages = {q.answer: q for q in self.record.messages}
        noises = {q.answer: q for q in self.record.noises}
        for k in sorted((*gradients, *messages, *noises)):
            if k in noises:  # of a block of its own: independent errors of mean 0
                u = self._vector(noises[k].x)
                self._basis[k] = contracted(p, u, self.allowed.omega, f"{_ERROR} {k}") - u
            elif k in gradients:
                question = gradients[k]
                self._basis[k] = self._gradient(question.worker, self._vector(question.x))
            else:
                u = self._vector(messages[k].x)
                self._basis[k] = contracted(p, u, 1 - self.allowed.delta)

    def _gradient(self, worker: int, x: Vector) -> Vector:
        if self.allowed.apart:
            return self._sampled(self._samples[worker], x).g
        return self._sampled(self._samples[0], x).g + self._tilts[worker]

    def _sampled(self, own: list[SampledPoint], x: Vector) -> SampledPoint:
        """The function at a point, new or known.

        Raises:
            Unfit: the point is random.
        """
        names = self.programme.blocks[: len(x.coefficients)]
        if any(
            c and name.startswith(_ERROR) for c, name in zip(x.coefficients, names, strict=True)
        ):
            raise Unfit("it asks for gradients or values at random points")
        for one in own:
            if not np.abs((one.x - x).coefficients).max(initial=0.0) > 1e-12:
                return one
        g, f = self.programme.vector(), self.programme.value()
        if self.allowed.apart:  # conditions see what lies above the tangent at x* alone
            g, f = own[0].g + g, own[0].f + own[0].g @ x + f
        own.append(SampledPoint(x, g, f))
        return own[-1]

    def _mean_gradient(self, x: Vector) -> Vector:
        found = [self._sampled(own, x).g for own in self._samples]
        return sum(found[1:], found[0]) / len(found)

    def _gap(self, x: Vector) -> Expression:
        """f(x) - f*."""
        here = total([self._sampled(own, x).f for own in self._samples]) / len(self._samples)
        if not self.allowed.convex:
            return here
        return here - total([own[0].f for own in self._samples]) / len(self._samples)

    def _limit(self) -> None:
        """What the claim bounds: the start, heterogeneity, second moments."""
        p, given = self.programme, self.allowed
        if given.R2 is not None:
            p.at_most(self._basis[0].square, given.R2)
        if given.initial_gap is not None:
            p.at_most(self._gap(self._basis[0]), given.initial_gap)
        if given.zeta2 is not None and given.n > 1:
            p.at_most(total([b.square for b in self._tilts]) / given.n, given.zeta2)
        if given.zeta2_star is not None and given.n > 1:
            p.at_most(total([b.square for b in self._tilts]) / given.n, given.zeta2_star)
        if given.G2 is not None:
            for question in self.record.gradients:
                p.at_most(self._basis[question.answer].square, given.G2)


def class_of(needs: Sequence[str], metric: Metric, mu: float) -> FunctionClass:
    """The functions of which a theorem with these needs speaks: L = 1, or subgradients up to 1."""
    if "lipschitz" in needs:
        return Lipschitz(1.0)
    if {"mu", "mu_min", "pl"} & set(needs):
        return Smooth(1.0, mu)
    convex = "convex" in needs or metric in (Metric.SUBOPTIMALITY, Metric.WEIGHTED_SUBOPTIMALITY)
    return Smooth(1.0, 0.0 if convex else -1.0)
