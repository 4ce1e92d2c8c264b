"""Is what an operator claims true of its code? Exact laws, Monte Carlo, worst case, lengths, and
single precision beside double."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

import torch

from algorithms.compressors.base import Compressor
from algorithms.core.key import Key
from algorithms.engine.run import one_thread
from proofs_check.compressors.absolute import check_absolute
from proofs_check.compressors.attained import attained
from proofs_check.compressors.evidence import Evidence, Outcomes, Results, judged, outcomes, sampled
from proofs_check.compressors.full_messages import check_full_messages
from proofs_check.compressors.lengths import check_lengths
from proofs_check.compressors.longer import EXTRA, Longer, how_many, longer, second_look
from proofs_check.compressors.single import check_single
from proofs_check.compressors.witness import check_witnesses
from proofs_check.compressors.written_constants import written_constants
from proofs_check.instruments.adversary import WorstVector, search, tightness
from proofs_check.instruments.exact import ExactLaw, LawMismatch, exact_law, is_random
from proofs_check.instruments.scripted import NotEnumerable
from proofs_check.instruments.statistics import (
    ErrorBudget,
    MeanTest,
    along_test,
    bound_test,
    mean_test,
)
from proofs_check.instruments.vectors import SMALL_VECTORS
from proofs_check.verdict import Outcome, Verdict
from theory.claims import Claim, NoConstant, Unbiased, VarianceBound

EXACT = "exact enumeration"
MONTE_CARLO = "Monte Carlo"
WORST_CASE = "worst-case search"

_MORE = ", longer"
_SLACK = Fraction(1, 1 << 45)


def check_compressor(
    compressor: Compressor,
    *,
    d: int = 1000,
    seed: int = 0,
    budget: ErrorBudget | None = None,
    only: str = "",
) -> tuple[Verdict, ...]:
    """Verdicts on every claim of an operator in R^d, on float32, and on the length of its messages.

    With the name of a check in ``only`` its verdicts are among them, and they are what they are
    among all; what they do not rest on need not be computed.

    Each statistical verdict has the error ``budget.alpha``, whatever the number of vectors it
    looks at. Laws are enumerated at small rational vectors that the operator accepts (and, for a
    deterministic one, in R^d); the other checks work in R^d, in double precision.

    Raises:
        ValueError: the operator's parameters do not fit d.
    """
    with one_thread():
        return _check(Evidence(compressor, d, seed, budget or ErrorBudget()), only)


def _check(evidence: Evidence, only: str) -> tuple[Verdict, ...]:
    compressor, d, seed = evidence.compressor, evidence.d, evidence.seed
    claims = compressor.claims(d)
    constants = [c for c in claims if not isinstance(c, Unbiased)]
    wanted = {only} if only else {EXACT, MONTE_CARLO, WORST_CASE}
    worst = search(compressor, d, seed) if constants and WORST_CASE in wanted else None
    fresh = Key.seed(seed).fold("worst case")
    again = outcomes(evidence, worst.x, fresh) if worst else None
    some = MONTE_CARLO in wanted and any(not isinstance(c, NoConstant) for c in claims)
    seen = sampled(evidence) if some else {}
    more = longer(evidence, seen) if some else {}
    verdicts: list[Verdict] = []
    laws, mismatch = _laws(evidence) if {EXACT, MONTE_CARLO} & wanted else ([], "")
    for claim in claims:
        if not isinstance(claim, NoConstant):
            if EXACT in wanted:
                verdicts.append(_exact(evidence, claim, laws, mismatch))
            if MONTE_CARLO in wanted:
                verdicts.append(_monte_carlo(evidence, claim, seen, more, laws))
        else:
            verdicts.append(
                check_witnesses(compressor, claim, d=d, seed=seed, alpha=evidence.budget.alpha)
            )
        if worst is not None and again is not None and not isinstance(claim, Unbiased):
            verdicts.append(_worst_case(evidence, claim, worst, again))
    single = check_single(compressor, d=d, seed=seed, alpha=evidence.budget.alpha)
    absolute = check_absolute(compressor, d=d, seed=seed, alpha=evidence.budget.alpha)
    near = *attained(compressor, d, verdicts), *written_constants((compressor,), d)
    messages = check_lengths(compressor, d=d, seed=seed), check_full_messages(compressor, d=d)
    return (*verdicts, *near, *absolute, single, *messages)


def _candidates(evidence: Evidence) -> Iterator[tuple[int, ...]]:
    """Integer vectors of a size that the operator accepts."""
    compressor, d = evidence.compressor, evidence.d
    for vector in SMALL_VECTORS:
        try:
            compressor.claims(len(vector))
        except ValueError:
            continue
        yield vector
    if not is_random(compressor, torch.ones(d, dtype=torch.float64)):
        yield (1,) * d
        yield (0,) * (d - 1) + (-3,)
        yield tuple((-1) ** j * (1 + j % 97) for j in range(d))
        yield tuple(-1 - (31 * j) % 101 for j in range(d))


def _laws(evidence: Evidence) -> tuple[list[ExactLaw], str]:
    """All exact laws to be had, and the first contradiction with a declared one."""
    laws: list[ExactLaw] = []
    for vector in _candidates(evidence):
        try:
            laws.append(exact_law(evidence.compressor, vector))
        except NotEnumerable:
            continue
        except LawMismatch as error:
            return laws, f"at x={vector}: {error}"
    return laws, ""


def _exact(evidence: Evidence, claim: Claim, laws: list[ExactLaw], mismatch: str) -> Verdict:
    if mismatch:
        text = f"the code does not follow its declared law {mismatch}"
        return judged(evidence, claim, EXACT, Outcome.REFUTED, text)
    if not laws:
        text = "no law could be enumerated: the operator accepts no small vector, or its draws are"
        return judged(
            evidence, claim, EXACT, Outcome.NOT_APPLICABLE, f"{text} neither by place nor by order"
        )
    worst, worst_bound = Fraction(-1), Fraction(0)
    for law in laws:
        here = _counterpart(claim, evidence.compressor.claims(len(law.x)))
        if here is None:  # claimed in R^d, not here
            continue
        if not _holds(here, law):
            text = f"at x={_fractions(law.x)}: E C(x)={_fractions(law.mean)}, error {law.error}"
            return judged(evidence, claim, EXACT, Outcome.REFUTED, text)
        square = sum((t * t for t in law.x), Fraction(0))
        if square and law.error / square > worst:
            worst, worst_bound = law.error / square, _constant(here)
    text = f"{len(laws)} vectors, laws {', '.join(sorted({law.kind for law in laws}))}; fractions"
    if isinstance(claim, Unbiased):
        return judged(evidence, claim, EXACT, Outcome.PROVED, f"{text} equal x at all")
    return judged(
        evidence,
        claim,
        EXACT,
        Outcome.PROVED,
        f"{text} within the bound at all; largest ratio {worst}",
        statistic=float(worst),
        bound=float(worst_bound),
    )


def _counterpart(claim: Claim, others: tuple[Claim, ...]) -> Claim | None:
    """The claim of the same kind and formula, as it reads in another dimension, if it is made: of a
    row that is cut into parts it is the weakest part's, of a shorter row its own."""
    own = _of_a_part(claim)
    return next((o for o in others if type(o) is type(claim) and _of_a_part(o) == own), None)


