r"""Seconds of pipelined training: S stages, M microbatches, f forward and b backward a stage.

Narayanan et al. 2019 (PipeDream, SOSP; arXiv:1806.03377); Huang et al. 2019 (GPipe,
arXiv:1811.06965): with a flush at the end of a batch (M + S - 1)(f + b) seconds, of which the share
(S - 1)/(M + S - 1) is the bubble; without one a microbatch every max_s (f_s + b_s) seconds, for
which stage s (from 0) keeps S - s versions of its weights.
"""

from __future__ import annotations


def pipeline_seconds(stages: int, microbatches: int, forward: float, backward: float) -> float:
    """(M + S - 1)(f + b): equal stages, flushed.

    Raises:
        ValueError: no stage, no microbatch, or a negative time.
    """
    _check(stages, microbatches)
    if not (forward >= 0 and backward >= 0):
        raise ValueError(
            f"forward and backward must be at least 0 s, got forward={forward}, backward={backward}"
        )
    return (microbatches + stages - 1) * (forward + backward)


def bubble_fraction(stages: int, microbatches: int) -> float:
    """(S - 1)/(M + S - 1): share of a stage's time that it idles, equal stages, flushed.

    Raises:
        ValueError: no stage or no microbatch.
    """
    _check(stages, microbatches)
    return (stages - 1) / (microbatches + stages - 1)


def stashed_versions(stages: int, stage: int) -> int:
    """S - s: versions of weights that stage s keeps, counted from 0.

    Raises:
        ValueError: there is no such stage.
    """
    if not 0 <= stage < stages:
        raise ValueError(f"stage must lie in [0, {stages}), got stage={stage}")
    return stages - stage


def _check(stages: int, microbatches: int) -> None:
    if stages < 1 or microbatches < 1:
        raise ValueError(
            "stages and microbatches must be at least 1, got "
            f"stages={stages}, microbatches={microbatches}"
        )
