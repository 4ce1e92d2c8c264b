"""Splits: equal shards, nothing twice, and the skew they are made for."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax
from scipy.stats import beta, kstest

from algorithms.catalogue import problem, row
from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.problems.partitions import Dirichlet, Iid, SortedByLabel
from theory.stepsizes import ConstantStep

LABELS = np.repeat(np.arange(10), 40)
RULES = [Iid(), SortedByLabel(), Dirichlet(0.3)]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
@given(n=st.integers(1, 60), seed=st.integers(0, 5))
def test_shards_are_equal_and_no_sample_is_given_twice(rule, n, seed):
    index = rule.split(LABELS, n, Key.seed(seed))
    assert index.shape == (n, 400 // n)
    assert len(np.unique(index)) == index.size and index.min() >= 0 and index.max() < 400


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_split_is_a_function_of_its_key(rule):
    one, again, other = (rule.split(LABELS, 8, Key.seed(s)) for s in (1, 1, 2))
    assert np.array_equal(one, again)
    if not isinstance(rule, SortedByLabel):
        assert not np.array_equal(one, other)


def skew(rule):
    """Mean total variation distance of a shard's labels from all labels."""
    index = rule.split(LABELS, 10, Key.seed(3))
    shares = np.stack([np.bincount(LABELS[shard], minlength=10) for shard in index]) / 40
    return 0.5 * np.abs(shares - 0.1).sum(1).mean()


def test_skew_is_ordered_as_it_should_be():
    assert skew(SortedByLabel()) == pytest.approx(0.9)
    assert skew(Iid()) < skew(Dirichlet(10.0)) + 0.1 < skew(Dirichlet(0.1)) < 0.9


@pytest.mark.parametrize("alpha", [0.0, -1.0, float("nan")])
def test_alpha_must_be_positive(alpha):
    with pytest.raises(ValueError, match=r"alpha must be finite and > 0, got alpha="):
        Dirichlet(alpha)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_more_workers_than_samples_are_refused(rule):
    with pytest.raises(ValueError, match=r"n must be at most the number of samples, got n=500"):
        rule.split(LABELS, 500, Key.seed(0))
    with pytest.raises(ValueError, match=r"n must be at least 1, got n=0"):
        rule.split(LABELS, 0, Key.seed(0))


@pytest.mark.parametrize("alpha", [0.05, 0.5, 5.0])
def test_proportions_are_dirichlet(alpha):
    """Each proportion is Beta(alpha, 4 alpha): Kolmogorov and Smirnov, 2000 workers, 1e-9."""
    logits = Dirichlet(alpha)._logits(2000, 5, Key.seed(0))
    shares = softmax(logits, axis=1)
    for j in range(5):
        assert kstest(shares[:, j], beta(alpha, 4 * alpha).cdf).pvalue > 1e-9


def test_a_tiny_alpha_gives_one_label_per_worker_while_labels_last():
    index = Dirichlet(1e-3).split(LABELS, 40, Key.seed(1))
    labels = [len(np.unique(LABELS[shard])) for shard in index]
    assert np.median(labels) == 1


def test_dropped_samples_are_drawn_at_random_not_the_last_labels():
    index = SortedByLabel().split(LABELS, 7, Key.seed(0))
    missing = np.setdiff1d(np.arange(400), index)
    assert len(missing) == 400 % 7
    kept = [np.setdiff1d(np.arange(400), SortedByLabel().split(LABELS, 7, Key.seed(s))).tolist()
            for s in range(5)]  # fmt: skip
    assert len({tuple(k) for k in kept}) == 5


def test_labels_must_be_a_vector():
    with pytest.raises(ValueError, match=r"labels must be a vector \[N\], got labels of shape"):
        Iid().split(LABELS.reshape(20, 20), 2, Key.seed(0))


@pytest.mark.parametrize("base", ["logreg-breast-cancer", "logreg-digits", "nonconvex-digits"])
def test_heterogeneity_is_a_dial(base):
    """At the start: workers differ the less the larger alpha is; sorted or iid shards at the ends.

    With two labels, workers of alpha = 0.1 hold one each, as sorted ones do.
    """
    dial = ("sorted", "dirichlet=0.1", "dirichlet=1", "dirichlet=1000")
    unlike = [problem(f"{base}@{rule}", 8) for rule in (*dial, "iid")]
    zeta2 = [float(one.heterogeneity(one.start())) for one in unlike]
    assert zeta2[1:4] == sorted(zeta2[1:4], reverse=True) and min(zeta2[:2]) > 2 * zeta2[3]
    assert zeta2[4] == pytest.approx(zeta2[3], rel=0.5)
    assert [one.name for one in unlike[:2]] == [f"{base}@sorted", f"{base}@dirichlet=0.1"]


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("logreg-breast-cancer-sorted", "logreg-breast-cancer@sorted"),
        ("nonconvex-digits-dirichlet", "nonconvex-digits@dirichlet=0.3"),
        ("mlp-digits", "mlp-digits@iid"),
    ],
)
def test_a_listed_partition_is_a_place_on_the_dial(short, long):
    one, other = problem(short, 6), problem(long, 6)
    x = one.start() + 0.1
    assert torch.equal(one.all_gradients(x), other.all_gradients(x))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("logreg-digits@dirichlet=-1", "dirichlet=-1 must have a positive and finite number"),
        ("logreg-digits@dirichlet=a", "dirichlet=a must have a positive"),
        ("logreg-digits@shuffled", "unknown rule 'shuffled' after @; iid, sorted and dirichlet"),
        ("quadratic-sc@iid", "problem 'quadratic-sc' deals no data to workers"),
        ("logreg-digit@iid", "nearest: logreg-digits"),
    ],
)
def test_what_is_not_on_the_dial_is_refused(name, message):
    with pytest.raises(ValueError, match=message):
        problem(name, 4)


def test_a_row_runs_on_every_place_of_the_dial_of_its_problems():
    one = row("d-psgd")
    assert one.runs_on("logreg-breast-cancer@sorted") and one.runs_on("logreg-breast-cancer")
    assert not one.runs_on("lasso-diabetes@iid")
    apart = []
    for rule in ("iid", "dirichlet=1", "sorted"):
        built = problem(f"logreg-breast-cancer@{rule}", 8)
        trace = run(one.tune(built, 300, ConstantStep(0.2)).method, built, steps=300, replicas=8)
        apart.append(float(trace.consensus[:, -20:].mean()))
    assert apart == sorted(apart) and apart[2] > 1.5 * apart[0], "workers that differ stay apart"
