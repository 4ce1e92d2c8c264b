"""Claims as given, held against what was measured, with a small counterexample where they fail."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import final

import torch
from torch import Tensor

from proofs_check.audit.claims import Stated
from proofs_check.audit.history import shown
from proofs_check.audit.looks import more_draws
from proofs_check.audit.measure import Measure
from proofs_check.audit.moments import ALPHA, Sample, SampledOperator, look, outcomes, ratio_ends
from proofs_check.audit.reporting import Reporter
from proofs_check.audit.shrink import shrink
from proofs_check.compressors.check import MONTE_CARLO, WORST_CASE
from proofs_check.instruments.adversary import tightness
from proofs_check.instruments.betting import samples_needed
from proofs_check.verdict import Outcome, Verdict
from theory.claims import Claim, Contraction, Unbiased

_SHRINK_SAMPLES = 2000
_MARGIN = 1e-12
_FAR, _SPARE, _MOST = 6.0, 1.15, 800_000
ZERO = "zero"

MakeSetting = Callable[[int, int], SampledOperator]


@final
class ClaimChecks:
    """Holds stated claims against measures; ``setting(d, samples)`` gives fresh outcomes."""

    def __init__(self, speaker: Reporter, stated: Stated, setting: MakeSetting) -> None:
        self.speaker = speaker
        self.stated = stated
        self.setting = setting

    def verdicts(self, measures: Sequence[Measure]) -> list[Verdict]:
        """For each claim: at the vectors looked at; for constants also at the worst one found.

        Where C(0) is not 0, each claim has a verdict on that, and the others tell of all else.
        """
        found = []
        for kind, sentence in self.stated.sentences().items():
            pairs = [(one, self._claim(kind, one.d)) for one in measures]
            meant = [(one, claim) for one, claim in pairs if claim is not None]
            impossible = self.stated.impossible([one.d for one in measures])
            if kind is Contraction and impossible:
                found.append(self.speaker.holds(sentence, MONTE_CARLO, False, impossible))
            elif not meant:
                description = "the constant means nothing in any dimension that was tried"
                found.append(
                    self.speaker.says(sentence, MONTE_CARLO, Outcome.NOT_APPLICABLE, description)
                )
            elif kind is Unbiased:
                found.append(self._unbiased(sentence, [one for one, _ in meant]))
            else:
                found.append(self._bounded(sentence, kind, meant))
                found.append(self._worst(sentence, kind, meant))
            found.extend(self._zero(sentence, kind, [one for one, _ in meant]))
        return found

    def _zero(
        self, sentence: str, kind: type[Claim], measures: Sequence[Measure]
    ) -> Sequence[Verdict]:
        """Refuted where the claim fails at zero; nothing where it holds."""
        wrong = [one.zero for one in measures if self._refutes(kind, one.zero)]
        if not wrong:
            return ()
        description = (
            f"d = {len(wrong[0].x)}: C(x) = {shown(wrong[0].mean)} for x = {shown(wrong[0].x)}"
        )
        return (self.speaker.says(sentence, ZERO, Outcome.REFUTED, description),)

    def _claim(self, kind: type[Claim], d: int) -> Claim | None:
        return next((claim for claim in self.stated.claims(d) if type(claim) is kind), None)

    def _unbiased(self, sentence: str, measures: Sequence[Measure]) -> Verdict:
        for one in measures:
            if one.biased:
                return self._counter(sentence, Unbiased, MONTE_CARLO, one.most_biased)
        worst = max((one.most_biased for one in measures), key=lambda seen: seen.bias)
        resolution = max(min(look.resolution for look in one.looks) for one in measures)
        return self.speaker.says(
            sentence,
            MONTE_CARLO,
            Outcome.SUPPORTED,
            f"largest deviation {worst.bias:.3g} ||x|| ({worst.name}, {worst.where}, "
            f"d = {len(worst.x)}); d = {_dims(measures)}; error {ALPHA:g} a vector",
            statistic=worst.bias,
            bound=0.0,
            uncertainty=worst.bias_width,
            resolution=resolution,
        )

    def _bounded(
        self, sentence: str, kind: type[Claim], meant: Sequence[tuple[Measure, Claim]]
    ) -> Verdict:
        for one, claim in meant:
            for seen in one.looks:
                if beyond(claim, seen):
                    return self._counter(sentence, kind, MONTE_CARLO, seen)
        again = self._again([(s, bound(c)) for one, c in meant for s in one.all])
        if again is not None and self._refutes(kind, again):
            return self._counter(sentence, kind, MONTE_CARLO, again)
        nearest = max(
            ((seen, bound(claim)) for one, claim in meant for seen in one.looks),
            key=lambda pair: pair[0].ratio - pair[1],
        )
        return self._supported(sentence, MONTE_CARLO, nearest, "nearest to it", meant)

    def _again(self, pairs: Sequence[tuple[Sample, float]]) -> Sample | None:
        """A fresh look, of as many draws as it takes, where a ratio is far above its bound for
        its standard error, yet within its interval; None where none is.
        """
        wanted = [
            (_SPARE * samples_needed(seen.ratio - limit, limit, ALPHA / 2), seen)
            for seen, limit in pairs
            if seen.ratio - limit > max(_FAR * seen.ratio_error, _MARGIN) and seen.ratio_error
        ]
        needed, seen = min(wanted, key=lambda pair: pair[0], default=(math.inf, None))
        if seen is None:
            return None
        here = self.setting(len(seen.x), math.ceil(min(needed, _MOST)))
        if needed > here.share * _MOST:
            return None
        ratio = more_draws(here, seen.x, here.samples)[1]
        low, high = ratio_ends(here, ratio)
        return replace(seen, ratio=float(ratio.mean()), ratio_low=low, ratio_high=high, needed=0.0)

    def _worst(
        self, sentence: str, kind: type[Claim], meant: Sequence[tuple[Measure, Claim]]
    ) -> Verdict:
        for one, claim in meant:
            if beyond(claim, one.worst.look):
                return self._counter(sentence, kind, WORST_CASE, one.worst.look)
        pairs = [(one, bound(claim)) for one, claim in meant]
        one, limit = max(pairs, key=lambda pair: pair[0].worst.look.ratio / max(pair[1], _MARGIN))
        description = f"worst, {one.worst.found}"
        return self._supported(sentence, WORST_CASE, (one.worst.look, limit), description, meant)

    def _supported(
        self,
        sentence: str,
        check: str,
        nearest: tuple[Sample, float],
        description: str,
        meant: Sequence[tuple[Measure, Claim]],
    ) -> Verdict:
        seen, limit = nearest
        return self.speaker.says(
            sentence,
            check,
            Outcome.SUPPORTED,
            f"{description}: ratio {seen.ratio:.6g} +- {seen.ratio_width:.2g} against "
            f"{limit:.6g} at "
            f"d = {len(seen.x)}, x = {shown(seen.x)}; d = {_dims([one for one, _ in meant])}; "
            f"error {ALPHA:g} a vector",
            statistic=seen.ratio,
            bound=limit,
            uncertainty=seen.ratio_width,
            resolution=2 * seen.ratio_width,
            tightness=tightness(seen.ratio, limit),
        )

    def _counter(self, sentence: str, kind: type[Claim], check: str, seen: Sample) -> Verdict:
        """Refuted, at the simplest vector that still refutes it on fresh draws."""
        shown_at = simplest(self.setting, seen, lambda other: self._refutes(kind, other))
        x = shown_at.x
        claim = self._claim(kind, len(x))
        limit = 0.0 if kind is Unbiased or claim is None else bound(claim)
        description = f"E C(x) = {shown(shown_at.mean)}"
        if kind is Unbiased and shown_at.finite:
            description += (
                f", off by {shown_at.bias:.3g} ||x|| {shown_at.where} "
                f"(+- {shown_at.bias_width:.2g})"
            )
        elif kind is not Unbiased:
            description += (
                f", E||C(x)-x||^2/||x||^2 = {shown_at.ratio:.6g} +- {shown_at.ratio_width:.2g} "
                f"against {limit:.6g}"
            )
        return self.speaker.says(
            sentence,
            check,
            Outcome.REFUTED,
            f"d = {len(x)}, x = {shown(x)}: {description}",
            statistic=shown_at.bias if kind is Unbiased else shown_at.ratio,
            bound=limit,
            uncertainty=shown_at.bias_width if kind is Unbiased else shown_at.ratio_width,
        )

    def _refutes(self, kind: type[Claim], seen: Sample) -> bool:
        claim = self._claim(kind, len(seen.x))
        if claim is None:
            return False
        return seen.biased if kind is Unbiased else beyond(claim, seen)


def simplest(setting: MakeSetting, seen: Sample, shows: Callable[[Sample], bool]) -> Sample:
    """The look at a plainer vector that shows the same on fresh draws; itself if there is none,
    or if it took more draws than can be spent on each of many vectors.
    """
    if seen.needed == 0:
        return seen

    def again(x: Tensor) -> Sample:
        here = setting(len(x), _SHRINK_SAMPLES)
        x = x.to(torch.float32).to(torch.float64)
        if not x.any():
            raise ValueError("zero has a verdict of its own")
        return look(here, "plainer", x, outcomes(here, x, here.key.fold("plainer")))

    found = again(shrink(seen.x, lambda x: shows(again(x))))
    return found if shows(found) else seen


def bound(claim: Claim) -> float:
    """The bound on the distortion that a claim states."""
    return float(getattr(claim, "constant", 0.0))


def beyond(claim: Claim, seen: Sample) -> bool:
    """Whether a look lies beyond a claimed bound for certain; C(0) must be 0."""
    limit = bound(claim) if bool(seen.x.any()) else 0.0
    return not seen.ratio_low <= limit * (1 + _MARGIN) + _MARGIN


def _dims(measures: Sequence[Measure]) -> str:
    return ", ".join(str(one.d) for one in measures)