def _of_a_part(claim: Claim) -> str:
    """The formula of a claim; that of a part where it is the weakest of them."""
    formula: str = getattr(claim, "formula", "")
    return re.sub(r"^(max|min) over parts of ", "", formula)


def _constant(claim: Claim) -> Fraction:
    """Bound on the distortion that a claim states; 0 where it states none."""
    return Fraction(getattr(claim, "constant", 0.0))


def _holds(claim: Claim, law: ExactLaw) -> bool:
    """The claim at one vector: means in fractions; constants are doubles, so to 2^-45 of them,
    and 1 - delta to 2^-50."""
    if isinstance(claim, Unbiased):
        return law.mean == law.x
    square = sum((t * t for t in law.x), Fraction(0))
    return law.error <= (_constant(claim) * (1 + _SLACK) + _SLACK / 32) * square


def _fractions(values: tuple[Fraction, ...]) -> str:
    shown = ", ".join(str(v) for v in values[:6])
    return f"({shown}{', ...' if len(values) > 6 else ''})"


def _monte_carlo(
    evidence: Evidence,
    claim: Claim,
    results: Results,
    more: dict[str, Longer],
    laws: list[ExactLaw],
) -> Verdict:
    alpha = evidence.budget.alpha / (len(results) + EXTRA)
    if isinstance(claim, Unbiased):
        known = any(sum(t != 0 for t in law.x) > 1 for law in laws)
        return _mean_verdict(evidence, claim, results, more, alpha, known)
    return _bound_verdict(evidence, claim, results, more, alpha)


