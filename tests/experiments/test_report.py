"""The report: self-contained, complete, and true to the results it was made from."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from rich.console import Console

from algorithms.catalogue import FORMS, ROWS, Row
from algorithms.compressors.qsgd import QSGD
from algorithms.topologies.ring import Ring
from experiments.figures.lines import DrawnLine, LineCurves
from experiments.figures.signs import COMMANDS, plain, pretty, typeset
from experiments.listing.results import RESULTS
from experiments.reporting import mathml
from experiments.reporting.comparisons import comparisons
from experiments.reporting.early import write_early
from experiments.reporting.mathml import formula, prose
from experiments.reporting.packing import unpacked
from experiments.reporting.page import PAGES as page_list
from experiments.reporting.page import write_pages
from experiments.reporting.pictures import Drawing, Picture, pictures
from experiments.reporting.row_pages import update_rule
from experiments.reporting.survey_job import survey_job
from experiments.storage.store import Store, Stored
from experiments.survey import Survey, in_order
from proofs_check.cell import Cell, CellKind, CellResult
from proofs_check.compressors.facts import operator_facts
from proofs_check.curves import RatePanel, RateSeries, RunSeries, TradeoffPoint, WorkerSeries
from proofs_check.instruments.effect_check import Arm, EffectCheck
from proofs_check.instruments.measurement import Measurement
from proofs_check.methods.run_series import cited
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.orders import ORDERS
from theory.survey.taxonomy import FIG_2, TABLE_I
from theory.theorems import PROVED_ONLY, THEOREMS

pytestmark = pytest.mark.processes

RUN = Cell("bsp-sgd", "quadratic-sc", CellKind.RUN, "", (1,), 8, 100, 4)
STUDY = Cell("bsp-sgd", "quadratic-sc", CellKind.STUDY, "bsp_time_strongly_convex")
PROOF = Cell("", "", CellKind.PROOF, "quantisation.prove_qsgd")
OPERATOR = Cell("qsgd", "", CellKind.OPERATOR, "QSGD(s=4)", n=100)
WORKERS = Cell("qsgd", "quadratic-sc", CellKind.WORKERS)
IDENTITY = Cell("", "", CellKind.OPERATOR, "identity", n=100)
MUTANTS = Cell("", "", CellKind.MUTANTS)
EFFECT = Cell("bsp-sgd", "made", CellKind.EFFECT)

THEOREM = next(row for row in ROWS if row.key == "bsp-sgd").theorems[0]


def run_cell(cell: Cell) -> CellResult:
    """Plausible results without the work."""
    t = np.arange(101.0)
    curve = 1 / (1 + t)
    if cell == RUN:
        verdict = Verdict(
            "bsp-sgd",
            f"whole curve under {THEOREM.name}",
            "curve under bound",
            Outcome.SUPPORTED,
            statistic=0.25,
            bound=1.0,
            evidence="<script>alert(1)</script> & largest ratio 0.25",
            provenance="seed 1",
            problem="quadratic-sc",
        )
        series = RunSeries(
            THEOREM.metric.value, t, curve, 0.9 * curve, 1.1 * curve, 64 * t, 64 * t,
            bound=4 * curve, theorem=cited(THEOREM), method="a method, 4 workers",
        )  # fmt: skip
        return CellResult((verdict,), (series,))
    if cell == STUDY:
        verdict = Verdict("bsp-sgd", "T^-1", "rate in T", Outcome.REFUTED, statistic=-0.7)
        rate = RateSeries(1 + t[:9], *(1 / (1 + t[:9]) for _ in range(5)), along="kappa, plain")
        return CellResult((verdict,), (RatePanel("T^-1", "T", "error", rate),))
    if cell == EFFECT:
        x, one = np.array([1.0, 2.0]), np.array([[1.0, 0.1]])
        shares = {Arm.METHOD: 0.2, Arm.BASELINE: 1.0, Arm.FAULT: 0.8}
        return EffectCheck(
            "bsp-sgd", "made", "workers speak once", "rounds", "ours", "theirs", "talkative", 0.5,
            lambda side: Measurement(shares[side] * np.linspace(0.9, 1.1, 12), x, one), "x", "y",
            "Nobody 2020", "made",
        ).result()  # fmt: skip
    if cell == PROOF:
        return CellResult((Verdict("qsgd", "E C(x) = x", "algebra", Outcome.PROVED),))
    if cell == OPERATOR:
        point = TradeoffPoint("QSGD(s=4)", "gaussian", 4.3, 1.0, 1.5)
        return CellResult((), (point,), (operator_facts(QSGD(4), 100),))
    if cell == WORKERS:
        x = np.array([1.0, 2.0, 4.0])
        return CellResult((), (WorkerSeries(x, 1 / x, 0.9 / x, 1.1 / x, x / x),))
    if cell == IDENTITY:
        return CellResult((Verdict("identity", "C(x) = x", "algebra", Outcome.PROVED),))
    planted = (("A", Outcome.CAUGHT), ("B", Outcome.CAUGHT), ("C", Outcome.REFUTED))
    told = (Verdict(n, "bites", "mutant", o, kind=CheckKind.MUTANT) for n, o in planted)
    return CellResult(tuple(told))


class Page(HTMLParser):
    """Collects tags, what the page would load, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        if "id" in values:
            self.ids.append(values["id"])
        if tag == "a":
            self.links.append(values["href"])
        elif tag != "use":
            self.loads += [values[name] for name in ("src", "href", "srcset") if name in values]

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report")
    cells = (RUN, STUDY, EFFECT, PROOF, OPERATOR, IDENTITY, WORKERS, MUTANTS)
    versions = dict.fromkeys(cells, "fake")
    code = survey_job("quick", cells, run_cell, out, Console(quiet=True), versions)
    assert code == 1, "a refuted claim is not passed over"
    return out


