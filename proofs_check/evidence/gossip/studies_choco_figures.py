"""Studies: choco gossip figure, choco sgd figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from algorithms.methods.gossip.choco import ChocoGossip, ChocoSGD
from algorithms.problems.logistic import Logistic
from proofs_check.curves import PanelLine
from proofs_check.figure_runs.averaging import (
    DIVERGED,
    PAPER,
    SEED,
    SMALL,
    AveragingSetting,
    Build,
    Lines,
    gap,
    late_rate,
    lines,
    quantisation_floor,
)
from proofs_check.figure_runs.compressed_training import PAPER as choco_sgd_figure_PAPER
from proofs_check.figure_runs.compressed_training import SEED as choco_sgd_figure_SEED
from proofs_check.figure_runs.compressed_training import (
    BuildChoco,
    TrainingSetting,
    exact_and_choco,
    others,
    problems,
    searched,
)
from proofs_check.figure_runs.trace import ErrorTrace
from proofs_check.instruments.study import StudyResult, study
from proofs_check.verdict import Outcome, Verdict

# Average consensus with compressed messages: Figures 2 and 3 of the CHOCO paper.
#
# The runs are those of :mod:`proofs_check.figure_runs.averaging`. Exact gossip multiplies its
# slowest mode by (1 - gap)^2 a step; CHOCO-Gossip with each operator goes to zero at a constant
# rate; averaging the quantised values themselves (Q1, Q2) stops where the errors of quantisation
# leave it, or diverges.


_CLOSE, _SAME, _KEPT, _FLOOR, _STALLED = 1e-6, 0.02, 0.9, 0.1, 0.5


@study(
    "choco-gossip",
    "consensus",
    "CHOCO-Gossip converges linearly where quantised averaging stops or diverges",
    "steps",
    "(1/n) sum ||x_i - mean of the starts||^2",
    scales=("linear", "log"),
)
def choco_gossip_figure_measure(
    setting: AveragingSetting = SMALL, build: Build = ChocoGossip
) -> StudyResult:
    """Verdicts on what each line must do; all lines as curves."""
    found = lines(setting, build)
    description = (
        f"{PAPER}; seed {SEED}, one run, n = {setting.n}, d = {setting.d}, "
        f"{setting.short} and {setting.long} steps"
    )
    verdicts = (
        _exact(found, description), _unharmed(found, description),
        _linear(found, "CHOCO top", setting.top, description),
        _linear(found, "CHOCO rand", setting.rand, description),
        _order(found, description),
        _floor(found, description), _stalls(found, description), _collapses(found,
        description), _explodes(found, description),
    )  # fmt: skip
    drawn: list[PanelLine] = []
    for name, line in found.lines.items():
        drawn += [PanelLine(name, line.steps, line.error)]
    return StudyResult(verdicts, drawn)


def _choco_gossip_figure_verdict(
    description: str,
    claim: str,
    check: str,
    good: bool,
    statistic: float,
    bound: float,
    evidence: str,
) -> Verdict:
    return Verdict(
        subject="choco-gossip", problem="consensus", claim=claim, check=check,
        outcome=Outcome.SUPPORTED if good else Outcome.REFUTED, statistic=statistic, bound=bound,
        evidence=evidence, provenance=description,
    )  # fmt: skip


def _exact(found: Lines, description: str) -> Verdict:
    factor = float(np.exp(-late_rate(found.lines["exact"])))
    wanted = (1 - gap(found.setting.n)) ** 2
    return _choco_gossip_figure_verdict(
        description, "exact gossip multiplies the error by (1 - gap)^2 a step", "late rate",
        abs(factor - wanted) < _CLOSE, factor, wanted,
        f"factor {factor:.8f} over the last third of the run, (1 - gap)^2 = {wanted:.8f}",
    )  # fmt: skip


def _unharmed(found: Lines, description: str) -> Verdict:
    mine, exact = found.lines["CHOCO QSGD"], found.lines["exact"]
    apart = float(np.abs(mine.error / exact.error - 1).max())
    share = mine.bits[-1] / exact.bits[-1]
    return _choco_gossip_figure_verdict(
        description, "CHOCO-Gossip with QSGD at gamma = 1 goes as exact gossip does",
        "largest distance",
        apart <= _SAME, apart, _SAME,
        f"errors differ by {apart:.2%} at most, with {share:.1%} of the bits",
    )  # fmt: skip


def _linear(found: Lines, name: str, gamma: float, description: str) -> Verdict:
    rate, lazy = late_rate(found.lines[name]), -2 * float(np.log1p(-gamma * gap(found.setting.n)))
    return _choco_gossip_figure_verdict(
        description, f"{name}: the late rate is that of exact gossip with (1 - gamma) I + gamma W",
        "late rate", rate >= _KEPT * lazy, rate / lazy, _KEPT,
        f"-d log(error) = {rate:.3e} a step, -2 log(1 - gamma gap) = {lazy:.3e}, gamma = {gamma}",
    )  # fmt: skip


def _order(found: Lines, description: str) -> Verdict:
    rates = [late_rate(found.lines[f"CHOCO {name}"]) for name in ("QSGD", "top", "rand")]
    worst = max(rates[1] / rates[0], rates[2] / rates[1])
    return _choco_gossip_figure_verdict(
        description, "CHOCO-Gossip is fastest with QSGD, then top, then rand", "order of rates",
        worst < 1 and rates[2] > 0, worst, 1.0,
        f"rates {', '.join(f'{rate:.3e}' for rate in rates)} a step",
    )  # fmt: skip


def _floor(found: Lines, description: str) -> Verdict:
    line = found.lines["Q2 QSGD"]
    level = float(line.error[len(line.error) // 2 :].mean())
    wanted = quantisation_floor(found.setting, found.square)
    return _choco_gossip_figure_verdict(
        description, "Q2 with QSGD stops at the floor that the errors of quantisation make",
        "floor",
        abs(level / wanted - 1) <= _FLOOR, level, wanted,
        f"mean error {level:.3e} over the second half, closed form {wanted:.3e}",
    )  # fmt: skip


def _stalls(found: Lines, description: str) -> Verdict:
    line, other = found.lines["Q1 QSGD"], found.lines["CHOCO QSGD"]
    half = len(line.error) // 2
    ratio = float(line.error[half:].min() / line.error[half // 2 : half].min())
    return _choco_gossip_figure_verdict(
        description, "Q1 with QSGD stops: the error does not fall any more", "no progress",
        ratio >= _STALLED, ratio, _STALLED,
        f"error {line.error[-1]:.2e} after {line.steps[-1]:.0f} steps, CHOCO-Gossip's "
        f"{other.error[-1]:.2e} after {other.steps[-1]:.0f}",
    )  # fmt: skip


def _collapses(found: Lines, description: str) -> Verdict:
    ratio = float(found.lines["Q1 rand"].error[-1] / found.square)
    return _choco_gossip_figure_verdict(
        description, "Q1 with unbiased rand-k collapses: all values go to 0, not to the mean",
        "collapse",
        abs(ratio - 1) < _CLOSE, ratio, 1.0,
        f"error / ||mean of the starts||^2 = {ratio:.8f} after {found.setting.short} steps",
    )  # fmt: skip


def _explodes(found: Lines, description: str) -> Verdict:
    line = found.lines["Q2 rand"]
    growth = float(line.error[-1] / line.error[0])
    return _choco_gossip_figure_verdict(
        description, "Q2 with unbiased rand-k diverges", "divergence",
        growth > DIVERGED, growth, DIVERGED,
        f"error {growth:.1e} times the first after {line.steps[-1]:.0f} steps",
    )  # fmt: skip


# CHOCO-SGD keeps up with exact gossip where DCD-PSGD and ECD-PSGD fail: section 5.3 of its paper.
#
# The runs are those of :mod:`proofs_check.figure_runs.compressed_training`. DCD-PSGD needs an
# operator whose noise is small against the gap, ECD-PSGD one whose noise is bounded absolutely:
# with random 20% of the coordinates no stepsize helps either, and QSGD serves the first only.


CHOCO_SGD_FIGURE_SMALL = TrainingSetting(
    steps=1500, replicas=3, factors=(1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-6)
)
_AS_GOOD, _BITS, _WORSE = 2.0, 0.25, 5.0
_SEARCH = 450  # steps of a run in the search
_PARTNERS = {
    "DCD rand": "CHOCO rand", "ECD rand": "CHOCO rand", "DCD QSGD": "CHOCO QSGD",
    "ECD QSGD": "CHOCO QSGD",
}  # fmt: skip
_KEEPS_UP = ("DCD QSGD",)
_PLACE = "breast cancer, sorted"


@study(
    "choco-sgd",
    "logistic, breast cancer",
    "as good as exact gossip at equal steps, with any operator",
    "steps",
    "f(mean model) - f*",
    scales=("linear", "log"),
)
def choco_sgd_figure_measure(
    setting: TrainingSetting = CHOCO_SGD_FIGURE_SMALL, build: BuildChoco = ChocoSGD
) -> StudyResult:
    """CHOCO-SGD on one data set dealt in two ways, DCD and ECD over a grid of stepsizes on one."""
    made = {name: p for name, p in problems(setting.n).items() if name.startswith("breast cancer")}
    verdicts: list[Verdict] = []
    drawn: list[PanelLine] = []
    for place, problem in made.items():
        runs = exact_and_choco(problem, setting, build)
        verdicts += keeps_up(place, runs, _described(setting))
        if place == _PLACE:
            verdicts += fails(place, problem, runs, replace(setting, steps=_SEARCH))
        for name, line in runs.items():
            drawn += [PanelLine(f"{name}, {place}", line.steps, line.error)]
    return StudyResult(tuple(verdicts), drawn)


def keeps_up(place: str, runs: Mapping[str, ErrorTrace], description: str) -> list[Verdict]:
    """CHOCO-SGD against exact gossip at equal steps, and its bits."""
    exact = runs["exact"]
    lines = [line for name, line in runs.items() if name != "exact"]
    found = []
    for line in lines:
        ratio = float(line.error[-1] / exact.error[-1])
        found.append(_choco_sgd_figure_verdict(
            place, f"{line.name} is as good as exact D-PSGD at equal steps, to a factor 2",
            "suboptimality against exact", ratio <= _AS_GOOD, ratio, _AS_GOOD,
            f"f - f* = {line.error[-1]:.3e} against {exact.error[-1]:.3e}", description,
        ))  # fmt: skip
    share = max(float(line.bits[-1] / exact.bits[-1]) for line in lines)
    told_bits = ", ".join(f"{line.name} {line.bits[-1] / 1e6:.3g}" for line in lines)
    found.append(_choco_sgd_figure_verdict(
        place, "CHOCO-SGD sends at most a quarter of the bits", "bits", share <= _BITS, share,
        _BITS, f"Mbit per worker: {told_bits}; exact {exact.bits[-1] / 1e6:.3g}", description,
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
        ratio = float(best.error[-1]) / runs[partner].error_at(setting.steps)
        works = name in _KEEPS_UP
        claim, bound = (
            (f"{name} is as good as {partner} after equal steps, to a factor 2", _AS_GOOD) if works
            else (f"{name} is over five times worse than {partner} at any stepsize", _WORSE)
        )  # fmt: skip
        found.append(_choco_sgd_figure_verdict(
            place, claim, "best over stepsizes", ratio <= bound if works else ratio >= bound, ratio,
            bound, f"f - f* = {best.error[-1]:.3g} at {best.factor:g} of CHOCO-SGD's stepsize, the "
            f"best of {len(setting.factors)}, from {best.error[0]:.3g}", _described(setting),
        ))  # fmt: skip
    return found


def _described(setting: TrainingSetting) -> str:
    return (
        f"{choco_sgd_figure_PAPER}; seed {choco_sgd_figure_SEED}, {setting.replicas} "
        f"replicas, {setting.steps} steps, "
        f"n = {setting.n}, share {setting.share:g}, {setting.levels} levels"
    )


def _choco_sgd_figure_verdict(
    place: str, claim: str, check: str, good: bool, statistic: float, bound: float,
    evidence: str, description: str,
) -> Verdict:  # fmt: skip
    return Verdict(
        subject="choco-sgd", problem=f"logistic, {place}", claim=claim, check=check,
        outcome=Outcome.SUPPORTED if good else Outcome.REFUTED, statistic=statistic, bound=bound,
        evidence=evidence, provenance=description,
    )  # fmt: skip
