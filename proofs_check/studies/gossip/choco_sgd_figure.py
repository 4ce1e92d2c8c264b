r"""CHOCO-SGD keeps up with exact gossip where DCD-PSGD and ECD-PSGD fail: section 5.3 of its paper.

The runs are those of :mod:`proofs_check.figure_runs.compressed_training`. DCD-PSGD needs an
operator whose noise is small against the gap, ECD-PSGD one whose noise is bounded absolutely: with
random 20% of the coordinates no stepsize helps either, and QSGD serves the first only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from algorithms.methods.gossip.choco import ChocoSGD
from algorithms.problems.logistic import Logistic
from proofs_check.curves import PanelLine
from proofs_check.figure_runs.compressed_training import (
    PAPER,
    SEED,
    BuildChoco,
    TrainingSetting,
    exact_and_choco,
    others,
    problems,
    searched,
)
from proofs_check.figure_runs.trace import ErrorTrace
from proofs_check.instruments.study import Study, StudyResult
from proofs_check.verdict import Outcome, Verdict

SMALL = TrainingSetting(steps=1500, replicas=3, factors=(1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-6))
_AS_GOOD, _BITS, _WORSE = 2.0, 0.25, 5.0
_SEARCH = 450  # steps of a run in the search
_PARTNERS = {
    "DCD rand": "CHOCO rand", "ECD rand": "CHOCO rand", "DCD QSGD": "CHOCO QSGD",
    "ECD QSGD": "CHOCO QSGD",
}  # fmt: skip
_KEEPS_UP = ("DCD QSGD",)
_PLACE = "breast cancer, sorted"


def measure(setting: TrainingSetting = SMALL, build: BuildChoco = ChocoSGD) -> StudyResult:
    """CHOCO-SGD on one data set dealt in two ways, DCD and ECD over a grid of stepsizes on one."""
    made = {name: p for name, p in problems(setting.n).items() if name.startswith("breast cancer")}
    verdicts: list[Verdict] = []
    drawn: list[PanelLine] = []
    for place, problem in made.items():
        runs = exact_and_choco(problem, setting, build)
        verdicts += keeps_up(place, runs, _told(setting))
        if place == _PLACE:
            verdicts += fails(place, problem, runs, replace(setting, steps=_SEARCH))
        for name, line in runs.items():
            drawn += [PanelLine(f"{name}, {place}", line.steps, line.error)]
    return StudyResult(tuple(verdicts), drawn)


def keeps_up(place: str, runs: Mapping[str, ErrorTrace], told: str) -> list[Verdict]:
    """CHOCO-SGD against exact gossip at equal steps, and its bits."""
    exact = runs["exact"]
    lines = [line for name, line in runs.items() if name != "exact"]
    found = []
    for line in lines:
        ratio = float(line.error[-1] / exact.error[-1])
        found.append(_verdict(
            place, f"{line.name} is as good as exact D-PSGD at equal steps, to a factor 2",
            "suboptimality against exact", ratio <= _AS_GOOD, ratio, _AS_GOOD,
            f"f - f* = {line.error[-1]:.3e} against {exact.error[-1]:.3e}", told,
        ))  # fmt: skip
    share = max(float(line.bits[-1] / exact.bits[-1]) for line in lines)
    told_bits = ", ".join(f"{line.name} {line.bits[-1] / 1e6:.3g}" for line in lines)
    found.append(_verdict(
        place, "CHOCO-SGD sends at most a quarter of the bits", "bits", share <= _BITS, share,
        _BITS, f"Mbit per worker: {told_bits}; exact {exact.bits[-1] / 1e6:.3g}", told,
    ))  # fmt: skip
    return found


def fails(
    place: str, problem: Logistic, runs: Mapping[str, ErrorTrace], setting: TrainingSetting
) -> list[Verdict]:
    """The best that DCD and ECD reach with any stepsize, against CHOCO-SGD after as many steps."""
    found = []
    for name, (build, operator) in others(setting).items():
        partner = _PARTNERS[name]
        best = min(
            searched(name, build, operator, problem, setting),
            key=lambda line: float(line.error[-1]),
        )
        ratio = float(best.error[-1]) / runs[partner].at(setting.steps)
        works = name in _KEEPS_UP
        claim, bound = (
            (f"{name} is as good as {partner} after equal steps, to a factor 2", _AS_GOOD) if works
            else (f"{name} is over five times worse than {partner} at any stepsize", _WORSE)
        )  # fmt: skip
        found.append(_verdict(
            place, claim, "best over stepsizes", ratio <= bound if works else ratio >= bound, ratio,
            bound, f"f - f* = {best.error[-1]:.3g} at {best.factor:g} of CHOCO-SGD's stepsize, the "
            f"best of {len(setting.factors)}, from {best.error[0]:.3g}", _told(setting),
        ))  # fmt: skip
    return found


def _told(setting: TrainingSetting) -> str:
    return (
        f"{PAPER}; seed {SEED}, {setting.replicas} replicas, {setting.steps} steps, "
        f"n = {setting.n}, share {setting.share:g}, {setting.levels} levels"
    )


def _verdict(
    place: str, claim: str, check: str, good: bool, statistic: float, bound: float,
    evidence: str, told: str,
) -> Verdict:  # fmt: skip
    return Verdict(
        subject="choco-sgd", problem=f"logistic, {place}", claim=claim, check=check,
        outcome=Outcome.SUPPORTED if good else Outcome.REFUTED, statistic=statistic, bound=bound,
        evidence=evidence, provenance=told,
    )  # fmt: skip


STUDY = Study(
    "choco_sgd_figure",
    "choco-sgd",
    "logistic, breast cancer",
    "as good as exact gossip at equal steps, with any operator",
    "steps",
    "f(mean model) - f*",
    measure,
    ("linear", "log"),
)
