"""The surveys' rows as they stand, and the figures that the errata quote as their evidence."""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import theory
from theory import bits
from theory.survey.rows import ERRATA, SURVEY_ROWS, SURVEYS, SurveyRow, read_rows

ERRATUM = {erratum.id: erratum for erratum in ERRATA}


def test_all_rows_are_there_and_agree_with_a_csv_reader() -> None:
    path = Path(theory.__file__).parent / "survey" / "survey_rows.tsv"
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    assert [SurveyRow(*cells) for cells in lines] == list(SURVEY_ROWS)
    assert all(row.key and row.family and row.what and row.source for row in SURVEY_ROWS)


def test_families() -> None:
    count = Counter(row.family for row in SURVEY_ROWS)
    assert count["gossip"] == 27 and count["quantisation"] == 24 and count["sparsification"] == 20
    assert sum(count.values()) == 147


def test_the_surveys_that_rows_and_errata_name_are_known() -> None:
    places = [row.source for row in SURVEY_ROWS] + [erratum.place for erratum in ERRATA]
    named = {number for place in places for number in re.findall(r"\b00\d\b", place)}
    assert named == set(SURVEYS)


def test_a_short_line_and_a_repeated_key_are_refused() -> None:
    with pytest.raises(ValueError, match="line 2 must have 4 columns, got 3"):
        read_rows("h\na\tb\tc\n")
    with pytest.raises(ValueError, match="line 3 repeats the key 'a'"):
        read_rows("h\na\tb\tc\td\na\tx\ty\tz\n")


def test_the_errata_of_the_slice_are_there_once() -> None:
    wanted = [f"E{i}" for i in range(1, 39)]
    wanted += "T1 T2 T3 T4 T5 T6 T7 T8 T9 T10 T12 S2 S3".split()
    assert [erratum.id for erratum in ERRATA] == wanted
    for erratum in ERRATA:
        assert erratum.place and erratum.evidence and erratum.printed != erratum.correct


def test_e1_the_printed_view_counts_updates_twice() -> None:
    def counts(s: int, n: int, t: int) -> tuple[int, int, int]:
        """Updates in worker 0's view with no extra subset: printed, without repeats, corrected."""
        printed = [(j, k) for j in range(n) for k in range(1, t + 1)]
        printed += [(0, k) for k in range(t - s, t + 1)]
        right = [(j, k) for j in range(n) for k in range(1, t - s + 1)]
        right += [(0, k) for k in range(t - s + 1, t + 1)]
        assert len(set(right)) == len(right)
        return len(printed), len(set(printed)), len(right)

    assert counts(0, 2, 3) == (7, 6, 6) and counts(2, 2, 5) == (13, 10, 8)


def test_e1_the_printed_view_has_the_root_minus_one() -> None:
    x, gamma = [1.0], 0.5  # x_t of both workers, f = x^2/2, s = 0
    for _ in range(200):
        x.append(1.0 - gamma * 2 * sum(x) - gamma * x[-1])
    assert abs(x[-1] + x[-2]) < 1e-12 < 0.1 < abs(x[-1])
    assert sorted(np.roots([1, 0.5, -0.5]).tolist()) == pytest.approx([-1, 0.5])
    assert 1.0 - gamma * 2 * 1.0 == 0.0  # bulk synchronous


def test_t9_the_line_for_one_step_is_that_of_bulk_synchronous_parallel() -> None:
    n, d, steps = 16, 1000, 50

    def printed(period: int) -> float:
        return 32 * d * steps / period

    assert 32 * n * d * steps == n * printed(1)


def test_e4_the_printed_rule_never_synchronises() -> None:
    printed, right = np.array([0.0, 1.0]), np.array([0.0, 1.0])
    for t in range(40):
        if (t + 1) % 4:
            printed, right = 0.9 * printed, 0.9 * right
        else:
            printed, right = printed - 0.1 * printed.mean(), (0.9 * right).mean() * np.ones(2)
    assert printed[1] - printed[0] == pytest.approx(0.9**30, rel=1e-12)
    assert right[1] == right[0]
    assert f"{0.9**30:.4f}" == "0.0424" and "0.0424" in ERRATUM["E4"].evidence


def test_e7_the_printed_residual_loses_mass() -> None:
    g = np.array([1.0, 0.4])
    printed, right = np.zeros(2), np.zeros(2)
    got_printed, got_right = np.zeros(2), np.zeros(2)
    for _ in range(100):
        for residual, total, keep in ((printed, got_printed, 0.0), (right, got_right, 1.0)):
            p = residual + g
            sent = np.where(np.arange(2) == np.abs(p).argmax(), p, 0.0)
            total += sent
            residual[:] = keep * residual + g - sent
    assert got_printed[1] == 0
    assert got_right + right == pytest.approx(100 * g, rel=1e-12)
    assert got_right[1] == pytest.approx(39.6, abs=0.5)


def test_e9_the_printed_probability() -> None:
    def printed(t: float) -> float:
        return 2.0 ** (math.ceil(math.log2(t)) - math.floor(math.log2(t))) / 2.0 ** math.ceil(
            math.log2(t)
        )

    assert printed(2.5) * 2 + (1 - printed(2.5)) * 4 == 3
    assert printed(0.3) == 4
    right = (4 - 2.5) / 2
    assert right * 2 + (1 - right) * 4 == 2.5


