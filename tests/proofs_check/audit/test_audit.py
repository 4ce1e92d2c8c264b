"""The audit finds each planted fault, with a small example, and leaves sound compressors alone."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.top_k import TopK
from proofs_check.audit.audit import Audit, audit
from proofs_check.audit.claims import Stated
from proofs_check.audit.expression import evaluate
from proofs_check.audit.faults import SubjectFault
from proofs_check.audit.plan import Plan
from proofs_check.audit.randomness import GENERATORS
from proofs_check.audit.shrink import shrink
from proofs_check.audit.subject import subject_of
from proofs_check.verdict import Outcome, Verdict

SMALL = Plan(d=20, samples=2000, search=2000)


def audited(thing: Any, stated: Stated | None = None) -> Audit:
    return audit(subject_of("planted", thing), stated, SMALL)


def verdict(found: Audit, check: str) -> Verdict:
    return next(one for one in found.verdicts if one.check == check)


def refuted(found: Audit) -> set[str]:
    """The checks that were refuted."""
    return {one.check for one in found.verdicts if one.outcome is Outcome.REFUTED}


def rand_k(x: np.ndarray) -> np.ndarray:
    """Half of the coordinates, rounded up, scaled to be unbiased: omega = d / k - 1."""
    d = len(x)
    k = -(-d // 2)
    y = np.zeros_like(x)
    kept = np.random.permutation(d)[:k]
    y[kept] = x[kept] * (d / k)
    return y


def rand_k_unscaled(x: np.ndarray) -> np.ndarray:
    return rand_k(x) * (-(-len(x) // 2) / len(x))


def top_half(x: np.ndarray) -> np.ndarray:
    """The larger half, rounded up: delta = k / d, attained at flat vectors."""
    y = np.zeros_like(x)
    kept = np.argsort(-np.abs(x), kind="stable")[: -(-len(x) // 2)]
    y[kept] = x[kept]
    return y


def top_half_in_place(x: np.ndarray) -> np.ndarray:
    x[np.argsort(-np.abs(x))[-(-len(x) // 2) :]] = 0
    return x.copy()


def torch_rand_k(x: torch.Tensor) -> torch.Tensor:
    return torch.where(torch.rand_like(x) < 0.5, 2 * x, torch.zeros_like(x))


class TopHalfWithResidual:
    """Error feedback inside."""

    def __init__(self) -> None:
        self.residual: Any = 0

    def __call__(self, x: np.ndarray) -> np.ndarray:
        if np.shape(self.residual) != x.shape:
            self.residual = np.zeros_like(x)
        wanted = x + self.residual
        sent = top_half(wanted)
        self.residual = wanted - sent
        return sent


REMEMBERED: dict[int, np.ndarray] = {}


def residual_in_a_global(x: np.ndarray) -> np.ndarray:
    wanted = x + REMEMBERED.get(len(x), 0)
    sent = top_half(wanted)
    REMEMBERED[len(x)] = wanted - sent
    return sent


class OwnGenerator:
    def __init__(self) -> None:
        self.generator = np.random.default_rng(0)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        return 2 * x * (self.generator.random(len(x)) < 0.5)


class Cyclic:
    """Coordinates in turn, by a counter."""

    def __init__(self) -> None:
        self.turn = 0

    def compress(self, x: np.ndarray) -> np.ndarray:
        self.turn += 1
        return np.where(np.arange(len(x)) % 2 == self.turn % 2, x, 0)


class Grace:
    """compress(tensor, name) -> (tensors, ctx), decompress(tensors, ctx)."""

    def compress(self, tensor: torch.Tensor, name: str) -> Any:
        kept = tensor.abs().topk(-(-tensor.numel() // 2)).indices
        return (tensor[kept], kept), (tensor.numel(), tensor.dtype)

    def decompress(self, tensors: Any, ctx: Any) -> torch.Tensor:
        values, kept = tensors
        return torch.zeros(ctx[0], dtype=ctx[1]).scatter(0, kept, values)


def normalised(x: np.ndarray) -> np.ndarray:
    return np.asarray(x / np.linalg.norm(x) * np.linalg.norm(x), dtype=x.dtype)


@pytest.mark.slow
def test_a_sound_random_operator_passes_with_its_constant() -> None:
    found = audited(rand_k, Stated(True, "d/k - 1", None, {"k": 10.0}))
    assert verdict(found, "determinism").evidence == "draws from numpy global"
    assert refuted(found) == {"Monte Carlo", "worst-case search"}, "k = d/2, not 10"
    assert not audited(rand_k, Stated(True, "1")).refuted
    sound = audited(torch_rand_k, Stated(unbiased=True, omega="1"))
    assert refuted(sound) == set()
    assert sound.fit is not None and sound.fit.name == "unbiased"
    for one in sound.measures:
        assert abs(one.worst.look.ratio - 1) <= one.worst.look.ratio_width
    assert verdict(sound, "determinism").evidence == "draws from torch global"
    assert "torch tensors" in sound.arrays


@pytest.mark.parametrize(
    ("stated", "caught"),
    [
        (Stated(delta="1/2"), False),
        (Stated(delta="0.55"), True),
        (Stated(unbiased=True), True),
        (Stated(omega="0.4"), True),
    ],
)
def test_constants_of_top_k_are_told_apart(stated: Stated, caught: bool) -> None:
    found = audited(top_half, stated)
    assert found.refuted == caught
    assert found.fit is not None and found.fit.name == "contraction"
    assert [one.worst.look.ratio for one in found.measures] == pytest.approx([0, *[0.5] * 4])


def test_an_omega_too_small_by_a_fifth_is_refuted_with_a_small_vector() -> None:
    def half(x: np.ndarray) -> np.ndarray:
        return 2 * x * (np.random.random(len(x)) < 0.5)

    good = audited(half, Stated(unbiased=True, omega="1"))
    assert not good.refuted
    bad = audited(half, Stated(unbiased=True, omega="0.8"))
    assert refuted(bad) == {"Monte Carlo", "worst-case search"}
    assert "d = 1, x = (" in verdict(bad, "worst-case search").evidence


def test_a_biased_rand_k_is_refuted_and_found_unbiased_after_scaling() -> None:
    found = audited(rand_k_unscaled, Stated(unbiased=True))
    assert found.refuted
    assert found.claims[0].evidence.startswith("d = 2, x = (")
    assert found.fit is not None
    assert found.fit.name == "contraction, unbiased after scaling"


def test_neither_class_fits_the_plain_sign() -> None:
    found = audited(np.sign)
    assert found.fit is not None and found.fit.name == "neither"
    assert "x = (0.1)" in found.fit.text, "(1 - 0.1)^2 / 0.1^2 = 81"
    assert "81" in found.fit.text


def test_dropping_the_sign_shows_on_negative_vectors() -> None:
    found = audited(np.abs)
    assert {"negative-only", "d = 1"} <= refuted(found)
    assert "x = (-1)" in verdict(found, "negative-only").evidence


def test_a_threshold_on_signed_values_shows_in_the_mirror() -> None:
    found = audited(lambda x: np.where(x >= 0.5 * x.max(), x, 0))
    assert verdict(found, "mirror").outcome is Outcome.REFUTED
    assert "= 0 at x = (1), but 1 at -x" in verdict(found, "mirror").evidence, "-1 < -1 / 2"
    assert verdict(audited(top_half), "mirror").outcome is Outcome.SUPPORTED


def test_ties_that_are_all_kept_are_counted() -> None:
    found = audited(lambda x: np.where(np.abs(x) >= np.sort(np.abs(x))[-1], x, 0))
    assert "100 entries are not zero (1 for a gaussian vector)" in verdict(found, "ties").evidence


def test_writing_into_the_input_is_seen() -> None:
    found = audited(top_half_in_place)
    assert "in-place" in refuted(found)
    assert verdict(found, "in-place").evidence.startswith("d = 2: x = (")
    assert "in-place" not in refuted(audited(top_half))


def test_returning_another_type_is_seen() -> None:
    found = audited(lambda x: top_half(x).astype(np.float64))
    assert refuted(found) >= {"dtype"}
    assert "float64 for float32 x = (1)" in verdict(found, "dtype").evidence


def test_failing_on_zero_is_seen_at_the_smallest_dimension() -> None:
    found = audited(normalised)
    assert verdict(found, "zero").outcome is Outcome.REFUTED
    assert verdict(found, "zero").evidence == "d = 1: C(x) = (nan) for x = (0)"

    def raises(x: np.ndarray) -> np.ndarray:
        if not x.any():
            raise ZeroDivisionError("no scale")
        return x.copy()

    assert "ZeroDivisionError: no scale" in verdict(audited(raises), "zero").evidence


@pytest.mark.parametrize("thing", [TopHalfWithResidual, TopHalfWithResidual()])
def test_error_feedback_inside_is_told(thing: Any) -> None:
    found = audited(thing)
    state = verdict(found, "state")
    assert state.outcome is Outcome.REFUTED
    assert state.evidence.startswith("d = 2: C(")
    assert "error feedback inside" in state.evidence
    assert "recovery" in refuted(found), "the residual keeps a NaN"


@pytest.mark.slow
def test_a_residual_in_a_global_variable_is_told_by_a_test_of_means() -> None:
    REMEMBERED.clear()
    assert verdict(audited(residual_in_a_global), "state").outcome is Outcome.REFUTED


def test_a_counter_is_state_and_a_generator_of_its_own_is_not() -> None:
    assert verdict(audited(Cyclic), "state").outcome is Outcome.REFUTED
    found = audited(OwnGenerator)
    assert verdict(found, "state").outcome is Outcome.SUPPORTED
    assert verdict(found, "determinism").outcome is Outcome.COMPARED
    assert found.random


@pytest.mark.slow
def test_randomness_that_no_seed_reaches_is_told() -> None:
    def unseeded(x: np.ndarray) -> np.ndarray:
        return 2 * x * (np.random.default_rng().random(len(x)) < 0.5)

    found = audited(unseeded)
    assert refuted(found) == {"determinism"}
    assert found.fit is not None and found.fit.name == "unbiased"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("thing", "name"),
    [
        (lambda x: 2 * x * (np.random.random(len(x)) < 0.5), "numpy global"),
        (lambda x: 2 * x * (random.random() < 0.5), "python random"),
        (torch_rand_k, "torch global"),
    ],
)
def test_generators_are_named_and_put_back(thing: Callable[[Any], Any], name: str) -> None:
    before = [generator.token() for generator in GENERATORS]
    found = audited(thing)
    assert verdict(found, "determinism").evidence == f"draws from {name}"
    assert [generator.token() for generator in GENERATORS] == before


def test_half_precision_inside_breaks_at_both_ends() -> None:
    found = audited(lambda x: x.astype(np.float16).astype(x.dtype))
    assert {"huge", "tiny"} <= refuted(found)
    assert "inf" in verdict(found, "huge").evidence


def test_what_breaks_is_told_before_anything_is_measured() -> None:
    told: list[str] = []
    halved = subject_of("half", lambda x: x.astype(np.float16).astype(x.dtype))
    whole = audit(halved, Stated(unbiased=True), SMALL, found=told.append)
    first, second, *rest = told
    assert first.startswith("refuted: huge: d = 1: C(x) = (inf)")
    assert second.startswith("refuted: tiny: ")
    assert any(one.startswith("in R^20: ") for one in rest)
    assert rest[-1].startswith("refuted: Monte Carlo: d = 1, x = (0.1)")
    assert len(set(told)) == len(told)
    checks = [one.check for one in whole.behaviour]
    assert checks.index("class") == 0 and {"huge", "tiny"} < set(checks)


def test_not_a_number_spreads_hides_or_is_refused() -> None:
    spreads = audited(lambda x: np.sign(x) * np.abs(x).mean())
    assert "spreads in silence to 1 of the 1" in verdict(spreads, "NaN").evidence
    hides = audited(lambda x: np.nan_to_num(x))
    assert "hidden in silence" in verdict(hides, "NaN").evidence

    def refuses(x: np.ndarray) -> np.ndarray:
        if not np.isfinite(x).all():
            raise ValueError("x must be finite")
        return x.copy()

    assert verdict(audited(refuses), "NaN").outcome is Outcome.SUPPORTED


def test_pairs_and_classes_are_called_as_they_ask() -> None:
    pair = (lambda x: (x.shape, x[::2]), lambda p: np.repeat(p[1], 2)[: p[0][0]])
    assert audited(pair).kind == "pair (compress, decompress)"
    found = audited(Grace, Stated(delta="1/2"))
    assert found.kind == "Grace with compress and decompress"
    assert not found.refuted
    assert audited(lambda: Grace()).kind == found.kind
    assert audited(Grace()).measures[-1].worst.look.ratio == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("compressor", "stated"),
    [
        (TopK(1), Stated(delta="1/d")),
        (QSGD(1), Stated(unbiased=True, omega="min(d, sqrt(d))")),
        (NaturalCompression(), Stated(unbiased=True, omega="1/8")),
    ],
)
def test_operators_of_this_house_hold_their_published_constants(
    compressor: Any, stated: Stated
) -> None:
    found = audited(compressor, stated)
    assert not found.refuted
    assert {"state", "in-place", "dtype", "zero"}.isdisjoint(refuted(found))


@pytest.mark.parametrize(
    ("thing", "told"),
    [
        (3, "compressor must be a callable .* got compressor=3"),
        ((np.sign,), "a pair"),
        (lambda a, b, c: a, "needs 3 arguments"),
        (lambda x, *, k: x, "needs k"),
    ],
)
def test_what_cannot_be_audited_is_refused(thing: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        subject_of("planted", thing)


def test_one_that_raises_at_every_vector_is_told_by_file_and_line() -> None:
    def divides(x: Any) -> float:
        return 1 / 0

    line = divides.__code__.co_firstlineno + 1
    with pytest.raises(SubjectFault, match="takes no vector of either kind") as fault:
        subject_of("planted", divides)
    assert f"ZeroDivisionError: division by zero (test_audit.py, line {line})" in str(fault.value)


def test_a_class_that_raises_where_it_is_made_is_told_by_file_and_line() -> None:
    class Unfinished:
        def __init__(self) -> None:
            raise KeyError("no such level")

    line = Unfinished.__init__.__code__.co_firstlineno + 1
    with pytest.raises(SubjectFault, match=rf"where it is made \(test_audit.py, line {line}\)"):
        subject_of("planted", Unfinished)


def test_a_class_with_arguments_is_refused_with_what_would_do() -> None:
    class Needs:
        def __init__(self, k: int) -> None:
            self.k = k

    with pytest.raises(ValueError, match="an instance, or a function without arguments"):
        subject_of("planted", Needs)


def test_one_that_runs_nowhere_is_reported_not_measured() -> None:
    def breaks(x: np.ndarray) -> np.ndarray:
        if (x != x.astype(np.float32)).any() or len(x) not in (16,):
            raise RuntimeError("16 entries, please")
        return x.copy()

    found = audited(breaks)
    assert [one.d for one in found.measures] == [16]
    assert verdict(found, "d = 1").outcome is Outcome.REFUTED


def test_another_length_and_another_shape_are_seen() -> None:
    shorter = audited(lambda x: x[: max(1, len(x) - 1)].copy())
    assert [one.d for one in shorter.measures] == [1]
    assert "returns shape (3,) for shape (4,)" in verdict(shorter, "dimensions").evidence
    column = audited(lambda x: x[:, None].copy())
    assert verdict(column, "shape").evidence.startswith("shape (1, 1) for shape (1,)")
    assert verdict(column, "dimensions").outcome is Outcome.SUPPORTED


def test_a_clear_refusal_of_small_dimensions_is_no_fault() -> None:
    def top_ten(x: np.ndarray) -> np.ndarray:
        if len(x) < 10:
            raise ValueError(f"k must lie in [1, d], got k=10 with d={len(x)}")
        return top_half(x)

    found = audited(top_ten)
    assert verdict(found, "dimensions").outcome is Outcome.COMPARED
    assert verdict(found, "d = 1").outcome is Outcome.COMPARED
    assert "d = 1" not in refuted(found)


@pytest.mark.parametrize(
    ("text", "value"),
    [("k/d", 0.25), ("min(k, d)/d", 0.25), ("-sqrt(d)+2**3", 6.0), ("log(d, 2)", 2.0)],
)
def test_expressions_are_read(text: str, value: float) -> None:
    assert evaluate(text, {"d": 4.0, "k": 1.0}) == pytest.approx(value)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "d.real",
        "m",
        "d if 1 else 2",
        "[d]",
        "9**9**9",
        "1/0",
        "True",
        "log(-1)",
        "",
        "d" * 300,
        "(lambda: 1)()",
        "sqrt(*[d])",
    ],
)
def test_anything_else_is_no_expression(text: str) -> None:
    with pytest.raises(ValueError, match="expression"):
        evaluate(text, {"d": 4.0, "k": 1.0})


def test_shrinking_finds_the_smallest_and_plainest() -> None:
    x = torch.randn(100, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    small = shrink(x, lambda y: len(y) >= 3 and bool((y < 0).any()))
    assert small.tolist() == [0, 0, -1] or (len(small) == 3 and set(small.tolist()) <= {0, 1, -1})
