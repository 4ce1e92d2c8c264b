"""A counterexample again in fractions: a Python file with numpy alone, which is run to confirm."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from algorithms.core.key import Key
from algorithms.engine.run import Diverged, one_thread, run
from algorithms.methods.base import Method
from algorithms.problems.quadratic import Law, Quadratic
from proofs_check.moments.course import MapSequence, course
from proofs_check.moments.maps import StepMap
from proofs_check.moments.reasons import NotLinear
from proofs_check.refute.attacker import Confirmation
from proofs_check.refute.claim import Claim
from proofs_check.refute.measured import BoundTrial, Unfit
from theory.arrays import Floats
from theory.constants import Constants
from theory.stepsizes import Stepsize
from theory.theorem import Metric

LONGEST = 1000
"""Steps up to which a counterexample is computed in fractions."""

_SIMPLE = 10**6
_REPLICAS, _DEVIATIONS = 4096, 6.0
_MODES = {
    Metric.AVERAGE_SQUARED_GRADIENT: ("average", 2),
    Metric.MINIMUM_SQUARED_GRADIENT: ("minimum", 2),
    Metric.SUBOPTIMALITY: ("last", 1),
    Metric.SQUARED_DISTANCE: ("last", 0),
    Metric.WEIGHTED_SUBOPTIMALITY: ("weighted", 1),
}

_SCRIPT = '''"""{title}

{story}
The state y of the method holds {size} numbers. A step maps (y, 1) to B (y, 1), adds noise of
covariance C, and for each choice whose outcomes have probabilities w the outcome's own matrix times
(y, 1), in the mean nothing. M is E (y, 1)(y, 1)^T, in fractions; the bound is {bound}.
"""

from fractions import Fraction

import numpy as np

BOUND, T, MODE = {bound}, {t}, "{mode}"


def matrix(rows):
    return np.array([[Fraction(x) for x in row] for row in rows], dtype=object)


# B, C and the choices (w, matrix, covariance) of each kind of step, and which step is of which kind
KINDS = [
{kinds}
]
ORDER = {order}
START = {start}
# the mean model less the minimiser is Z (y, 1); the metric sums WEIGHTS times its squares
Z = matrix({reads})
WEIGHTS = [Fraction(x) for x in {weights}]
AVERAGED = {averaged}  # weights of the models in an average of them, if there is one


def squares(second):
    return sum(w * second[j, j] for j, w in enumerate(WEIGHTS))


y = matrix([[*START, "1"]])
M = y.T.dot(y)
seen, total = [], Fraction(0)
P, Q = Z.dot(M) * 0, Z.dot(M).dot(Z.T) * 0  # of the weighted sum s: E s (y, 1)^T and E s s^T
for t in range(T + 1):
    seen.append(squares(Z.dot(M).dot(Z.T)))
    if t == T:
        break
    B, C, choices = KINDS[ORDER[t]]
    B = matrix(B)
    if AVERAGED:
        w = Fraction(AVERAGED[t])
        Q = Q + w * (P.dot(Z.T) + Z.dot(P.T)) + w * w * Z.dot(M).dot(Z.T)
        P = (P + w * Z.dot(M)).dot(B.T)
        total += w
    new = B.dot(M).dot(B.T) + matrix(C)
    for w, off, cov in choices:
        off = matrix(off)
        new = new + Fraction(w) * (off.dot(M).dot(off.T) + matrix(cov))
    M = new
measured = {{
    "last": lambda: seen[T],
    "average": lambda: sum(seen[:T]) / T,
    "minimum": lambda: min(seen[:T]),
    "weighted": lambda: squares(Q) / total**2,
}}[MODE]()
bits = measured.numerator.bit_length() + measured.denominator.bit_length()
exact = str(measured) if bits < 190 else f"{{float(measured):.17g}}"
ratio = f"{{float(measured) / BOUND:.12g}}" if BOUND else "infinite"
print(f"{metric} = {{exact}}, bound {{BOUND:.17g}}, ratio {{ratio}}")
assert measured > Fraction(BOUND) * (1 + Fraction(1, 10**7)), "the bound holds here"
'''


def in_braces(words: str) -> str:
    """Words as they stand in the text of a formatted string."""
    return words.replace("{", "{{").replace("}", "}}")


def fraction(given: float) -> str:
    """A number as a fraction: a simple one where the two differ by rounding, else itself."""
    simple = Fraction(given).limit_denominator(_SIMPLE)
    close = abs(float(simple) - given) <= 2e-15 * (1 + abs(given))
    return str(simple if close else Fraction(given))


def _rows(matrix: Floats) -> str:
    return "[" + ", ".join(_line(row) for row in matrix) + "]"


def _line(row: Floats) -> str:
    return "[" + ", ".join(f'"{fraction(float(x))}"' for x in row) + "]"


def _kind(one: StepMap) -> str:
    """A step's matrices as text."""
    a, b, noise = one.mean
    size = len(b)

    def whole(part: Floats, add: Floats, corner: float) -> Floats:
        wide = np.zeros((size + 1, size + 1))
        wide[:-1, :-1], wide[:-1, -1], wide[-1, -1] = part, add, corner
        return wide

    def spread(part: Floats) -> str:
        return _rows(whole(part @ part.T, np.zeros(size), 0.0))

    choices = [
        f'("{fraction(float(w))}", {_rows(whole(oa, ob, 0.0))}, {spread(on)})'
        for chance in one.chances
        for w, oa, ob, on in zip(chance.weights, *chance.off, strict=True)
        if w and (np.abs(oa).max(initial=0) + np.abs(ob).max(initial=0) + np.abs(on).max(initial=0))
    ]
    return f"    ({_rows(whole(a, b, 1.0))}, {spread(noise)}, [{', '.join(choices)}]),"