def test_e17_the_printed_minimum_is_always_the_second() -> None:
    n, s = 100, 20
    assert min(n / s, math.sqrt(n) / s) == 0.5
    assert min(n / s**2, math.sqrt(n) / s) == 0.25


def test_e21_and_e22_the_orders_differ() -> None:
    T, gap, quality = 1e4, 0.1, 0.1
    assert 1 / (T * gap**2 * quality) == pytest.approx(0.1)
    assert 1 / (T * gap**2 * quality) ** 2 == pytest.approx(0.01)
    n, T = 16, 1e6
    assert 1 / (gap**4 * quality**2 * T) == pytest.approx(1)
    assert n / (gap**4 * quality**2 * T) == pytest.approx(16)


def test_e10_the_printed_levels_leave_the_norm() -> None:
    assert [2 ** (j - 1) / 3 for j in (1, 2, 3)][-1] > 1
    assert [2.0 ** (j - 3) for j in (1, 2, 3)] == [0.25, 0.5, 1.0]


def test_e15_unbiased_differences_need_a_variance_bound() -> None:
    u, d = np.array([1.0, -2.0, 0.5, 3.0]), 4
    drawn = d * np.diag(u)  # the d outcomes of scaled rand-1 at u
    assert drawn.mean(0) == pytest.approx(u)
    after = [2 * u - first - second for first in drawn for second in drawn]  # x_1 = u, x_2 = -u
    factor = np.square(after).sum(-1).mean() / np.square(2 * u).sum()
    assert factor == pytest.approx(1.5, rel=1e-12)


def test_e18_rounding_ever_finer_leaves_the_gradients_own_noise() -> None:
    sigma2, omega = 1.0, [min(100 / s**2, 10 / s) for s in (1, 10, 10**6)]
    assert omega[-1] * sigma2 < 1e-9 < (1 + omega[-1]) * sigma2 == pytest.approx(sigma2)


def test_e24_the_blocks_a_worker_may_leave_out() -> None:
    m, n = 400, 100
    assert m // n == 4 and (m / 4 - 1) / n == 0.99


def test_e27_entropy_coding_saves_more_than_32_times() -> None:
    bound = bits.qsgd_elias(10**6, 1)
    assert bound == pytest.approx(19497.962, rel=1e-7)
    assert 32 * 10**6 / bound == pytest.approx(1641.1972, rel=1e-7)


def test_e28_the_printed_threshold_sends_no_negative() -> None:
    v, tau = np.array([3.0, -7.0, 6.0]), 5.0
    printed = np.where(v > tau, tau, 0.0)
    assert printed.tolist() == [0, 0, 5]
    assert (np.sign(v) * tau * (np.abs(v) > tau)).tolist() == [0, -5, 5]


@pytest.mark.parametrize(("momentum", "steps"), [(0.9, 400), (0.0, 400)])
def test_e30_momentum_correction_must_forget_what_was_sent(momentum: float, steps: int) -> None:
    printed, right = [1.0], [1.0]
    u = v = w = 0.0
    for _ in range(steps):
        u = momentum * u + printed[-1]
        v += u
        printed.append(printed[-1] - 0.01 * v)
        w = momentum * 0.0 + right[-1]  # all was sent, so the mask cleared u and v
        right.append(right[-1] - 0.01 * w)
    if momentum:
        assert abs(printed[-1]) > 1e12
    else:  # z^2 - (2 - gamma) z + 1: the product of its roots is 1
        assert np.abs(np.roots([1, -1.99, 1])) == pytest.approx(1, rel=1e-12)
        assert max(map(abs, printed[-100:])) > 0.5
    assert abs(right[-1]) < 0.02


def test_e31_the_printed_momentum_is_almost_none() -> None:
    def run(factor: float) -> float:
        x = before = 1.0
        for _ in range(200):
            x, before = x - 0.01 * (x - factor * (x - before)), x
        return abs(x)

    assert run(0.9) == pytest.approx(0.1315, abs=5e-5)
    assert run(0.9 / 0.01) == pytest.approx(4.3e-6, rel=0.01)
    assert run(0.0) == pytest.approx(0.134, abs=5e-4)


def test_e33_aligned_gradients_are_clipped() -> None:
    n, threshold = 4, 1.0
    gradients = np.tile([0.6, 0.8], (n, 1))
    local = threshold / math.sqrt(n)
    clipped = gradients * np.minimum(1, local / np.linalg.norm(gradients, axis=1))[:, None]
    assert np.linalg.norm(gradients.mean(0)) == pytest.approx(threshold)
    assert np.linalg.norm(clipped.mean(0)) == pytest.approx(threshold / 2)


def test_t10_a_sum_of_ternaries_takes_more_bits() -> None:
    assert math.log2(2 * 64 + 1) == pytest.approx(7.01, abs=5e-3)
    assert len({sum(x) for x in np.ndindex(3, 3, 3)}) == 2 * 3 + 1


def test_s2_a_decaying_residual_loses_mass() -> None:
    decay, e, given, sent = 0.9, 0.0, 0.0, 0.0
    for t in range(50):
        p = decay * e + 1.0
        message = p if t % 5 == 4 else 0.0
        lost = (1 - decay) * e
        given, sent = given + 1.0 - lost, sent + message
        e = p - message
    assert sent + e == pytest.approx(given, rel=1e-12) and given < 50
