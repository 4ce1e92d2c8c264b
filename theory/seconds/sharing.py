r"""Condition for two jobs to share a link: Wang, Shi et al. 2020 (arXiv:2002.10105, AdaDUAL).

Alone a job sends a bit in b seconds; k at once need k b + (k - 1) eta each for a bit. With M_1 bits
of the old transfer left and M_2 < M_1 of a new one, sharing makes the sum of both ends
(3b + 2 eta) M_2 + b M_1, waiting makes it 2 b M_1 + b M_2: sharing is better if and only if
M_2/M_1 < b/(2(b + eta)).
"""

from __future__ import annotations


def shared_beta(beta: float, penalty: float, jobs: int) -> float:
    """k b + (k - 1) eta: seconds a bit of each of ``jobs`` that send at once.

    Raises:
        ValueError: no job, or a negative beta or penalty.
    """
    if jobs < 1 or not (beta >= 0 and penalty >= 0):
        raise ValueError(
            "jobs must be at least 1, beta and penalty at least 0, got "
            f"jobs={jobs}, beta={beta}, penalty={penalty}"
        )
    return jobs * beta + (jobs - 1) * penalty


def sharing_pays(old: float, new: float, beta: float, penalty: float) -> bool:
    """Whether a transfer of ``new`` bits should start beside one with ``old`` bits left.

    A new one that is no shorter than what is left always waits.

    Raises:
        ValueError: beta is not positive, or a negative penalty or size.
    """
    if not (beta > 0 and penalty >= 0 and old >= 0 and new >= 0):
        raise ValueError(
            "beta must be positive and penalty, old and new at least 0, got "
            f"beta={beta}, penalty={penalty}, old={old}, new={new}"
        )
    return 2 * (beta + penalty) * new < beta * old
