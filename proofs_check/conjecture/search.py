"""A bound is guessed, attacked, and raised where it breaks, until nothing breaks it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, final

import numpy as np
from scipy.optimize import differential_evolution

from proofs_check.conjecture.fit import NoLaw, PowerLaw, lowest_law
from proofs_check.conjecture.lines import DIVIDES, SYMBOLS, ConjectureLine, factor
from proofs_check.refute.claim import Claim
from proofs_check.refute.measured import BoundTrial, Unfit
from proofs_check.refute.search import SearchOver, attackers_named
from proofs_check.refute.stated import claim
from theory.arrays import Floats
from theory.constants import Constants

BUDGET = 120.0
_ATTACKER = "exact"
_WORKERS, _DIMENSIONS = (2, 4), (1, 2)
_POPULATION, _FIRST_SHARE = 12, 0.6
_LIMITS = (2.0, 8.0, 32.0, 128.0)
_ABOVE = 1e-6
_EDGES = 6  # of the attacker's: those at the longest stepsize, in one unit
_DRIFT = 2  # the last but one of them: no noise, other Hessians and minimisers, no way to go
_TRANSFERRED = 3  # instances of other settings that a search begins with
_LEAST = 6  # instances that a search looks at whatever the time
_ROUNDS = 2  # of all settings: the first are searched again once others have shown what is bad
_LENGTHENED = 2.25  # 200 steps become 150,000

_NEEDS = ("n", "L", "L_max", "sigma2", "zeta2_star", "initial_gap")


def base(c: Mapping[str, float], gamma: float, times: Any) -> Any:
    """What parallel SGD pays, twice."""
    noise = 2 * gamma * c["L"] * c["sigma2"] / c["n"]
    return 4 * c["initial_gap"] / (gamma * times) + noise


def unit(c: Mapping[str, float], gamma: float) -> float:
    """What is needed beside it is measured in this."""
    return (gamma * c["L_max"]) ** 2 * (c["sigma2"] + c["zeta2_star"])


class Needed(NamedTuple):
    """How much of the unit an instance needs.

    Attributes:
        amount: measured, less the base, over the unit; infinite where the unit is 0.
        trial: the instance.
    """

    amount: float
    trial: BoundTrial


@final
@dataclass(frozen=True)
class BrokenBound:
    """A bound of the search that an instance broke.

    Attributes:
        law: the law then.
        values: the setting.
        trial: the instance.
    """

    law: PowerLaw
    values: Mapping[str, float]
    trial: BoundTrial


@final
@dataclass
class Conjecture:
    """What the search ended with; nothing of it is proved.

    Attributes:
        line: the method.
        limit: q: stepsizes go up to 1/(q L) times the smallest of all factors' inverses.
        law: what stands before the unit; None: none was found.
        reason: why none was found.
        tried: instances that were measured.
        visited: settings that were searched, each once.
        held_out: how many of these were attacked and not fitted.
        broken: laws that were broken on the way.
        closest: the largest ratio that the last law stood.
        good: the worst instances of settings, as points of the unit cube, the latest last: what is
            bad in one setting is tried early in all others.
    """

    line: ConjectureLine
    limit: float = _LIMITS[0]
    law: PowerLaw | None = None
    reason: str = ""
    tried: int = 0
    visited: set[tuple[float, ...]] = field(default_factory=set)
    held_out: int = 0
    broken: list[BrokenBound] = field(default_factory=list)
    closest: float = 0.0
    good: list[Floats] = field(default_factory=list)

    @property
    def settings(self) -> int:
        """How many settings were searched."""
        return len(self.visited)

    @property
    def statement(self) -> str:
        """The bound in words, its constants as numbers."""
        if self.law is None:
            return f"none: {self.reason}"
        powers = dict(zip(self.line.variables, self.law.exponents, strict=True))
        ones = dict.fromkeys(powers, 1.0)
        over = [f"{self.limit:g}", *_written(ones, divides=False), "L_max"]
        limit = _fraction(_written(ones, divides=True), over)
        amount = [f"{rounded(self.law.constant):g}", *_written(powers, divides=False)]
        drift = _fraction(
            [*amount, "(gamma L_max)^2", "(sigma^2 + zeta*^2)"], _written(powers, divides=True)
        )
        return (
            f"for gamma <= {limit}: average E||grad f||^2 <= 4 (f(x0) - f*)/(gamma T) + "
            f"2 gamma L sigma^2/n + {drift}, zeta*^2 = mean ||grad f_i(x*)||^2"
        )

    def record(self) -> dict[str, Any]:
        """The same as plain data."""
        law = self.law
        return {
            "line": self.line.name, "what": self.line.what, "standing": "conjecture",
            "statement": self.statement, "limit": self.limit, "reason": self.reason,
            "constant": None if law is None else rounded(law.constant),
            "exponents": {} if law is None else dict(
                zip(self.line.variables, law.exponents, strict=True)),
            "measured_exponents": {} if law is None else dict(
                zip(self.line.variables, law.measured, strict=True)),
            "tried": self.tried, "settings": self.settings, "held_out": self.held_out,
            "closest": self.closest,
            "broken": [
                {"constant": one.law.constant, "exponents": one.law.exponents,
                 "values": dict(one.values), **one.trial.record()} for one in self.broken
            ],
        }  # fmt: skip


def _written(powers: Mapping[str, float], *, divides: bool) -> list[str]:
    """Powers of the variables that a bound is divided by, or of the others, as they are written."""
    return [
        symbol + (f"^{powers[name]:g}" if powers[name] != 1 else "")
        for name, symbol in SYMBOLS.items()
        if powers.get(name) and (name in DIVIDES) is divides
    ]


def _fraction(above: Sequence[str], below: Sequence[str]) -> str:
    """A product over a product, in one line."""
    under = " ".join(below)
    over = f"/({under})" if len(below) > 1 else f"/{under}" if below else ""
    return (" ".join(above) or "1") + over


def rounded(constant: float) -> float:
    """The constant rounded up to two digits."""
    unit = 10.0 ** (math.floor(math.log10(constant)) - 1)
    return math.ceil(constant / unit) * unit


def claim_at(
    line: ConjectureLine, values: Mapping[str, float], limit: float, amount: float
) -> Claim:
    """The conjecture in one setting, as a claim that can be attacked."""
    hard = math.prod(factor(name, value) for name, value in values.items())
    shown = ", ".join(f"{name}={value:g}" for name, value in values.items())

    def bound(c: Constants, gamma: float, times: Any) -> Any:
        known = {name: float(getattr(c, name)) for name in _NEEDS}
        return base(known, gamma, times) + amount * unit(known, gamma)

    return claim(
        f"{line.row} at {shown}", method=line.build(values), bound=bound, needs=_NEEDS,
        limit=lambda c, _gamma, _times: 1 / (limit * hard * c.need("L_max")),
        workers=_WORKERS, dimensions=_DIMENSIONS,
    )  # fmt: skip


def needed_of(trial: BoundTrial) -> float:
    """How many units an instance needs beside the base, after the steps at which it was tried."""
    gamma: float = getattr(trial.instance, "gamma", math.nan)
    pays, one = base(trial.constants, gamma, trial.t), unit(trial.constants, gamma)
    over = trial.measured - pays
    if over <= _ABOVE * pays:
        return 0.0
    return over / one if one > 0 else math.inf


def worst(
    line: ConjectureLine, values: Mapping[str, float], limit: float, amount: float,
    seconds: float, seed: int, found: Conjecture,
) -> Needed | None:  # fmt: skip
    """The instance of a setting that needs most, or, at an amount above 0, lies highest.

    Raises:
        Unfit: the exact engine does not hold the method; says why.
    """
    made = claim_at(line, values, limit, max(amount, _ABOVE))
    (attacker,) = attackers_named((_ATTACKER,))
    size = attacker.coordinates(made)
    until, best, where = time.monotonic() + seconds, list[Needed](), list[Floats]()
    begun = found.tried

    def objective(u: Floats) -> float:
        if time.monotonic() > until and found.tried - begun >= _LEAST:
            raise SearchOver
        try:
            trial = attacker.measure(made, _longer(attacker.instance(made, u)))
        except Unfit:
            return 1e9
        found.tried += 1
        now = Needed(needed_of(trial), trial)
        if not best or (now.amount, now.trial.ratio) > (best[0].amount, best[0].trial.ratio):
            best[:], where[:] = [now], [u.copy()]
        if now.amount == math.inf:
            raise SearchOver
        return -math.log(max(trial.ratio, 1e-25))

    rng = np.random.default_rng(seed)
    first = rng.random((_POPULATION, size))
    drift, *others = np.roll(attacker.edges(size)[:_EDGES], _DRIFT, 0)
    early = [
        drift,
        *found.good[: -_TRANSFERRED - 1 : -1],
        *others,
    ]  # drift needs the last term most
    first[: len(early)] = early
    with suppress(SearchOver):
        differential_evolution(
            objective, [(0.0, 1.0)] * size, init=first, maxiter=10**6, polish=False, rng=rng,
            updating="immediate", tol=0.0,
        )  # fmt: skip
    found.visited.add(tuple(values.values()))
    if where and not any(np.array_equal(where[0], one) for one in (*early, *found.good)):
        found.good.append(where[0])
    return best[0] if best else None


def _longer(instance: Any) -> Any:
    """The instance in a run as long as gossip through a poor operator takes to settle; steps of a
    size that does not change are taken by squaring."""
    return replace(instance, steps=round(instance.steps**_LENGTHENED))


def conjectured(
    line: ConjectureLine, *, budget: float = BUDGET, seed: int = 0,
    tell: Callable[[str], None] = lambda _: None,
) -> Conjecture:  # fmt: skip
    """Fit a law to what settings need, attack it where nothing was fitted, and fit it again to what
    broke it, for ``budget`` seconds; Ctrl-C keeps the law so far.

    Raises:
        ValueError: no time.
    """
    if not budget > 0:
        raise ValueError(f"budget must be positive [seconds], got budget={budget}")
    found, begun = Conjecture(line), time.monotonic()
    points: list[tuple[Floats, float]] = []
    try:
        for found.limit in _LIMITS:
            points = _measured(found, budget, seed, tell)
            if points:
                break
        else:
            found.reason = "no stepsize tried keeps the terms of parallel SGD: " + found.reason
            return found
        _refit(found, points)
        _attacked(found, points, begun + budget, seed, tell)
    except Unfit as error:
        found.reason = str(error)
    except NoLaw as error:
        found.law, found.reason = None, str(error)
    except KeyboardInterrupt:
        found.reason = "interrupted"
    return found


def _measured(
    found: Conjecture, budget: float, seed: int, tell: Callable[[str], None]
) -> list[tuple[Floats, float]]:
    """What each setting needs; nothing where a setting needs what no amount gives."""
    line, settings = found.line, list(found.line.settings())
    share = _FIRST_SHARE * budget / (_ROUNDS * len(settings))
    most: dict[tuple[float, ...], float] = {}
    for k, values in enumerate(settings * _ROUNDS):
        tell(f"{line.row}: setting {k % len(settings) + 1} of {len(settings)}, {_words(values)}")
        worst_here = worst(line, values, found.limit, 0.0, share, seed + k, found)
        if worst_here is None:
            continue
        if worst_here.amount == math.inf:
            found.reason = f"at {_words(values)} an instance without noise or heterogeneity breaks"
            return []
        place = tuple(_factors(line, values))
        most[place] = max(most.get(place, 0.0), worst_here.amount)
    points = [(np.array(place), amount) for place, amount in most.items()]
    return points


def _words(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {value:g}" for name, value in values.items())


def _factors(line: ConjectureLine, values: Mapping[str, float]) -> Floats:
    return np.array([factor(name, values[name]) for name in line.variables])


def _refit(found: Conjecture, points: list[tuple[Floats, float]]) -> None:
    found.law = lowest_law(np.array([p for p, _ in points]), np.array([y for _, y in points]))


def _attacked(
    found: Conjecture, points: list[tuple[Floats, float]], until: float, seed: int,
    tell: Callable[[str], None],
) -> None:  # fmt: skip
    """Attack far beyond what was fitted, then between in a random order, until time is over and
    the law that stands was attacked as often as it has variables.

    Raises:
        NoLaw: no instance of any of these settings could be measured.
    """
    line, rng = found.line, np.random.default_rng(seed)
    held, fitted, stood = set[tuple[float, ...]](), set[tuple[float, ...]](), 0
    while True:
        before = found.tried
        between = list(line.between())
        rng.shuffle(between)
        places = [*line.beyond(), *between]
        for k, values in enumerate(places):
            left = until - time.monotonic()
            if left <= 0 and stood >= len(line.variables):
                return
            tell(f"{line.row}: attack at {_words(values)}")
            assert found.law is not None
            amount = rounded(found.law.constant) / found.law.constant * found.law.at(
                _factors(line, values))  # fmt: skip
            share = max(0.5, min(4.0, left / 8))
            high = worst(line, values, found.limit, amount, share, seed + 1000 + k, found)
            if high is None:
                continue
            if high.amount > amount * (1 + _ABOVE):
                found.broken.append(BrokenBound(found.law, values, high.trial))
                points.append((_factors(line, values), high.amount))
                fitted.add(tuple(values.values()))
                found.closest, stood = 0.0, 0
                _refit(found, points)
            else:
                held.add(tuple(values.values()))
                found.closest, stood = max(found.closest, high.trial.ratio), stood + 1
            found.held_out = len(held - fitted)
        if found.tried == before:
            raise NoLaw("no instance could be measured where nothing was fitted")
