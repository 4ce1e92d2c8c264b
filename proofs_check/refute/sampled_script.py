"""A worst case as a Python file: functions through few samples, the method's steps, numpy alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from proofs_check.refute.interpolated import InterpolatedProblem
from proofs_check.refute.measured import BoundTrial
from proofs_check.refute.posed import WorkersAllowed, WorstSamples
from proofs_check.refute.rational import in_braces, story
from proofs_check.refute.recorded import MethodRecord
from proofs_check.worst_case.functions import Lipschitz, Smooth
from theory.arrays import Floats
from theory.theorem import Metric

MOST_SAMPLES = 10
"""Samples of a function up to which a file goes through every set of active ones."""

_MODES = {
    Metric.AVERAGE_SQUARED_GRADIENT: "average", Metric.MINIMUM_SQUARED_GRADIENT: "minimum",
    Metric.SUBOPTIMALITY: "last", Metric.SQUARED_DISTANCE: "distance",
    Metric.WEIGHTED_SUBOPTIMALITY: "weighted",
}  # fmt: skip

_TEXT = '''"""{title}

{story}
Each worker's f_i is the largest {kind} through the
samples below, so that it is of the class whatever they are. The method's steps, read off the method
itself, are linear in x_0, gradients and what is sent: every answer is the next of these vectors V,
and every question and model is a combination of them. x* = 0 and f* = 0. What the theorem says of
the start, heterogeneity and operators is checked; the bound is {bound}.
"""

from itertools import combinations, product

import numpy as np

BOUND, MODE = {bound}, "{mode}"
L, MU = {L}, {mu}  # gradients are L-Lipschitz, curvatures at least MU; L = None: planes
POINTS = {points}
GRADIENTS = {gradients}
VALUES = {values}
X0 = np.array({first})
# whose question (-1: the server's), of what kind, at which combination of the vectors so far
QUESTIONS = {questions}
SENT = {answers}  # what contractions make of what is sent, in the order of the questions
KEPT, OMEGA = {kept}, {omega}  # |C(x) - x|^2 <= KEPT |x|^2; E |Q(x) - x|^2 = OMEGA |x|^2
MODELS = np.array({models})  # mean models, as combinations
WEIGHTS = {weights}  # of the models in an average of them, if there is one
R2, GAP, ZETA2, ZETA2_STAR, G2 = {limits}  # None: the theorem does not speak of it
f_star = 0.0


def smooth(x, g, f, at):
    """f - MU |x|^2/2 is the conjugate of the largest of what samples ask of its conjugate."""
    most = L - MU
    g, f = g - MU * x, f - MU / 2 * (x * x).sum(1)
    a = g - most * x
    v = f - (g * g).sum(1) / (2 * most)
    P, q, best = a @ a.T / most, a @ at + v, None
    for size in range(1, len(f) + 1):
        for S in map(list, combinations(range(len(f)), size)):
            K = np.ones((size + 1, size + 1))
            K[:-1, :-1], K[-1, -1] = P[np.ix_(S, S)], 0
            w = np.linalg.lstsq(K, np.append(-q[S], 1), rcond=None)[0][:-1]
            if w.min() < -1e-12 or abs(w.sum() - 1) > 1e-9:
                continue
            full = np.zeros(len(f))
            full[S] = w
            worth = full @ P @ full / 2 + q @ full
            if best is None or worth < best[0]:
                best = worth, full
    w = best[1]
    slope = most * at + w @ a
    return slope @ slope / (2 * most) + w @ v + MU / 2 * at @ at, slope + MU * at


def planes(x, g, f, at):
    heights = f + ((at - x) * g).sum(1)
    top = heights.max()
    near = np.flatnonzero(heights >= top - 1e-7 * (1 + abs(heights).max()))
    return top, g[near[((x[near] - at) ** 2).sum(1).argmin()]]


SAMPLES = [tuple(map(np.array, one)) for one in zip(POINTS, GRADIENTS, VALUES)]
N = len(SAMPLES)


def function(i, at):
    return (planes if L is None else smooth)(*SAMPLES[i], at)


def value(at):
    return sum(function(i, at)[0] for i in range(N)) / N


def slope(at):
    return sum(function(i, at)[1] for i in range(N)) / N


def over(found, limit):
    """By how much a limit is broken, as a share of it or of 1."""
    return 0.0 if limit is None else max(0.0, (found - limit) / max(limit, 1.0))


def run(signs):
    """The models, and by how much the steps break what the theorem assumes."""
    V, signs, sent, off = [X0], iter(signs), iter(SENT), 0.0
    for worker, kind, at in QUESTIONS:
        u = sum(c * V[k] for k, c in at)
        if kind == "gradient":
            V.append(function(worker, u)[1])
            off = max(off, over(V[-1] @ V[-1], G2))
        elif kind == "error":  # Q(u) = (1 +- sqrt(OMEGA)) u, half of the time each
            V.append(next(signs) * OMEGA**0.5 * u)
        else:  # no further from u than a contraction may send it
            e = np.array(next(sent)) - u
            V.append(u + e * min(1.0, (KEPT * (u @ u) / max(e @ e, 1e-300)) ** 0.5))
    return [sum(c * v for c, v in zip(row, V)) for row in MODELS], off


def metric(x):
    if MODE == "distance":
        return x[-1] @ x[-1]
    if MODE == "last":
        return value(x[-1]) - f_star
    if MODE == "weighted":
        return value(sum(w * m for w, m in zip(WEIGHTS, x)) / sum(WEIGHTS)) - f_star
    squares = [slope(m) @ slope(m) for m in x[:-1]]
    return min(squares) if MODE == "minimum" else sum(squares) / len(squares)


origin = 0 * X0
apart = lambda at: sum(((function(i, at)[1] - slope(at)) ** 2).sum() for i in range(N)) / N
slack = max(
    over(X0 @ X0, R2), 0.0 if GAP is None else over(value(X0) - f_star, GAP),
    0.0 if ZETA2 is None else over(apart(X0), ZETA2),
    0.0 if ZETA2_STAR is None else over(apart(origin), ZETA2_STAR),
)
{minimum}
flips = [k for _, k, _ in QUESTIONS].count("error")
found = []
for signs in product((1.0, -1.0), repeat=flips):
    x, off = run(signs)
    slack = max(slack, off)
    found.append(metric(x))
measured = float(sum(found) / len(found))
ratio = f"{{measured / BOUND:.9g}}" if BOUND else "infinite"
print(f"{metric} = {{measured:.12g}}, bound {{BOUND:.12g}}, ratio {{ratio}}")
print(f"what the theorem assumes is kept up to a share of {{slack:.2g}}")
assert slack < 1e-4 and measured > BOUND * (1 + 1e-7 + 10 * slack), "the bound holds here"
'''

_CONVEX = """if L is not None:  # where the minimum is, and its value
    slack = max(slack, abs(slope(origin)).max(), abs(value(origin) - f_star))
