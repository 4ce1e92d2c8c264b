"""Results in a notebook: tidy data that are the results' own numbers, figures, and safe HTML."""

from __future__ import annotations

import base64
import io
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from PIL import Image

import rateproof
from experiments.figures.html import block, frame_html, sentence
from experiments.notebooks.audited import Audited
from experiments.notebooks.verdict_list import VerdictList, share_of_bound, verdict_figure
from proofs_check.verdict import Outcome, Verdict

SMALL = {"n": 4, "steps": 40, "replicas": 4, "seed": 1}
VOID = {"img", "br", "hr"}
EVIL = "<script>alert(\"x\")</script> & 'quotes'"


class Page(HTMLParser):
    """Tags that are open at the end, and what stands in the page."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.images: list[dict[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "img":
            self.images.append(dict(attrs))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(html: str) -> Page:
    """The page, every tag of which is closed in order; nothing is loaded from elsewhere."""
    page = Page()
    page.feed(html)
    page.close()
    assert page.open == []
    assert "http" not in html and "<script" not in html
    return page


def shown(result: Any) -> Page:
    """What a notebook shows, with pictures that can be opened and are described."""
    page = read(result._repr_html_())
    assert page.images
    for image in page.images:
        kind, _, data = str(image["src"]).partition(",")
        assert kind == "data:image/png;base64" and image["alt"]
        with Image.open(io.BytesIO(base64.b64decode(data))) as opened:
            assert min(opened.size) > 100
    assert isinstance(result.figure(), Figure)
    return page


def test_a_run_is_its_trace() -> None:
    single = rateproof.run("qsgd", "quadratic-sc", **SMALL)
    trace, frame = single.result.trace, single.frame
    assert len(frame) == trace.suboptimality.size
    third = frame[frame["replica"] == 2]
    assert np.array_equal(third["steps"], trace.steps)
    assert np.array_equal(third["suboptimality"], trace.suboptimality[2])
    assert np.array_equal(third["sent_bits"], trace.sent_bits[2])
    assert set(frame["seed"]) == {1} and set(frame["row"]) == {"qsgd"}
    page = shown(single)
    assert f"{single.last().mean:.6g}"[:4] in page.text and "qsgd on quadratic-sc" in page.text


def test_a_comparison_shows_its_standings() -> None:
    both = rateproof.compare(["bsp-sgd", "qsgd"], "quadratic-sc", tuning="theorem", **SMALL)
    page = shown(both)
    assert len(page.images) == 2, "curves, and replicas with pairs"
    for one in both.standings:
        assert f"{one.error:.6g}" in page.text


def test_a_rate_unpacks_and_is_its_points() -> None:
    options = {"n": 4, "steps": 40, "replicas": 4, "gamma": 0.3, "values": [1, 2, 4]}
    rated = rateproof.rate("local-sgd", "quadratic-unequal", "H", **options)
    points, verdict = rated
    assert (rated.points, rated.verdict) == (points, verdict)
    frame = rated.frame
    for place, at in enumerate(points.x):
        assert np.array_equal(frame.loc[frame["H"] == at, "error"], points.samples[:, place])
    assert verdict.claim in shown(rated).text


def test_verdicts_are_a_tuple_and_a_table() -> None:
    found = rateproof.check("QSGD(s=4)", d=4)
    assert isinstance(found, tuple) and all(isinstance(one, Verdict) for one in found)
    assert list(found.frame["claim"]) == [one.claim for one in found]
    assert list(found.frame["outcome"]) == [one.outcome.value for one in found]
    assert not found.refuted and VerdictList((made(Outcome.REFUTED),)).refuted
    page = shown(found)
    assert f"{sum(v.outcome is Outcome.PROVED for v in found)} proved" in page.text


def made(outcome: Outcome, **numbers: Any) -> Verdict:
    """A verdict whose texts try to leave their place."""
    return Verdict(EVIL, EVIL, "made", outcome, evidence=EVIL, **numbers)


def test_a_verdict_shows_itself_as_a_small_table() -> None:
    page = read(made(Outcome.REFUTED, statistic=6.0, bound=3.0, uncertainty=0.25)._repr_html_())
    assert page.tags.count("table") == 1 and page.tags.count("tr") == 7 and EVIL in page.text
    assert "6 \N{PLUS-MINUS SIGN} 0.25" in page.text and "bound3" in page.text
    assert "Fraction" not in page.text and "None" not in page.text
    bare = read(Verdict("a", "b", "c", Outcome.PROVED)._repr_html_())
    assert bare.tags.count("tr") == 4


def test_a_verdict_figure_draws_shares_of_bounds() -> None:
    """Twice the bound is at 2, half of it at 1/2; no number where there is no positive bound."""
    over = made(Outcome.REFUTED, statistic=6.0, bound=3.0, uncertainty=0.3)
    under = made(Outcome.SUPPORTED, statistic=1.0, bound=2.0)
    bare = made(Outcome.PROVED, statistic=1.0, bound=0.0)
    assert share_of_bound(over) == (2.0, pytest.approx(0.1))
    assert share_of_bound(under) == (0.5, 0.0)
    assert np.isnan(share_of_bound(bare)[0])
    (axes,) = verdict_figure((over, under, bare)).axes
    drawn = sorted(float(bars[0].get_xdata()[0]) for bars in axes.containers)
    assert drawn == [0.5, 2.0]


def test_an_audit_keeps_its_names_and_shows_claims_first() -> None:
    audited = rateproof.audit(lambda x: 0.5 * x, delta="c", c=0.8, d=4, samples=100)
    assert isinstance(audited, Audited)
    assert audited.refuted and audited.claims == audited.found.claims
    assert {"refuted", "claims", "measured", "frame", "figure"} <= set(dir(audited))
    with pytest.raises(AttributeError):
        _ = audited.no_such_thing
    frame = audited.frame
    assert list(frame["about"]) == ["claim"] * len(audited.claims) + ["behaviour"] * len(
        audited.behaviour
    )
    assert list(frame["outcome"]) == [one.outcome.value for one in audited.verdicts]
    measured = audited.measured
    assert np.allclose(measured["ratio"], 0.25)  # half of x is lost, exactly
    assert set(measured["d"]) == {one.d for one in audited.measures}
    (axes,) = audited.figure().axes
    assert axes.get_ylim()[0] == 0 < 0.25 < axes.get_ylim()[1] < 1
    lines = shown(audited).text.partition("evidence")[2]
    assert lines.index("refuted") < lines.index("supported")


@pytest.mark.parametrize(
    "html",
    [
        VerdictList((made(Outcome.SUPPORTED),))._repr_html_(),
        block(EVIL, sentence(EVIL), frame_html(pd.DataFrame({EVIL: [EVIL]}))),
    ],
)
def test_whatever_a_text_says_it_stays_text(html: str) -> None:
    page = read(html)
    assert EVIL in page.text and "script" not in page.tags


def test_a_long_table_is_cut_and_says_so() -> None:
    page = read(frame_html(pd.DataFrame({"a": range(30)}), most=5))
    assert page.tags.count("tr") == 6 and "5 of 30 lines" in page.text
    assert "of 5 lines" not in frame_html(pd.DataFrame({"a": range(5)}), most=5)
