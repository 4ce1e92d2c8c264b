"""Masks of blocks of steps: which workers are meant, as the draws of each step say."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray

from algorithms.core.key import NumbersAsked
from algorithms.kernels.key_words import step_words
from algorithms.kernels.philox import uniforms_of_steps
from algorithms.pipeline.base import Place
from algorithms.pipeline.neighbour_plan import Mask


def lots(
    place: Place, purpose: str, times: range, replicas: NDArray[np.int64], *, one: bool = False
) -> NDArray[np.float64]:
    """The first uniform number of each worker's draws for a purpose, ``[T, R, n]``; with ``one``
    those of the server, ``[T, R, 1]``.

    Raises:
        NumbersAsked: the key has none.
    """
    if not place.key.numbers:
        raise NumbersAsked
    n = place.problem.n
    subset = np.array([n]) if one else np.arange(n)
    words = step_words(place.key.words, purpose, times.start, len(times))
    found = np.empty((len(times), len(replicas), len(subset)))
    uniforms_of_steps(words, replicas, subset, found)
    return found


def drawn_below(purpose: str, chance: float) -> Mask:
    """Workers that are drawn with a probability, each for itself."""

    def mask(place: Place, times: range, replicas: NDArray[np.int64]) -> NDArray[np.bool_]:
        return lots(place, purpose, times, replicas) < chance

    return mask


def coin_below(purpose: str, chance: Callable[[int], float]) -> Mask:
    """All workers or none, by one coin of the server's, of a probability by step."""

    def mask(place: Place, times: range, replicas: NDArray[np.int64]) -> NDArray[np.bool_]:
        chances = np.array([chance(t) for t in times])[:, None, None]
        heads = lots(place, purpose, times, replicas, one=True) < chances
        return np.repeat(heads, place.problem.n, axis=2)

    return mask


def outside(other: Mask) -> Mask:
    """Workers that another mask leaves out."""

    def mask(place: Place, times: range, replicas: NDArray[np.int64]) -> NDArray[np.bool_]:
        return ~other(place, times, replicas)

    return mask


def participants(size: int, period: int, ahead: int = 0) -> Mask:
    """``size`` workers of each round of ``period`` steps, those of the largest lots; of a round
    that is so far ``ahead``."""

    def mask(place: Place, times: range, replicas: NDArray[np.int64]) -> NDArray[np.bool_]:
        first, last = times.start // period + ahead, times[-1] // period + ahead
        drawn = torch.from_numpy(lots(place, "participants", range(first, last + 1), replicas))
        chosen = torch.zeros_like(drawn, dtype=torch.bool)
        chosen.scatter_(-1, drawn.topk(size, dim=-1).indices, True)
        rounds = np.array([t // period + ahead - first for t in times])
        found: NDArray[np.bool_] = chosen.numpy()[rounds]
        return found

    return mask


def known(rule: Callable[[int], NDArray[np.bool_]]) -> Mask:
    """Workers ``[n]`` that a rule names at each step, in all replicas alike."""

    def mask(place: Place, times: range, replicas: NDArray[np.int64]) -> NDArray[np.bool_]:
        found = np.array([rule(t) for t in times])[:, None]
        return np.repeat(found, len(replicas), axis=1)

    return mask


def always(subset: NDArray[np.bool_]) -> Mask:
    """Workers ``[n]`` that are meant at all steps."""
    return known(lambda _: subset)
