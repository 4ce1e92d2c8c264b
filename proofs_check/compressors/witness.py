"""Operators without a constant: the witnesses that they name, tried on the code."""

from __future__ import annotations

import math
from fractions import Fraction

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.core.key import Key
from proofs_check.instruments.exact import is_random
from proofs_check.instruments.statistics import half_width, mean_test, sample
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.claims import NoConstant

WITNESS = "witness"

_SAMPLES = 4000


def check_witnesses(
    compressor: Compressor, claim: NoConstant, *, d: int, seed: int, alpha: float
) -> Verdict:
    """E C(x) differs from x at one witness, and E||C(x) - x||^2 >= ||x||^2 at the other.

    Proved where nothing is drawn and the second holds in fractions of the doubles that came back;
    else supported if both are seen, up to rounding or the error of the sample; refuted if not.
    A claim without witnesses is refuted: nobody could see that it holds.
    """
    if not (claim.biased_at and claim.expands_at):
        return _verdict(compressor, claim, Outcome.REFUTED, "no witness is named", d, seed)
    key = Key.seed(seed).fold("witness")
    biased, random, bias = _bias(compressor, _tiled(claim.biased_at, d), key, alpha)
    expands, exact, ratio = _expansion(compressor, _tiled(claim.expands_at, d), key, alpha)
    shown = Outcome.PROVED if exact and not random else Outcome.SUPPORTED
    text = (
        f"at {_short(claim.biased_at)}, repeated: ||E C(x) - x|| / ||x|| {bias}; at "
        f"{_short(claim.expands_at)}, repeated: E||C(x) - x||^2 / ||x||^2 = {ratio:.6g}"
    )
    outcome = shown if biased and expands else Outcome.REFUTED
    return _verdict(compressor, claim, outcome, text, d, seed, ratio)


def _tiled(pattern: tuple[float, ...], d: int) -> Tensor:
    repeats = -(-d // len(pattern))
    return torch.tensor(pattern, dtype=torch.float64).repeat(repeats)[:d]


def _outcomes(compressor: Compressor, x: Tensor, key: Key) -> tuple[Tensor, bool]:
    random = is_random(compressor, x)
    return sample(compressor, x, _SAMPLES if random else 1, key), random


def _bias(compressor: Compressor, x: Tensor, key: Key, alpha: float) -> tuple[bool, bool, str]:
    values, random = _outcomes(compressor, x, key.fold("biased"))
    test = mean_test(values, x, alpha / 2, random=random)
    size = float((values.mean(0) - x).norm() / x.norm())
    return test.refuted, random, f"= {size:.4g}"


def _expansion(
    compressor: Compressor, x: Tensor, key: Key, alpha: float
) -> tuple[bool, bool, float]:
    """Whether it is seen, whether in exact arithmetic, and the ratio."""
    values, random = _outcomes(compressor, x, key.fold("expands"))
    ratios = (values - x).square().sum(-1) / x.square().sum()
    mean = float(ratios.mean())
    if not random:
        seen = 1 - 1e-12 <= mean < math.inf
        return seen, seen and _expands_exactly(values[0], x), mean
    width = float(half_width(ratios[:, None], float(ratios.max()), alpha / 2)[0])
    return mean - width >= 1 or float(ratios.min()) >= 1 - 1e-12, False, mean


def _expands_exactly(sent: Tensor, x: Tensor) -> bool:
    """||sent - x||^2 >= ||x||^2 in fractions, for vectors ``[d]`` of doubles."""
    pairs = [(Fraction(s), Fraction(t)) for s, t in zip(sent.tolist(), x.tolist(), strict=True)]
    return sum((s - t) ** 2 for s, t in pairs) >= sum(t**2 for _, t in pairs)


def _short(pattern: tuple[float, ...]) -> str:
    return "x = (" + ", ".join(f"{v:g}" for v in pattern[:6]) + ")"


def _verdict(
    compressor: Compressor,
    claim: NoConstant,
    outcome: Outcome,
    text: str,
    d: int,
    seed: int,
    ratio: float | None = None,
) -> Verdict:
    return Verdict(
        subject=compressor.name,
        claim=str(claim),
        check=WITNESS,
        kind=CheckKind.OPERATOR,
        outcome=outcome,
        evidence=text,
        provenance=f"{claim.source}; seed {seed}, d = {d}",
        statistic=ratio,
        bound=1.0,
    )
