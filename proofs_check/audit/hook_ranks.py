"""Output of a hook on gradients that differ from rank to rank."""

from __future__ import annotations

import torch

from proofs_check.audit.history import shown
from proofs_check.audit.moments import ALPHA
from proofs_check.audit.reporting import Reporter
from proofs_check.audit.torch_hooks import HookLine
from proofs_check.audit.traits import ordinary
from proofs_check.instruments.statistics import half_width
from proofs_check.verdict import Outcome, Verdict

_DIMS = (1, 4, 20)
_SAMPLES = 300
_SEED = 5


def check_ranks(line: HookLine, speaker: Reporter, random: bool) -> list[Verdict]:
    """Whether ranks agree, use each other's gradients, and average them; of two ranks or more."""
    if line.ranks == 1:
        description = "one rank; --ranks 2 would do"
        claim = "all ranks get the mean of what the ranks sent"
        return [speaker.says(claim, "ranks", Outcome.NOT_APPLICABLE, description)]
    return [_agree(line, speaker), _used(line, speaker), _mean(line, speaker, random)]


def _agree(line: HookLine, speaker: Reporter) -> Verdict:
    claim, check = "all ranks get the same gradient", "ranks agree"
    for d in _DIMS:
        x = ordinary(d).float()
        line.reset()
        first, *others = line.apart(x, _SEED)
        for rank, other in enumerate(others, 1):
            if not torch.equal(first.nan_to_num(), other.nan_to_num()):
                description = (
                    f"d = {d}: rank r holds (r + 1) x, x = {shown(x)}; rank 0 gets {shown(first)}, "
                    f"rank {rank} gets {shown(other)}: the models drift apart"
                )
                return speaker.holds(claim, check, False, description)
    dims = ", ".join(map(str, _DIMS))
    return speaker.holds(claim, check, True, f"bit for bit where they hold x, 2 x, ..., d = {dims}")


def _used(line: HookLine, speaker: Reporter) -> Verdict:
    """Rank 0 gets another outcome where the others hold something else."""
    claim, check = "what other ranks hold is used", "ranks used"
    for d in _DIMS:
        x = ordinary(d).float()
        line.reset()
        torch.manual_seed(_SEED)
        alone = line(x, _SEED)
        line.reset()
        mixed = line.apart(x, _SEED)[0]
        if not torch.equal(alone, mixed):
            return speaker.holds(claim, check, True, f"d = {d}: rank 0 gets something else then")
    description = f"rank 0 gets the same, {shown(alone)}, whether the others hold x or 2 x, d = {d}"
    return speaker.holds(claim, check, False, description)


def _mean(line: HookLine, speaker: Reporter, random: bool) -> Verdict:
    """In R^1, where x is on every rank, x comes back in the mean, not their sum."""
    claim, check = "equal gradients are averaged, not added up", "ranks average"
    x, n = torch.ones(1), line.ranks
    line.reset()
    seen = []
    for seed in range(_SAMPLES if random else 2):
        torch.manual_seed(seed)
        seen.append(line(x, seed).double())
    values = torch.stack(seen)
    width = half_width(values, float(n), ALPHA) if random else torch.zeros(1)
    mean = float(values[0] if not random else values.mean(0))
    description = f"x = (1) on {n} ranks comes back as {mean:.4g}"
    if float(width):
        description += f" +- {float(width):.2g} in the mean"
    return speaker.holds(claim, check, not mean - float(width) > (1 + n) / 2, description)