def script_of(
    claim: Claim, found: MapSequence, problem: Quadratic, trial: BoundTrial,
    weight: Callable[[int], float] | None,
) -> str:  # fmt: skip
    """A Python file that computes the metric in fractions and compares it with the bound."""
    mode, power = _MODES[claim.theorem.metric]
    places = [found.place(t) for t in range(trial.t)]
    kept = sorted(set(places))
    mean = problem.a.mean(0).numpy()
    reads = found.maps[0][0].outputs[: problem.d].copy()
    reads[:, -1] -= problem.x_star.numpy()
    weights = {0: np.ones_like(mean), 1: mean / 2, 2: mean**2}[power]
    averaged = [] if weight is None else [str(Fraction(weight(t))) for t in range(trial.t)]
    return _SCRIPT.format(
        title=f"{claim.theorem.name} does not hold: a counterexample.",
        story=story(trial), size=found.size, bound=repr(trial.bound), t=trial.t, mode=mode,
        kinds="\n".join(_kind(found.maps[place][0]) for place in kept),
        order=[kept.index(place) for place in places],
        start=_line(found.start), reads=_rows(reads), weights=_line(weights), averaged=averaged,
        metric=in_braces(claim.theorem.metric.value),
    )  # fmt: skip


def story(trial: BoundTrial) -> str:
    """The instance in words."""
    numbers = ", ".join(f"{name} = {value}" for name, value in trial.instance.numbers().items())
    constants = ", ".join(f"{name} = {value:.6g}" for name, value in trial.constants.items())
    return f"Instance: {numbers}.\nConstants: {constants}; {trial.stepsize}.\n"


def confirmed(
    claim: Claim, method: Method[Any], problem: Quadratic, c: Constants, step: Stepsize,
    trial: BoundTrial,
) -> Confirmation:  # fmt: skip
    """The metric in fractions from the method's own maps, and a simulation that agrees with it.

    Raises:
        Unfit: the run is too long for fractions, its maps are no fractions, or no map moves it.
    """
    if trial.t > LONGEST:
        raise Unfit(f"{trial.t} steps are too many for fractions")
    weighted = claim.theorem.metric is Metric.WEIGHTED_SUBOPTIMALITY

    def weight(t: int) -> float:
        return claim.theorem.weight(c, step, t)

    additive = replace(problem, law=Law.GAUSSIAN)
    try:
        with one_thread():
            found = course(method, additive, trial.t, Key.seed(0))
    except NotLinear as error:
        raise Unfit(str(error)) from error
    if any(len(maps) > 1 for maps in found.maps):
        raise Unfit("its maps change with the stepsize")
    text = script_of(claim, found, problem, trial, weight if weighted else None)
    measured, exceeds = executed(text)
    agrees, description = simulated(claim, method, problem, trial, weight if weighted else None)
    how = f"in fractions, from the method's own steps; {description}"
    return Confirmation(how, measured, exceeds and agrees, text)


def executed(text: str) -> tuple[float, bool]:
    """Result of a script, and whether it finds the bound broken."""
    space: dict[str, Any] = {"__name__": "counterexample"}
    with redirect_stdout(io.StringIO()):
        try:
            exec(compile(text, "counterexample.py", "exec"), space)  # our own text
        except AssertionError:
            return float(space["measured"]), False
    return float(space["measured"]), True


def simulated(
    claim: Claim, method: Method[Any], problem: Quadratic, trial: BoundTrial,
    weight: Callable[[int], float] | None,
) -> tuple[bool, str]:  # fmt: skip
    """Whether runs of the method itself agree with what was measured, and the figures."""
    if hasattr(method, "replicas"):  # moments are those of one schedule, runs follow many
        return True, "no simulated runs: they would follow other schedules"
    try:
        trace = run(
            method, problem, steps=max(trial.t, 1), seed=1, replicas=_REPLICAS, every=1,
            weight=weight,
        )  # fmt: skip
    except Diverged:
        return True, "simulated runs diverge"
    except ValueError as refusal:  # a method within another may have fewer replicas
        return True, f"no simulated runs: {refusal}"
    values = {
        Metric.AVERAGE_SQUARED_GRADIENT: trace.average_squared_gradient,
        Metric.MINIMUM_SQUARED_GRADIENT: trace.squared_gradient,
        Metric.SUBOPTIMALITY: trace.suboptimality,
        Metric.SQUARED_DISTANCE: trace.squared_distance,
        Metric.WEIGHTED_SUBOPTIMALITY: trace.weighted_suboptimality,
    }[claim.theorem.metric]
    assert values is not None
    column = np.asarray(values, dtype=np.float64)
    if claim.theorem.metric is Metric.MINIMUM_SQUARED_GRADIENT:
        means = column[:, :-1].mean(0)
        last = column[:, int(means.argmin())]
    else:
        last = column[:, -1]
    mean, error = float(last.mean()), float(last.std() / np.sqrt(len(last)))
    off = abs(mean - trial.measured)
    fits = off <= _DEVIATIONS * error + 1e-9 * abs(trial.measured)
    description = f"{len(last)} simulated runs: {mean:.6g} +- {error:.2g}"
    return fits, description