@pytest.fixture(scope="module")
def unrefuted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages of stored results, none refuted, where nothing can be computed any more."""

    def refuse(*_: object) -> None:
        raise AssertionError("a page computed something")

    out, cells = tmp_path_factory.mktemp("unrefuted"), (RUN, OPERATOR, PROOF)
    results = tuple((cell, Stored(run_cell(cell), 1.0)) for cell in cells)
    survey = Survey(results, (), 0, 1.0, dict.fromkeys(cells, "fake"))
    drawn = Picture("bsp-sgd", "run", "", "", 700, 300, half=False, run=True)
    with pytest.MonkeyPatch.context() as patch:
        for owner, name in ((Row, "tune"), (QSGD, "encode"), (Ring, "constants")):
            patch.setattr(owner, name, refuse)
        write_pages(survey, "quick", (drawn,), out)
    return out


LISTS = tuple(page for page, _, _ in page_list)
PAGES = (*LISTS, "rows/bsp-sgd.html", "rows/qsgd.html", f"theorems/{THEOREM.name}.html")


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_page_asks_nothing_of_the_network(report: Path, name: str) -> None:
    page = Page((report / name).read_text(encoding="utf-8"))
    assert {"assets/style.css", "assets/report.js"} <= {
        load.removeprefix("../") for load in page.loads
    }
    for load in page.loads:
        assert load == "data:," or ((report / name).parent / load).is_file(), load
    assert not {"iframe", "object"} & set(page.tags)
    style = (report / "assets" / "style.css").read_text(encoding="utf-8")
    assert "url(" not in style and "@import" not in style


@pytest.mark.parametrize("name", PAGES)
def test_links_of_the_page_lead_somewhere(report: Path, name: str) -> None:
    for link in Page((report / name).read_text(encoding="utf-8")).links:
        file, _, anchor = link.partition("#")
        there = (report / name).parent / file if file else report / name
        assert there.is_file(), link
        if anchor:
            assert anchor in Page(there.read_text(encoding="utf-8")).ids, link


def test_start_page_answers(report: Path) -> None:
    page = Page((report / "index.html").read_text(encoding="utf-8"))
    order = [page.ids.index(name) for name in ("when", "wrong", "counts", "map", "verdicts")]
    assert order == sorted(order)
    assert "2 of 9 verdicts refute a claim, or show a planted fault that no check saw" in page.text
    assert "how it stands: proved refuted not run by the effect" in page.text
    assert "so the 9 verdicts" in page.text and "9 × 10 −10" in page.text
    table = page.text.partition("verdicts on ")[2].partition("197 ")[0]
    assert table.startswith("proved supported caught refuted sum claims of methods")
    assert "against checks 2 1 3" in table and "arrive as they are 1 1" in table
    assert "all 2 2 3 2 9" in table
    own = Page((report / "rows" / "bsp-sgd.html").read_text(encoding="utf-8"))
    assert "<script>alert(1)</script> & largest ratio 0.25" in own.text, "escaped, not run"
    listed = Page((report / "rows.html").read_text(encoding="utf-8"))
    for row in ROWS:
        assert row.key in listed.words
        assert (report / "rows" / f"{row.key}.html").is_file() == (row.state == "ready")
    for entry in (*TABLE_I, *FIG_2):
        assert entry.method in page.words
        assert set(entry.rows) <= {*page.words} & {row.key for row in ROWS}
    assert "Operators of no method" in (report / "checks.html").read_text(encoding="utf-8")


def test_start_page_says_that_nothing_was_refuted(unrefuted: Path) -> None:
    page = Page((unrefuted / "index.html").read_text(encoding="utf-8"))
    assert "No check found a claim violated beyond its stated error." in page.text
    assert "all-refuted" not in page.ids


def test_a_rows_page_opens_with_what_the_row_is_for(report: Path) -> None:
    own = (report / "rows" / "bsp-sgd.html").read_text(encoding="utf-8")
    page = Page(own)
    assert page.ids[:3] == ["main", "effect", "figure-bsp-sgd-made-effect"]
    assert "Workers speak once. Rounds: 0.2 against 1 (theirs), 0.2 of it" in page.text
    assert own.index("bsp-sgd-made-effect.webp") < own.index('id="theory"')
    assert own.count("bsp-sgd-made-effect.webp") == 1, "shown once"
    index = Page((report / "rows.html").read_text(encoding="utf-8"))
    assert "workers speak once (0.2 of the baseline)" in index.text


def test_every_form_has_a_section_of_its_own_on_its_rows_page(report: Path) -> None:
    for form in FORMS.values():
        key, _, name = form.key.partition(":")
        page = (report / "rows" / f"{key}.html").read_text(encoding="utf-8")
        heading = f'<h3 id="form-{name}">Form <span class="key">{form.key}</span></h3>'
        assert page.count(heading) == 1 and f'<a href="#form-{name}">' in page
        assert f"<code>rateproof run {key} --form {name}</code>" in page
    assert "LAG-PS" in (report / "rows" / "lag.html").read_text(encoding="utf-8")


def test_a_rows_page_holds_its_theory_and_its_operators(report: Path) -> None:
    text = Page((report / "rows" / "bsp-sgd.html").read_text(encoding="utf-8")).text
    assert THEOREM.title.split(",")[0] in text
    page = (report / "rows" / "qsgd.html").read_text(encoding="utf-8")
    sources = " ".join(
        unpacked(held) for held in re.findall(r'<pre[^>]* data-packed="([^"]+)', page)
    )
    qsgd = f"{Page(page).text} {' '.join(sources.split())}"
    for words in (
        "levels below the Euclidean norm",
        "Exact law at x = (3, -4, 0, 12) (by place)",
        "13/4 with 12/13; 0 with 1/13",
        "Bits at d = 100, single precision: 432",
        "@inproceedings{alistarh2017qsgd,",
        "author = {Dan Alistarh and Demjan Grubic",
    ):
        assert words in qsgd, words


def test_a_rows_page_says_why_no_theorem_tunes_it_and_what_else_is_known(report: Path) -> None:
    for row in (row for row in ROWS if row.state == "ready"):
        text = Page((report / "rows" / f"{row.key}.html").read_text(encoding="utf-8")).text
        assert (f"No theorem tunes the method: {row.why}." in text) == (
            row.kind == "method" and not row.theorems
        )
        assert all(str(result.source) in text for result in row.results)


def test_figures_are_kept_as_picture_and_as_data(report: Path) -> None:
    stems = {
        "bsp-sgd-quadratic-sc-run",
        "bsp-sgd-quadratic-sc-study-bsp-time-strongly-convex-kappa-plain",
    }
    stems |= {"qsgd-tradeoff", "qsgd-workers", "all-workers", "bsp-sgd-made-effect"}
    files = {path.name for path in (report / "figures").iterdir() if path.suffix != ".json"}
    assert files == {f"{stem}.webp" for stem in stems}
    charts: dict[str, Any] = {}
    for path in (report / "charts").iterdir():
        (held,) = re.findall(
            r'^report\.chart\("([^"]+)","([^"]+)"\);\n$', path.read_bytes().decode()
        )
        assert held[0] == path.stem, "the name that the page asks for"
        charts |= json.loads(unpacked(held[1]))
    assert charts.keys() == stems and all(chart["series"] for chart in charts.values())
    for stem in stems:
        with Image.open(report / "figures" / f"{stem}.webp") as image:
            assert image.width > 400
            assert len(image.convert("RGB").getcolors(1 << 20) or ()) > 8, "more than blank"


def test_table_has_one_line_for_each_verdict(report: Path) -> None:
    table = pd.read_parquet(report / "results.parquet")
    assert len(table) == 9
    run = table[table["unit"] == "run"].iloc[0]
    assert (run["row"], run["problem"], run["verdict"]) == ("bsp-sgd", "quadratic-sc", "supported")
    assert (run["statistic"], run["bound"]) == (0.25, 1.0)
    assert list(run["seeds"]) == [1]
    assert (run["replicas"], run["steps"], run["n"], run["code_version"]) == (8, 100, 4, "fake")
    proof = table[table["unit"] == PROOF.check].iloc[0]
    assert proof["row"] == "qsgd", "a check of several rows belongs to the row it speaks of"
    assert np.isnan(proof["bound"])
    needed = {"claim", "order", "uncertainty", "resolution", "tightness", "evidence", "provenance"}
    assert needed <= set(table.columns)


def test_every_result_can_be_typeset() -> None:
    for result in RESULTS.values():
        drawn = formula(result.statement)
        assert drawn is not None, f"{result.name}: {result.statement}"
        assert drawn.startswith("<math ") and "\\" not in drawn
    assert formula("x^1^2") is None
    assert formula(r"\notacommand{x}") is None


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"x_{t+1} = x_t - \gamma_t g, g of the mean.", "[x t+1 = x t − γ t g] , g of the mean."),
        (
            "the workers send C(gamma_t g_i + e_i) and keep the rest",
            "the workers send [C(γ t g i + e i)] and keep the rest",
        ),
        ("Algorithm 1 for n = 1; see ``step``", "Algorithm 1 for n = 1; see step"),
        ("so $x_i$ (or $a b$), a $d$-vector", "so [x i] (or [a b]), a [d]-vector"),
        ("at a price of 5 $ and no more", "at a price of 5 $ and no more"),
    ],
)
def test_formulas_among_words_are_set(written: str, read: str) -> None:
    marked = re.sub(r"<math.*?</math>", lambda found: f"[{found[0]}]", prose(written))
    assert _letters(Page(marked).words) == _letters([read])


def _letters(words: list[str]) -> str:
    return re.sub(r"\s", "", "".join(words)).replace("-", "−")


def test_every_method_has_a_rule_that_can_be_read() -> None:
    for row in (row for row in ROWS if row.recipe):
        rule = update_rule(row)
        assert rule is not None and rule["rule"], row.key
        text = " ".join(Page(" ".join((*rule["rule"], *rule["more"]))).words)
        assert not re.search(r"\\|:`|\|\|", text), (row.key, text)
        assert f"class {rule['name']}" in rule["code"]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("E||C(x)-x||^2 <= omega ||x||^2", "E‖C(x)-x‖² ≤ ω ‖x‖²"),
        ("O(T^-1/2 n^-1)", "O(T^-1/2 n⁻¹)"),
        ("the sum of mu and sigma2, sum_i x_i", "the sum of μ and σ², Σ_i x_i"),
        ("(1/T) sum E||grad f(x_t)||^2", "(1/T) Σ E‖∇f(x_t)‖²"),
        ("f = x^2/2", "f = x²/2"),
        ("gamma_t = 2/(mu (a + t))", "γ_t = 2/(μ (a + t))"),
        ("submodular summary", "submodular summary"),
        ("base-3^5 and 2^24", "base-3^5 and 2^24"),
        ("omega ||x||^2, omega = 0 = 0", "ω ‖x‖², ω = 0"),
        ("O(T^-1 omega^1)", "O(T⁻¹ ω)"),
        ("delta = k/d = 0.25", "δ = k/d = 0.25"),
        ("d^2.5 and ||x||^2.", "d^2.5 and ‖x‖²."),
        ("4*G2*L**2*(1 - delta)/delta**2, f*(x), zeta*^2", "4 G2 L² (1 - δ)/δ², f*(x), ζ*²"),
    ],
)
def test_signs_for_readers(written: str, read: str) -> None:
    assert pretty(written) == read


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("O(T^-1/2 n^-1)", "O(T<sup>−1/2</sup> n⁻¹)"),
        ("sum_{t<T} f_i(x_t)", "Σ<sub>t&lt;T</sub> f<sub>i</sub>(x<sub>t</sub>)"),
        ("choco_sgd at L_max", "choco_sgd at L<sub>max</sub>"),
        ("1.283e+05 of 1e-10", "1.283 × 10<sup>5</sup> of 10<sup>−10</sup>"),
        ("<b> & 3e4", "&lt;b&gt; &amp; 3e4"),
    ],
)
def test_signs_on_pages(written: str, shown: str) -> None:
    assert str(typeset(written)) == shown


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"$\frac{\omega}{1 + \omega} \|x\|^2$.", "ω/(1 + ω) ‖x‖²."),
        (r"\frac{1}{n}\sum_i x_i, \frac1n", "(1/n)Σ_i x_i, 1/n"),
        (r"\frac{\gamma L_{max} \sigma^2}{2\mu n}", "γ L_max σ²/(2μ n)"),
        (r"\frac{2(1-p)\Delta}{pn}, \frac{1 - q^T}T", "2(1-p)Δ/(pn), (1 - q^T)/T"),
        (r"\frac{1}{L_{max}} \min\Bigl(1, \frac1{2 H}\Bigr)", "1/L_max min(1, 1/(2 H))"),
        (r"\left(E\frac1{\sqrt h}\|g\|\right)^2", "(E(1/√h)‖g‖)²"),
        (
            r"\frac{1}{L + \tilde L \sqrt{\frac{n}{3\omega}}} \Rightarrow",
            "1/(L + L\u0303 √(n/(3ω))) ⇒",
        ),
        (r"O(\frac{\Delta\,\bar L}{T}) \text{ after } \varepsilon", "O(Δ L\u0304/T) after ε"),
        (r"\bar x + \hat\sigma", "x\u0304 + σ\u0302"),
        ("at most ||x||^2, see :class:`~algorithms.a.Mask`", "at most ‖x‖², see Mask"),
    ],
)
def test_docstrings_for_readers(written: str, read: str) -> None:
    assert plain(written) == read


def test_every_row_s_rule_is_set_as_mathematics(monkeypatch: pytest.MonkeyPatch) -> None:
    unread: dict[str, str] = {}

    def noted(latex: str, display: bool = True) -> str | None:
        done = formula(latex, display)
        if done is None:
            unread[latex] = row.key
        return done

    monkeypatch.setattr(mathml, "formula", noted)
    for row in ROWS:
        update_rule(row)
    assert unread == {}


def test_no_statement_keeps_a_command_of_latex() -> None:
    """Words that are left are those of sentences, functions and words below letters."""
    told = {one.name: plain(one.statement) for one in (*THEOREMS, *PROVED_ONLY, *ORDERS)}
    letters = {name.removeprefix("\\") for name in COMMANDS if name.removeprefix("\\").isalpha()}
    read = {"frac", "sqrt", "bar", "hat", "tilde", "text", "mathrm", "Big", "big"}
    sized = {f"{size}{side}" for size in ("big", "Big", "bigg", "Bigg") for side in "lr"}
    for one in (*THEOREMS, *PROVED_ONLY, *ORDERS):
        assert set(re.findall(r"\\([A-Za-z]+)", one.statement)) <= letters | read | sized, one.name
        left = re.findall(r"\\|frac|sqrt|[bB]igg?[lr]|\b[bB]ig\b|var[a-z]+", told[one.name])
        assert left == [], told[one.name]
    assert all(text.count("(") == text.count(")") for text in told.values())


def test_no_definition_keeps_marks_of_its_source() -> None:
    operators = {type(o): o for row in ROWS for o in row.operators}.values()
    for operator in operators:
        for text in map(plain, operator_facts(operator, 100).definition):
            assert not re.search(r"\\|:`|\|\||\bhat\b|\^2\b(?!\.?\d)", text), text


def test_pages_are_made_of_stored_results_alone(unrefuted: Path) -> None:
    page = Page((unrefuted / "rows/qsgd.html").read_text(encoding="utf-8")).text
    assert "Exact law at x = (3, -4, 0, 12)" in page
    assert "a method, 4 workers" in Page((unrefuted / "rows/bsp-sgd.html").read_text()).text


def test_nothing_is_drawn_of_operators_that_lose_nothing() -> None:
    result = CellResult((), (TradeoffPoint("identity", "gaussian", 32.0, 0.0, 0.0),))
    cell = Cell("fdla", "", CellKind.OPERATOR, "identity", n=100)
    survey = Survey(((cell, Stored(result, 1.0)),), (), 0, 1.0, {cell: "fake"})
    assert comparisons(survey) == ()


@pytest.mark.parametrize("few", [0, 6], ids=["in other processes", "here"])
def test_a_figure_is_drawn_again_only_where_its_curves_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr("experiments.reporting.pictures._FEW", few)

    def curves(last: float) -> LineCurves:
        line = DrawnLine("measured", np.array([1.0, 2.0]), np.array([1.0, last]))
        return LineCurves("two points", "n", "error", (line,))

    def drawn(*lasts: float) -> list[int]:
        these = [Drawing("qsgd", f"f{k}", "", curves(last)) for k, last in enumerate(lasts)]
        shown, faults = pictures(these, tmp_path, 1)
        assert len(shown) == len(lasts) and not faults
        return [(tmp_path / f"f{k}.webp").stat().st_mtime_ns for k in range(len(lasts))]

    first = drawn(0.5, 0.25)
    assert drawn(0.5, 0.25) == first
    second = drawn(0.5, 0.125)
    assert second[0] == first[0] and second[1] > first[1]
    (tmp_path / "f0.webp").write_bytes(b"")
    assert drawn(0.5, 0.125)[0] > first[0]
    bad = Drawing("qsgd", "bad", "", replace(curves(0.5), title=r"$\nonsense$"))
    shown, (fault,) = pictures([bad, Drawing("qsgd", "good", "", curves(0.5))], tmp_path, 1)
    assert [one.stem for one in shown] == ["good"]
    assert fault.startswith("no figure bad: ValueError: ")


def test_the_report_is_there_while_the_survey_runs(tmp_path: Path) -> None:
    cells = (RUN, PROOF, OPERATOR)
    store = Store(tmp_path / "cells", dict.fromkeys(cells, "fake"))
    store.save(RUN, Stored(run_cell(RUN), 1.0))
    write_early(cells, store, "quick", tmp_path, 1)
    for name in ("index.html", "rows/bsp-sgd.html", "rows/qsgd.html"):
        assert "1 of 3 cells so far" in Page((tmp_path / name).read_text(encoding="utf-8")).text
    run_page, other = tmp_path / "rows" / "bsp-sgd.html", tmp_path / "rows" / "qsgd.html"
    assert "-run.webp" in run_page.read_text(encoding="utf-8"), "its figure is drawn"
    before = run_page.stat().st_mtime_ns, other.stat().st_mtime_ns
    store.save(OPERATOR, Stored(run_cell(OPERATOR), 1.0))
    write_early(cells, store, "quick", tmp_path, 2)
    assert "2 of 3 cells" in Page((tmp_path / "index.html").read_text(encoding="utf-8")).text
    assert run_page.stat().st_mtime_ns == before[0] and other.stat().st_mtime_ns > before[1]


def test_a_cell_of_each_row_is_early_and_the_longest_come_next() -> None:
    cells = [Cell(row, problem, "run") for row in "ab" for problem in ("long", "short", "middle")]
    costs = {cell: {"long": 9.0, "short": 1.0, "middle": 4.0}[cell.problem] for cell in cells}
    order = [(cell.row, cell.problem) for cell in in_order(costs)]
    assert sorted(order[:2]) == [("a", "short"), ("b", "short")]
    assert [problem for _, problem in order[2:]] == ["long", "long", "middle", "middle"]
    assert len(set(order)) == len(cells)
