"""One subject on trial: what is known of it, and how its outcomes are had."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.key import Key
from proofs_check.audit.moments import Setting
from proofs_check.audit.runner import Runner, batched
from proofs_check.audit.traits import Traits, ordinary
from proofs_check.audit.verdicts import Reporter

_SAMPLES = 400
_DIMS = (1, 2, 3, 4, 8, 20)


@final
@dataclass(frozen=True)
class Trial:
    """A subject with its ``traits``, and a ``speaker`` that turns findings into verdicts.

    ``bench`` runs it on vectors of ordinary size, ``single`` on huge and tiny ones.

    Attributes:
        speaker: what turns findings into verdicts.
        traits: how the subject behaves from call to call.
        bench: the subject in double precision.
        single: the subject in single precision.
    """

    speaker: Reporter
    traits: Traits
    bench: Runner
    single: Runner

    def bench_for(self, scale: float) -> Runner:
        """Single precision for sizes at its ends."""
        return self.bench if scale == 1 else self.single

    def setting(self, bench: Runner, d: int) -> Setting:
        """How outcomes in R^d are had."""
        random = self.traits.random
        key = Key.seed(0).fold("inputs")
        eps = torch.finfo(torch.float32).eps
        return Setting(batched(bench, random), d, key, _SAMPLES, random, eps)

    def dims(self) -> list[int]:
        """Dimensions to try, smallest first."""
        return sorted(
            d
            for d in {*_DIMS, *self.traits.dims}
            if d in self.traits.dims or _taken(self.bench, ordinary(d))
        )


def _taken(bench: Runner, x: Tensor) -> bool:
    try:
        bench.renew()
        bench(x)
    except Exception:  # a stranger's code may raise anything
        return False
    return True
