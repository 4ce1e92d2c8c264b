"""One subject on trial: what is known of it, and how its outcomes are had."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import final

import torch
from torch import Tensor

from algorithms.core.key import Key
from proofs_check.audit.moments import Sample, SampledOperator, look, outcomes
from proofs_check.audit.reporting import Reporter
from proofs_check.audit.runner import Runner, batched
from proofs_check.audit.traits import Traits, ordinary

SAMPLES = 400
_DIMS = (1, 2, 3, 4, 8, 20)


@final
@dataclass(frozen=True, eq=False)
class Trial:
    """A subject with its ``traits``, and a ``speaker`` that turns findings into verdicts.

    ``bench`` runs it on vectors of ordinary size, ``single`` on huge and tiny ones.

    Attributes:
        speaker: what turns findings into verdicts.
        traits: how the subject behaves from call to call.
        bench: the subject in double precision.
        single: the subject in single precision.
        samples: outcomes drawn at each vector.
        share: of the usual further draws.
        crashes: what the subject raised where it should take a vector, and for which.
    """

    speaker: Reporter
    traits: Traits
    bench: Runner
    single: Runner
    samples: int = SAMPLES
    share: float = 1.0
    crashes: list[str] = field(default_factory=list)
    _usual: dict[int, tuple[Sample, float]] = field(default_factory=dict)
    _looks: dict[tuple[bytes, float], Sample] = field(default_factory=dict)
    _drawn: dict[tuple[bytes, float, int], Tensor] = field(default_factory=dict)

    def bench_for(self, scale: float) -> Runner:
        """Single precision for sizes at its ends."""
        return self.bench if scale == 1 else self.single

    def in_turn(self) -> Runner:
        """Calls one after another, with nothing made anew between them."""
        return Runner(self.bench.subject, self.traits.dtype, self.traits.generators)

    def setting(self, bench: Runner, d: int) -> SampledOperator:
        """Sampler of outcomes in R^d."""
        random = self.traits.random
        key = Key.seed(0).fold("inputs")
        eps = torch.finfo(torch.float32).eps
        return SampledOperator(
            batched(bench, random), d, key, self.samples, random, eps, self.share
        )

    def drawn(self, x: Tensor, scale: float = 1.0, samples: int = 0) -> Tensor:
        """Outcomes ``[S, d]`` at x ``[d]``, on the bench for its scale; 0 samples: the usual."""
        samples = samples or self.samples
        asked = (_bytes(x), scale, samples)
        if asked not in self._drawn:
            setting = replace(self.setting(self.bench_for(scale), len(x)), samples=samples)
            self._drawn.clear()  # the latest alone is kept: they may be large
            self._drawn[asked] = outcomes(setting, x, setting.key)
        return self._drawn[asked]

    def look(self, x: Tensor, scale: float = 1.0) -> Sample:
        """Statistics of outcomes at x; the same vector is sampled once."""
        asked = (_bytes(x), scale)
        if asked not in self._looks:
            setting = self.setting(self.bench_for(scale), len(x))
            self._looks[asked] = look(setting, "", x, self.drawn(x, scale))
        return self._looks[asked]

    def given(self, x: Tensor, scale: float = 1.0) -> Tensor:
        """scale x ``[d]`` as the subject gets it, in double precision."""
        return (x * scale).to(self.bench_for(scale).dtype).to(torch.float64)

    def usual(self, d: int) -> tuple[Sample, float]:
        """Statistics at a gaussian vector ``[d]``, and how many entries are kept in the mean."""
        if d not in self._usual:
            x = self.given(ordinary(d))
            kept = float((self.drawn(x) != 0).double().sum(-1).mean())
            self._usual[d] = self.look(x), kept
        return self._usual[d]

    def dims(self) -> list[int]:
        """Dimensions to try, smallest first."""
        return sorted(
            d
            for d in {*_DIMS, *self.traits.dims}
            if d in self.traits.dims or self.bench.takes(ordinary(d))
        )


def _bytes(x: Tensor) -> bytes:
    return bytes(x.numpy().tobytes())
