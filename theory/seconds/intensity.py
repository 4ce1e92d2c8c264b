r"""Model intensity, communication-to-computation ratio and the speedup they allow.

Shi et al. 2020 (arXiv:2005.13247, survey 001): with D parameters, C operations of a step for one
sample, M samples of all workers together, and D f(N) entries sent,

.. math:: I = \frac CD, \qquad \mathrm{C2C} = \frac{D f(N)}{M C} = \frac{f(N)}{M I}, \qquad
   S = \frac{t_s}{t_s/N + t_m}.

The survey's limit t_s/t_m holds for a t_m that does not grow with N.
"""

from __future__ import annotations


def model_intensity(operations: float, parameters: int) -> float:
    """I = C / D: operations of a step for one sample and parameter.

    Raises:
        ValueError: operations or parameters is not positive.
    """
    if not (operations > 0 and parameters > 0):
        raise ValueError(
            "operations and parameters must be positive, got "
            f"operations={operations}, parameters={parameters}"
        )
    return operations / parameters


def ring_factor(n: int) -> float:
    """f(N) of a bandwidth-optimal all-reduce: entries sent by a worker, 2 (N - 1) / N.

    Raises:
        ValueError: n < 1.
    """
    if n < 1:
        raise ValueError(f"n must be at least 1 worker, got n={n}")
    return 2 * (n - 1) / n


def c2c_ratio(intensity: float, samples: int, factor: float) -> float:
    """f / (M I): entries sent for each operation.

    ``samples`` and ``factor`` go together: those of one worker, or those of all.

    Raises:
        ValueError: intensity or samples is not positive, or a negative factor.
    """
    if not (intensity > 0 and samples > 0 and factor >= 0):
        raise ValueError(
            "intensity and samples must be positive and factor at least 0, got "
            f"intensity={intensity}, samples={samples}, factor={factor}"
        )
    return factor / (samples * intensity)


def speedup(single: float, n: int, communication: float) -> float:
    """t_s / (t_s / N + t_m): ``single`` is t_s, one worker's time for the samples of all N.

    With a batch that grows with N (weak scaling) t_s is N times the time of a worker's own batch.

    Raises:
        ValueError: n < 1, or times that are not positive (communication: negative).
    """
    if n < 1 or not (single > 0 and communication >= 0):
        raise ValueError(
            "n must be at least 1, single positive and communication at least 0, got "
            f"n={n}, single={single}, communication={communication}"
        )
    return single / (single / n + communication)
