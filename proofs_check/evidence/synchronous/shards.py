"""Closed forms of how samples are dealt to workers: every one once, labels in the stated shares."""

from __future__ import annotations

from itertools import product

import numpy as np
import scipy.special
import scipy.stats
import torch
from numpy.typing import NDArray

from algorithms.catalogue import ROWS
from algorithms.core.key import Key
from algorithms.problems.partitions import Dirichlet, Iid, Partition, SortedByLabel
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict

_CLASSES, _EACH, _WORKERS, _KEYS = 5, 400, 4, 6
_ALPHAS = (0.3, 1.0, 10.0)


def dealt_samples() -> tuple[Verdict, ...]:
    """Whether each rule gives n workers equally many samples, none twice, and as few as can be to
    nobody."""
    made, due = list[bool | int](), list[bool | int]()
    rules: tuple[Partition, ...] = (Iid(), SortedByLabel(), *map(Dirichlet, _ALPHAS))
    for rule, total, n in product(rules, (7, 60, 101), (1, 3, 7)):
        labels = np.arange(total) % 3
        shards = rule.split(labels, n, Key.seed(total))
        held = np.unique(shards)
        made += [*shards.shape, held.size, bool(np.isin(held, np.arange(total)).all())]
        due += [n, total // n, n * (total // n), True]
        if isinstance(rule, SortedByLabel):
            met = labels[shards].reshape(-1)
            made.append(bool((np.diff(met) >= 0).all()))
            due.append(True)
    verdict = identity(
        "samples of workers", "n workers hold the largest equal number of samples, none twice",
        made, due, check="counted samples", tolerance=0.0, note=f"{len(rules)} rules",
        provenance="seeds 7, 60 and 101",
    )  # fmt: skip
    return (verdict,)


def dealt_labels() -> tuple[Verdict, ...]:
    """Labels of the first worker under Dirichlet's rule, with which nothing has run out, against
    scipy's quantiles of the Gamma variates G whose shares G / sum G are Dirichlet.

    G(alpha) = G(alpha + 1) U^(1/alpha) in law (Marsaglia and Tsang 2000, section 6). Rounding a
    share of S samples moves fewer than one sample a label.
    """
    labels = np.repeat(np.arange(_CLASSES), _EACH)
    size = len(labels) // _WORKERS
    apart = list[float]()
    for alpha, seed in product(_ALPHAS, range(_KEYS)):
        key = Key.seed(seed)
        due = size * _shares(key, alpha)
        if due.max() > _EACH - 1:
            continue  # the label runs out, and the others make up for it
        shard = Dirichlet(alpha).split(labels, _WORKERS, key)[0]
        apart += np.abs(np.bincount(labels[shard], minlength=_CLASSES) - due).tolist()
    verdict = identity(
        "labels of workers", "the first worker's labels are S times Dirichlet shares, rounded",
        max(apart), 0.0, check="counted labels", tolerance=1.0, note=f"{len(apart)} labels",
        provenance=f"seeds 0 to {_KEYS - 1}, {size} samples",
    )  # fmt: skip
    return (verdict,)


def _shares(key: Key, alpha: float) -> NDArray[np.float64]:
    draws = key.fold("proportions").draws(torch.tensor(0), torch.arange(1))
    u = 1.0 - draws.uniform(2 * _CLASSES, torch.float64).numpy()[0]
    logs = np.log(scipy.stats.gamma.ppf(u[:_CLASSES], alpha + 1)) + np.log(u[_CLASSES:]) / alpha
    return np.asarray(scipy.special.softmax(logs))


CLOSED_FORMS = (dealt_samples, dealt_labels)
COVERS = {check.__name__: tuple(r.key for r in ROWS if r.recipe) for check in CLOSED_FORMS}
"""All rows that run: data of several workers are dealt by these rules."""