else:  # no sample lies lower
    slack = max(slack, abs(value(origin) - f_star), *(-value(np.array(at)) for at in POINTS[0]))"""

_NONCONVEX = """g, f = (sum(one[k] for one in SAMPLES) / N for k in (1, 2))
slack = max(slack, *(f_star - f + (g * g).sum(1) / (2 * L)))  # f >= f*"""


def sampled_script(
    name: str, metric: Metric, record: MethodRecord, samples: WorstSamples,
    problem: InterpolatedProblem, allowed: WorkersAllowed, trial: BoundTrial,
    weight: Callable[[int], float],
) -> str:  # fmt: skip
    """A file that runs the recorded steps on the worst functions; empty where samples are many."""
    tables = [_once(*one) for one in zip(*(_arrays(problem)), strict=True)]
    if max(len(values) for _, _, values in tables) > MOST_SAMPLES:
        return ""
    kind, steps = problem.kind, len(record.models) - 1
    convex = not isinstance(kind, Smooth) or kind.mu >= 0
    size = record.size
    weights = [weight(t) for t in range(steps)] if metric is Metric.WEIGHTED_SUBOPTIMALITY else []
    limits = (
        allowed.R2, allowed.initial_gap, allowed.zeta2, allowed.zeta2_star, allowed.G2
    )  # fmt: skip
    return _TEXT.format(
        title=f"{name} does not hold: a counterexample.", story=story(trial),
        kind=_words(kind), bound=repr(float(trial.bound)), mode=_MODES[metric],
        L=kind.L if isinstance(kind, Smooth) else None,
        mu=kind.mu if isinstance(kind, Smooth) else 0.0,
        points=_listed([x for x, _, _ in tables]), gradients=_listed([g for _, g, _ in tables]),
        values=_listed([f for _, _, f in tables]), first=samples.first.tolist(),
        questions=_questions(record), answers=samples.answers.tolist(), kept=1 - allowed.delta,
        omega=allowed.omega, models=record.models[:, :size].tolist(), weights=weights,
        limits=limits, minimum=_CONVEX if convex else _NONCONVEX,
        metric=in_braces(metric.value),
    )  # fmt: skip


def _arrays(problem: InterpolatedProblem) -> tuple[Floats, Floats, Floats]:
    return problem.points.numpy(), problem.gradients.numpy(), problem.values.numpy()


def _once(points: Floats, gradients: Floats, values: Floats) -> tuple[Floats, Floats, Floats]:
    """Samples of one function without those that repeat others."""
    rows = np.concatenate((points, gradients, values[:, None]), axis=1)
    _, first = np.unique(rows, axis=0, return_index=True)
    kept = np.sort(first)
    return points[kept], gradients[kept], values[kept]


def _listed(tables: list[Floats]) -> str:
    return "[\n" + "".join(f"    {one.tolist()},\n" for one in tables) + "]"


def _questions(record: MethodRecord) -> str:
    """Every question in the order of its answer."""
    asked = [
        *((one, "gradient") for one in record.gradients),
        *((one, "message") for one in record.messages),
        *((one, "error") for one in record.noises),
    ]
    lines = []
    for one, kind in sorted(asked, key=lambda pair: pair[0].answer):
        at = [(int(k), float(one.x[k])) for k in np.flatnonzero(one.x)]
        lines.append(f'    ({one.worker}, "{kind}", {at}),\n')
    return "[\n" + "".join(lines) + "]"


def _words(kind: object) -> str:
    if isinstance(kind, Lipschitz):
        return f"convex function with subgradients up to {kind.radius:g}"
    assert isinstance(kind, Smooth)
    return f"function of curvatures from {kind.mu:g} to {kind.L:g}"
