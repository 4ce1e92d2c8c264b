"""State kept between calls, and whether the same seeds bring the same outcome."""

from __future__ import annotations

import torch
from torch import Tensor

from proofs_check.audit.history import comes_back, shown
from proofs_check.audit.runner import Runner
from proofs_check.audit.shrink import shrink
from proofs_check.audit.traits import CallMemory, ordinary
from proofs_check.audit.trial import Trial
from proofs_check.verdict import Outcome, Verdict


def check_memory(trial: Trial) -> Verdict:
    """Whether anything is remembered; error feedback inside is told by what comes back."""
    claim, check = "the outcome does not depend on earlier calls", "state"
    traits = trial.traits
    found = traits.influence
    if traits.memory is CallMemory.NONE:
        description = "what was given before changes nothing"
        if found.resolution:
            description += (
                f" (a shift of the mean by {found.resolution:.2g} ||x|| was sure to be seen)"
            )
        return trial.speaker.says(
            claim, check, Outcome.SUPPORTED, description, resolution=found.resolution or None
        )
    if traits.memory is CallMemory.GENERATOR:
        description = (
            "it draws from a random generator of its own, and what was given changes nothing"
        )
        return trial.speaker.holds(claim, check, True, description)
    return trial.speaker.holds(claim, check, False, f"{_example(trial)}{_feedback(trial)}")


def _bench(trial: Trial) -> Runner:
    """Calls one after another, with nothing made anew between them."""
    return Runner(trial.bench.subject, trial.traits.dtype, trial.traits.generators)


def _example(trial: Trial) -> str:
    """The shortest vector whose second outcome differs, else what the test has found."""
    bench = _bench(trial)

    def twice(x: Tensor) -> tuple[Tensor, Tensor]:
        bench.renew()
        return bench(x, 3), bench(x, 3)

    def moves(x: Tensor) -> bool:
        one, two = twice(x)
        return not torch.equal(one.nan_to_num(), two.nan_to_num())

    if not trial.traits.reproducible or not bench.subject.renewable:
        return trial.traits.influence.how
    for d in trial.dims():
        if moves(ordinary(d)):
            x = shrink(ordinary(d), moves)
            one, two = twice(x)
            return f"d = {len(x)}: C({shown(x)}) = {shown(one)}, and the second time {shown(two)}"
    return trial.traits.influence.how


def _feedback(trial: Trial) -> str:
    """Whether what was left out comes back later."""
    d = next((d for d in reversed(trial.dims()) if d <= 100), trial.dims()[-1])
    bench = _bench(trial)
    seen = comes_back(bench, ordinary(d))
    if not seen.kept:
        return ""
    return (
        f"; error feedback inside: one call misses x by {seen.once:.3g} ||x||, but {seen.turns} "
        f"calls together miss {seen.turns} x by {seen.later:.3g} ||x|| only (d = {d})"
    )


def check_seeds(trial: Trial) -> Verdict:
    """Whether the global seeds fix the outcome, and which generators are drawn from."""
    claim, check = "the same seeds bring the same outcome", "determinism"
    traits = trial.traits
    names = ", ".join(generator.name for generator in traits.generators)
    if traits.repeats:
        description = f"draws from {names}" if names else "deterministic: nothing is drawn"
        return trial.speaker.holds(claim, check, True, description)
    if traits.memory is CallMemory.HISTORY and not (
        traits.reproducible and trial.bench.subject.renewable
    ):
        description = "hidden by what it remembers"
        return trial.speaker.says(claim, check, Outcome.NOT_APPLICABLE, description)
    if trial.bench.subject.renewable and traits.reproducible:
        description = "a fresh one repeats its first outcome"
        if traits.memory is CallMemory.GENERATOR:
            description += " whatever the seeds are: its generator has a seed of its own"
            return trial.speaker.says(claim, check, Outcome.COMPARED, description)
        return trial.speaker.holds(claim, check, True, description)
    description = _unseeded(trial)
    return trial.speaker.holds(claim, check, False, f"{description}; drawn from elsewhere")


def _unseeded(trial: Trial) -> str:
    bench = _bench(trial)

    def differ(x: Tensor) -> bool:
        values = [bench(x, 3) for _ in range(20)]
        return any(not torch.equal(values[0], other) for other in values)

    x = next((ordinary(d) for d in trial.dims() if differ(ordinary(d))), ordinary(trial.dims()[-1]))
    x = shrink(x, differ)
    values = [bench(x, 3) for _ in range(20)]
    other = next((y for y in values if not torch.equal(y, values[0])), values[0])
    description = f"C({shown(x)}) = {shown(values[0])} and {shown(other)}"
    return f"torch, numpy and random seeded alike, d = {len(x)}: {description}"
