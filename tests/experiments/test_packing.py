"""Packed parts of pages and thinned curves: nothing is lost, and much is saved."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.reporting.packing import LINES, WORTH, content_of, letters, packed, unpacked
from experiments.reporting.page import environment, write_pages
from experiments.reporting.thinning import PIXELS, WIDTH, thinned
from experiments.storage.store import Stored
from experiments.survey import Survey
from proofs_check.cell import Cell, CellKind, CellResult
from proofs_check.verdict import Outcome, Verdict
from tests.experiments.chromium import BROWSER, chromium

MANY = 60
RUN = Cell("bsp-sgd", "quadratic-sc", CellKind.RUN, "", (1,), 8, 100, 4)


def survey(count: int) -> Survey:
    """A survey of one cell with so many verdicts, each with words of its own."""
    verdicts = tuple(
        Verdict(
            "bsp-sgd", f"claim number {k}", "curve under bound", Outcome.SUPPORTED,
            statistic=k / 7, bound=1.0, problem="quadratic-sc",
            evidence=f"largest ratio {k / 7:.6f} at step {k * k}, of 100 records, <b> & others",
            provenance=f"seed {k}, 8 replicas, 100 steps, error 1e-9",
        )
        for k in range(count)
    )  # fmt: skip
    stored = Stored(CellResult(verdicts), 1.0)
    return Survey(((RUN, stored),), (), 0, 1.0, {RUN: "fake"})


@given(st.text(max_size=400))
def test_what_is_packed_is_unpacked_again_or_left_as_it_is(text: str) -> None:
    held = packed(text)
    assert not held or unpacked(held) == text
    assert len(held) <= WORTH * len(text.encode())


@given(st.binary(max_size=300))
def test_bytes_are_letters_that_may_stand_within_quotes(content: bytes) -> None:
    """Eight bits in seven-bit letters: a seventh more, whatever the bytes are."""
    text = letters(content)
    assert content_of(text) == content
    assert not set(text) & set('\0\n\r"&\\')
    assert len(text.encode()) <= -(-8 * len(content) // 7) + 1
    assert text.encode().decode() == text, "no letter that UTF-8 lacks"


def test_letters_that_may_not_stand_there_join_the_next() -> None:
    """By hand: sevens 64 and 0, the first of six such letters; 34, the fourth, 1 and 0."""
    assert letters(bytes([0b10000000])) == chr(64) + chr((8 + 0) * 128)
    assert letters(bytes([0b01000100, 0b00000100])) == chr((2 + 3) * 128 + 1) + chr((8 + 0) * 128)


def test_what_was_not_packed_is_refused() -> None:
    with pytest.raises(ValueError, match="gzip in letters of seven bits"):
        unpacked("bm90aGluZw==")


def table(count: int) -> str:
    lines = environment().from_string('{% import "macros.j2" as m %}{{ m.verdicts(lines, "V") }}')
    told = [
        {"verdict": "supported", "subject": "s", "problem": "p", "claim": f"claim {k}",
         "check": "check", "statistic": f"{k / 7:.4g}", "uncertainty": "–", "bound": "1",
         "resolution": "–", "order": "", "evidence": f"ratio {k / 7:.6f} at step {k * k} < 1",
         "tightness": "–", "provenance": f"seed {k}, 8 replicas"}
        for k in range(count)
    ]  # fmt: skip
    return str(lines.render(lines=told))


def test_a_long_table_shows_its_first_lines_and_holds_the_others() -> None:
    """Each further line takes less than half of what one of the first takes."""
    few, many = table(LINES), table(10 * LINES)
    assert "data-packed" not in few and few.count("<tr><td>") == LINES
    assert many.count("<tr><td>") == LINES and f'data-lines="{9 * LINES}"' in many
    (held,) = re.findall(r'data-packed="([^"]+)"', many)
    rest = unpacked(held)
    assert (
        rest.count("<tr><td>") == 9 * LINES
        and f"claim {10 * LINES - 1}" in rest
        and "&lt; 1" in rest
    )
    each = len(table(2)) - len(table(1))
    assert len(many) - len(few) < 0.5 * each * 9 * LINES
    assert "<noscript>" in many, "readers without a script are told where the others are"


def test_a_page_grows_by_less_than_half_of_what_its_lines_say(tmp_path: Path) -> None:
    sizes, words = [], []
    for count in (MANY, 2 * MANY):
        write_pages(survey(count), "quick", (), tmp_path / str(count))
        sizes.append((tmp_path / str(count) / "rows" / "bsp-sgd.html").stat().st_size)
        words.append(sum(len(f"{v.claim}{v.evidence}{v.provenance}") for _, s in
                         survey(count).finished for v in s.result.verdicts))  # fmt: skip
    assert sizes[1] - sizes[0] < 0.5 * (words[1] - words[0])


def test_a_curve_keeps_its_shape_with_few_points() -> None:
    """Kinks stay, straight parts go, and what is drawn is off by less than a pixel."""
    x = np.arange(1.0, 4001.0)
    y = np.where(x < 1000, x**-0.5, 1000**-0.5)
    keep = thinned([x], [y, 1.1 * y], (True, True))
    assert len(keep) < 20 and {0, 999, 3999} <= set(keep.tolist())
    drawn = 10 ** np.interp(np.log10(x), np.log10(x[keep]), np.log10(y[keep]))
    span = np.log10(y.max() / y.min())
    assert np.abs(np.log10(drawn / y)).max() < WIDTH * span / PIXELS
    noisy = y * np.exp(0.3 * np.sin(37 * x))
    assert len(thinned([x], [noisy], (True, True))) > 1000, "no noise is smoothed away"


def test_points_beside_a_gap_are_kept() -> None:
    x = np.arange(50.0)
    y = np.ones(50)
    y[20] = np.nan
    assert {19, 20, 21} <= set(thinned([x], [y], (False, False)).tolist())


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.skipif(BROWSER is None, reason="no chromium on this machine")
def test_the_page_unpacks_its_lines_and_sources_when_asked(tmp_path: Path) -> None:
    write_pages(survey(MANY), "quick", (), tmp_path / "out")
    with chromium(tmp_path / "profile") as tab:
        tab.look(1300, 900)
        tab.open(tmp_path / "out" / "rows" / "bsp-sgd.html")
        rows = "document.querySelectorAll('table.verdicts tbody tr:not([hidden])').length"
        assert tab.run(rows) == LINES
        more = "[...document.querySelectorAll('button.more')].at(-1)"
        assert str(MANY) in tab.run(f"{more}.textContent")
        wait = "new Promise((done) => setTimeout(done, 300))"
        tab.run(f"{more}.click(), {wait}")
        assert tab.run(rows) == MANY
        tab.run("document.querySelector('details > pre[data-packed]').parentElement.open = true")
        tab.run(wait)
        assert "class BSP(" in tab.run("document.querySelector('details[open] > pre').textContent")
        assert tab.faults == []