def _mean_verdict(
    evidence: Evidence,
    claim: Claim,
    results: Results,
    more: dict[str, Longer],
    alpha: float,
    known: bool,
) -> Verdict:
    gain = results["flat"].gain
    tests = {name: mean_test(r.values, r.x, alpha, gain, r.chance) for name, r in results.items()}
    tests |= {n + _MORE: along_test(m.along, m.x, alpha, gain) for n, m in more.items()}
    outcomes = results | {n + _MORE: results[n] for n in more}
    name, worst = max(tests.items(), key=lambda item: (item[1].refuted, item[1].deviation))
    outcome, description = _sure(evidence, outcomes[name], worst, alpha, known)
    return judged(
        evidence,
        claim,
        MONTE_CARLO,
        outcome,
        f"{how_many(results, more)}; largest relative "
        f"deviation {worst.deviation:.3g} ({name}, {worst.where}){description}; "
        f"error {alpha:.2g} a vector",
        statistic=worst.deviation,
        bound=0.0,
        uncertainty=worst.half_width,
        resolution=min(test.resolution for name, test in tests.items() if name != "zero"),
    )


def _sure(
    evidence: Evidence, at: Outcomes, test: MeanTest, alpha: float, known: bool
) -> tuple[Outcome, str]:
    """Verdict on a deviation from unbiasedness: a sampled one is tested again, unless laws of
    the operator are ``known`` at small vectors, so that nothing too rare to be seen hides in it."""
    if not test.refuted:
        return Outcome.SUPPORTED, ""
    if known or not at.chance or not bool(torch.isfinite(at.values).all()):
        return Outcome.REFUTED, ""
    compressor, d = evidence.compressor, evidence.d
    omega = next((c.omega for c in compressor.claims(d) if isinstance(c, VarianceBound)), None)
    key = Key.seed(evidence.seed).fold("second look")
    again = second_look(compressor, at.x, test.towards, test.deviation, omega, alpha, key)
    return Outcome.REFUTED if again.refuted else Outcome.COMPARED, f"; {again.description}"


def _bound_verdict(
    evidence: Evidence, claim: Claim, results: Results, more: dict[str, Longer], alpha: float
) -> Verdict:
    constant = float(_constant(claim))
    tests = {}
    for name, r in results.items():
        some = 1.0 if bool(r.x.any()) else 0.0
        tests[name] = bound_test(r.errors, constant * some, alpha, some, r.chance)
    tests |= {n + _MORE: bound_test(m.errors, constant, alpha, 1.0) for n, m in more.items()}
    name, worst = max(tests.items(), key=lambda item: (item[1].refuted, item[1].mean))
    return judged(
        evidence,
        claim,
        MONTE_CARLO,
        Outcome.REFUTED if worst.refuted else Outcome.SUPPORTED,
        f"{how_many(results, more)}; largest ratio "
        f"{worst.mean:.6g} ({name}); error {alpha:.2g} a vector",
        statistic=worst.mean,
        bound=constant,
        uncertainty=worst.half_width,
        resolution=worst.resolution,
    )


def _worst_case(evidence: Evidence, claim: Claim, worst: WorstVector, again: Outcomes) -> Verdict:
    """The worst vector found, tried anew on the code: its outcomes ``again`` on fresh draws."""
    constant = float(_constant(claim))
    alpha = evidence.budget.alpha
    fresh = bound_test(again.errors, constant, alpha, 1.0, again.chance)
    sampled = worst.sampled
    ratio = fresh.mean if sampled else worst.ratio
    refuted = fresh.refuted or (not sampled and ratio > constant * (1 + 1e-9) + 1e-12)
    outcome = Outcome.REFUTED if refuted else Outcome.SUPPORTED
    near = tightness(ratio, constant)
    note = "; claimed tight" if getattr(claim, "tight", False) else ""
    return judged(
        evidence,
        claim,
        WORST_CASE,
        Outcome.COMPARED if isinstance(claim, NoConstant) else outcome,
        f"{worst.tried} vectors tried from many starts ({worst.how}); worst from a {worst.start} "
        f"start, ratio {ratio:.6g}; on fresh draws {fresh.mean:.6g} +- {fresh.half_width:.2g}"
        f"{note}",
        statistic=ratio,
        bound=None if isinstance(claim, NoConstant) else constant,
        uncertainty=fresh.half_width if sampled else 0.0,
        resolution=fresh.resolution if sampled else 0.0,
        tightness=None if isinstance(claim, NoConstant) else near,
    )
