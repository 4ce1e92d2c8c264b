"""A study on small sizes: what it keeps, what it goes on with, and what it writes."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np
import pytest

from algorithms.catalogue import problem, row
from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from algorithms.tuning.grid import SEED
from experiments.compare.comparing import compare_rows
from experiments.compare.ranking import paired
from experiments.ranks.user_objects import UserCodeError
from experiments.study.contest import ContestBudget, at_best, best_of, price, tuned
from experiments.study.folder import conducted, kept_results
from experiments.study.pictures import EXPONENTS
from experiments.study.plan import StudyPlan, planned
from experiments.study.steps import StudyStep, steps_of
from experiments.study.studying import FinishedStudy, studied
from experiments.study.tables import latex, tables_of
from experiments.study.writing import StudyWriter
from proofs_check.cell import CellResult
from proofs_check.facts import ContestFacts, TunedFacts
from proofs_check.verdict import CheckKind, Outcome
from tests.experiments.schemas import hold
from theory.stepsizes import Stepsize

TINY: dict[str, Any] = {"n": 4, "steps": 24, "replicas": 4, "rate_steps": 32, "sizes": (2, 4, 8),
        "attack_seconds": 1.0, "attackers": ("quadratics",)}  # fmt: skip


def tiny(**changes: Any) -> StudyPlan:
    """A study of QSGD against synchronous SGD that takes a second or two."""
    given = {"problem_name": "quadratic-sc", "against": ("bsp-sgd",), "vary": ("T", "n"), **TINY}
    return planned(["qsgd"], **(given | changes))


def in_one_process(plan: StudyPlan) -> tuple[StudyStep, ...]:
    """The steps of a plan but effects, attacks and ranks, which have tests of their own."""
    left = ("effect", "refute", "ranks")
    return tuple(step for step in steps_of(plan) if not step.key.startswith(left))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[StudyPlan, Path, dict[str, CellResult]]:
    """A tiny study, conducted and written once for all tests here."""
    folder = tmp_path_factory.mktemp("study")
    plan = tiny()
    steps = in_one_process(plan)
    writer = StudyWriter(plan, folder)
    done = conducted(plan, steps, folder, lambda _: None, writer.step)
    writer.finish(steps, done)
    assert not writer.problems
    return plan, folder, done


def test_all_rows_are_tuned_by_runs_of_one_budget() -> None:
    """Of bits: QSGD's steps cost less, so that it gets more of them, for the same bits."""
    objective = problem("quadratic-sc", 4)
    total = 40 * price(row("bsp-sgd"), objective, "bits", 40)
    budget = ContestBudget(total, "bits", 2000)
    for key in ("bsp-sgd", "qsgd", "top-k"):
        steps = budget.steps(row(key), objective)
        spent = steps * price(row(key), objective, "bits", 40)
        assert spent == pytest.approx(total, rel=0.6 / steps)
    assert budget.steps(row("bsp-sgd"), objective) == 40


def test_a_row_at_its_best_takes_no_other_step() -> None:
    objective = problem("quadratic-sc", 4)
    (found,) = tuned(row("bsp-sgd"), objective, ContestBudget(1e5, "bits", 20)).facts
    assert isinstance(found, TunedFacts)
    method = at_best(row("bsp-sgd"), found, objective).tuned(objective, 8).method
    assert method.step_rule(0) == found.stepsize  # type: ignore[attr-defined]


def test_a_method_that_equals_no_other_is_compared_at_its_tuned_place() -> None:
    """Its row looks as if a stepsize changed it; the kept tuning of that name is another's."""

    class Noted(type(row("bsp-sgd").build(problem("quadratic-sc", 4), 1))):  # type: ignore[misc]
        __eq__ = object.__eq__
        __hash__ = object.__hash__

    def build(step: Stepsize, objective: Problem, steps: int) -> Method[object]:
        return Noted(**vars(recipe.build(step, objective, steps)))

    objective, recipe = problem("quadratic-sc", 4), row("bsp-sgd").ready()
    mine = replace(row("bsp-sgd"), recipe=replace(recipe, build=build))
    pairs = []
    for one in (mine, row("qsgd")):
        (found,) = tuned(one, objective, ContestBudget(1e5, "bits", 20)).facts
        assert isinstance(found, TunedFacts)
        pairs.append((one, replace(found, power=-9, stepsize=None)))
    given = compare_rows(
        [at_best(one, found, objective) for one, found in pairs], objective, axis="bits",
        steps=20, replicas=4, seed=1,
    )  # fmt: skip
    wanted = str(best_of(pairs[0][1]).step(objective))
    assert [one.description.partition(",")[0] for one in given.entrants] == [wanted] * 2


def test_nothing_that_was_finished_is_lost_or_done_again(tmp_path: Path) -> None:
    plan = tiny()
    steps = in_one_process(plan)
    ran: list[str] = []

    def watched(step: StudyStep, stop: str) -> StudyStep:
        def run(done: object) -> CellResult:
            ran.append(step.key)
            if step.key == stop:
                raise KeyboardInterrupt
            return step.run(done)  # type: ignore[arg-type]

        return step._replace(run=run)

    stop = steps[2].key
    heard: list[str] = []

    def hear(step: StudyStep, _: CellResult) -> None:
        heard.append(step.key)

    with pytest.raises(KeyboardInterrupt):
        conducted(plan, [watched(s, stop) for s in steps], tmp_path, str, hear)
    assert heard == [step.key for step in steps[:2]]
    heard.clear()
    with pytest.raises(KeyboardInterrupt):  # once more: what was kept is heard of all the same
        conducted(plan, [watched(s, stop) for s in steps], tmp_path, str, hear)
    assert heard == [step.key for step in steps[:2]]
    before = kept_results(plan, steps, tmp_path, str)
    assert list(before) == [step.key for step in steps[:2]]
    ran.clear()
    heard.clear()
    after = conducted(plan, [watched(s, "") for s in steps], tmp_path, str, hear)
    assert ran == [step.key for step in steps[2:]]
    assert heard == [step.key for step in steps]
    assert all(after[key].verdicts == before[key].verdicts for key in before)


def test_another_size_is_another_result(tmp_path: Path) -> None:
    one, other = tiny(), tiny(seed=2)
    steps = in_one_process(one)[:1]
    conducted(one, steps, tmp_path, str, lambda *_: None)
    assert kept_results(one, steps, tmp_path, str)
    assert not kept_results(other, in_one_process(other)[:1], tmp_path, str)


def test_another_axis_reuses_nothing_that_rests_on_the_tuned_place() -> None:
    """Nor does another budget: what a row was tuned at decides where it is run and swept."""
    first = {step.key: step.depends for step in in_one_process(tiny())}
    for change in ({"axis": "steps"}, {"steps": 32}):
        for step in in_one_process(tiny(**change)):
            assert step.depends != first[step.key], step.key


def test_a_study_whose_comparison_failed_has_a_page(tmp_path: Path) -> None:
    plan = tiny(vary=("n",))
    steps = [step for step in in_one_process(plan) if not step.key.startswith(("rate", "bound"))]

    def fails(_: object) -> CellResult:
        raise ValueError("rows spend nothing")

    broken = [s._replace(run=fails) if s.key == "comparison" else s for s in steps]
    writer = StudyWriter(plan, tmp_path)
    for _ in range(2):  # the second time it is read
        writer.finish(broken, conducted(plan, broken, tmp_path, str, writer.step))
        assert "Comparison at equal bits" in (tmp_path / "index.html").read_text()
        assert "rows spend nothing" in (tmp_path / "study.json").read_text()
    assert not writer.problems


OWN = """
import dataclasses
from algorithms.catalogue import row

AS_IT_IS = row("qsgd")
_RECIPE = AS_IT_IS.recipe

def build(step, objective, steps):
    raise KeyError("a slip")

ROW = dataclasses.replace(
    AS_IT_IS, key="mine", recipe=dataclasses.replace(_RECIPE, build=build))
RUNS_AWAY = dataclasses.replace(AS_IT_IS, key="runs-away", recipe=dataclasses.replace(
    _RECIPE, theorems=(), why="it is a test",
    build=lambda step, objective, steps: _RECIPE.build(type(step)(1e9), objective, steps)))
"""


@pytest.fixture
def own_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module in a folder of rows whose method raises, or runs away."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "slipped.py").write_text(OWN)
    return "experiments.slipped"


def test_a_study_keeps_all_modules_of_ones_own_as_they_were_when_it_was_planned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By their paths, so that they are imported again; two of the same name are two files."""
    home = tmp_path / "home"
    texts = {
        "lab/__init__.py": b"", "lab/rows/__init__.py": b"", "lab/rows/parts.py": b"A = 1\n",
        "lab/parts.py": b"B = 2\n", "beside.py": b"C = 3\n", "unused.py": b"D = 4\n",
        "lab/rows/mine.py": b"import dataclasses\nimport beside\nfrom lab import parts as p\n"
        b"from lab.rows import parts\nfrom algorithms.catalogue import row\n"
        b"ROW = dataclasses.replace(row('qsgd'), key='mine')\n",
    }  # fmt: skip
    for name, content in texts.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(content)
    monkeypatch.syspath_prepend(home)
    plan = planned(
        ["lab.rows.mine:ROW"], problem_name="quadratic-sc", against=("qsgd",), vary=("T",), **TINY
    )
    wanted = {name: text for name, text in texts.items() if name != "unused.py"}
    (home / "beside.py").write_text("edited while it runs")
    assert plan.sources == wanted
    writer = StudyWriter(plan, tmp_path / "study")
    writer.finish((), {})
    writer.finish((), {})
    copied = tmp_path / "study" / "sources"
    found = {p.relative_to(copied).as_posix(): p.read_bytes() for p in copied.rglob("*.py")}
    assert found == wanted


def test_a_folder_of_other_things_is_not_written_into(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(ValueError, match="out must be a new or empty folder"):
        studied(tiny(), tmp_path, str)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_what_ones_own_file_raises_is_said_with_its_line(own_module: str) -> None:
    """The folder has the name of one of ours."""
    with pytest.raises(UserCodeError, match=r"KeyError: 'a slip' \(slipped.py, line 9\)"):
        planned([f"{own_module}:ROW"], problem_name="quadratic-sc", against=("qsgd",), **TINY)


def test_the_steps_of_a_row_that_diverges_have_a_guess_of_time(own_module: str) -> None:
    plan = planned(
        ["qsgd"], problem_name="quadratic-sc", against=(f"{own_module}:RUNS_AWAY",),
        vary=("T",), **TINY,
    )  # fmt: skip
    assert all(0 <= step.seconds < np.inf for step in steps_of(plan))


def test_the_plan_says_what_cannot_be() -> None:
    for change, words in (
        ({"n": 1}, "n must be at least 2"), ({"seed": SEED}, "another would do"),
        ({"column": 20.0}, "column must lie in"), ({"axis": "joules"}, "axis"),
        ({"against": ("qsgd", "nosuch")}, "nosuch"), ({"attackers": ("nobody",)}, "attacker"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            tiny(**change)
    with pytest.raises(ValueError, match="one or more"):
        planned([])


def test_a_step_that_cannot_be_made_says_why(tmp_path: Path) -> None:
    """One horizon is no rate."""
    plan = tiny(vary=("n",), sizes=(4,))
    steps = [step for step in steps_of(plan) if step.key.startswith("rate")]
    done = conducted(plan, steps, tmp_path, str, lambda *_: None)
    (verdict,) = done[steps[0].key].verdicts
    assert verdict.outcome is Outcome.NOT_APPLICABLE
    assert "a rate needs 3" in verdict.evidence


def test_the_folder_has_all_that_a_section_inputs(
    made: tuple[StudyPlan, Path, dict[str, CellResult]],
) -> None:
    _, folder, _ = made
    section = (folder / "section.tex").read_text()
    for name in re.findall(r"\\input\{([^}]+)\}", section):
        if name != "figures/NAME.pgf":
            assert (folder / f"{name}.tex").stat().st_size
    drawn = re.findall(r"\\includegraphics\{([^}]+)\}", section)
    assert {Path(name).stem for name in drawn} >= {"comparison", EXPONENTS, "rate-qsgd-T"}
    for name in drawn:
        assert (folder / name).read_bytes().startswith(b"%PDF")
        assert (folder / name).with_suffix(".pgf").read_text().count("pgfpicture") == 2
    assert "@" in (folder / "references.bib").read_text()
    compile((folder / "reproduce.py").read_text(), "reproduce.py", "exec")
    page = (folder / "index.html").read_text()
    assert not re.search(r'(src|href)="https?:', page)
    assert page.count("<img") == len(drawn)


def test_what_latex_reads_is_ascii_and_balanced(
    made: tuple[StudyPlan, Path, dict[str, CellResult]],
) -> None:
    _, folder, _ = made
    for path in (
        *folder.glob("*.tex"),
        *folder.glob("tables/*.tex"),
        *folder.glob("figures/*.pgf"),
    ):
        text = path.read_text()
        assert text.isascii(), (path.name, re.findall(r"[^\x00-\x7f]", text)[:5])
        bare = re.sub(r"\\[{}%]|%.*", "", text)
        assert bare.count("{") == bare.count("}"), path.name
        begun = re.findall(r"\\begin\{(\w+\*?)\}", text)
        assert sorted(begun) == sorted(re.findall(r"\\end\{(\w+\*?)\}", text)), path.name


def test_every_command_of_a_picture_ends_before_its_words(
    made: tuple[StudyPlan, Path, dict[str, CellResult]],
) -> None:
    """TeX would read "\\selectfontsteps" as one command."""
    _, folder, _ = made
    for path in folder.glob("figures/*.pgf"):
        assert set(re.findall(r"\\selectfont(.)", path.read_text())) <= set(" \\}{"), path.name


def test_every_citation_is_in_the_literature(
    made: tuple[StudyPlan, Path, dict[str, CellResult]],
) -> None:
    _, folder, _ = made
    groups = re.findall(r"\\cite\{([^}]*)\}", (folder / "setting.tex").read_text())
    known = re.findall(r"^@\w+\{([^,]*),", (folder / "references.bib").read_text(), re.M)
    assert groups
    assert {key for group in groups for key in group.split(",")} == set(known)


DOCUMENT = r"""\documentclass[twocolumn]{article}
\usepackage[margin=0.65in]{geometry}
\usepackage{booktabs,tabularx,graphicx,amsmath,amssymb,import,pgf}
\begin{document}
\subimport{FOLDER/}{section}
FIGURES
\bibliographystyle{plain}
\bibliography{FOLDER/references}
\end{document}
"""


@pytest.mark.processes
@pytest.mark.skipif(not (which("pdflatex") and which("bibtex")), reason="there is no LaTeX here")
def test_latex_takes_all_of_it_and_no_table_is_wider_than_its_place(
    made: tuple[StudyPlan, Path, dict[str, CellResult]], tmp_path: Path
) -> None:
    _, folder, _ = made
    shutil.copytree(folder, tmp_path / "study")
    pictures = sorted(path.name for path in folder.glob("figures/*.pgf"))
    inputs = (
        rf"\begin{{figure*}}\input{{study/figures/{name}}}\end{{figure*}}\clearpage"
        for name in pictures
    )
    text = DOCUMENT.replace("FOLDER", "study").replace("FIGURES", "\n".join(inputs))
    (tmp_path / "paper.tex").write_text(text)
    for command in ("pdflatex", "bibtex", "pdflatex", "pdflatex"):
        options = ["-interaction=nonstopmode", "-halt-on-error"] if command == "pdflatex" else []
        ran = subprocess.run(
            [command, *options, "paper"], cwd=tmp_path, capture_output=True, text=True
        )
        assert ran.returncode == 0, ran.stdout[-2000:]
    log = (tmp_path / "paper.log").read_text(errors="replace")
    assert "undefined" not in log
    wide = [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)]
    assert max(wide, default=0) < 20, wide


def test_tables_have_the_rules_of_booktabs_and_the_numbers_of_the_results(
    made: tuple[StudyPlan, Path, dict[str, CellResult]],
) -> None:
    plan, _, done = made
    tables = {table.stem: table for table in tables_of(plan, done)}
    assert list(tables) == ["tuning", "comparison", "rates", "verdicts"]
    for table in tables.values():
        text = latex(table)
        assert [text.count(rule) for rule in (r"\toprule", r"\midrule", r"\bottomrule")] == [1] * 3
        assert text.count(r"\\") == len(table.frame) + 1
    (fact,) = (f for f in done["comparison"].facts if isinstance(f, ContestFacts))
    told = tables["comparison"].frame
    assert told["row"].tolist() == [one.row for one in fact.standings]
    assert told["error"].astype(float).tolist() == pytest.approx(
        [one.error for one in fact.standings], rel=5e-3
    )
    rates = [v for r in done.values() for v in r.verdicts if v.kind is CheckKind.RATE]
    shown = tables["rates"].frame["exponent"].str.split().str[0].astype(float)
    assert shown.tolist() == pytest.approx([v.statistic for v in rates], rel=5e-3)


def test_the_standings_are_those_of_the_kept_replicas(
    made: tuple[StudyPlan, Path, dict[str, CellResult]],
) -> None:
    _, _, done = made
    *_, ends = done["comparison"].curves
    errors = {line.name: line.y for line in ends.lines}  # type: ignore[union-attr]
    (fact,) = (f for f in done["comparison"].facts if isinstance(f, ContestFacts))
    best, other = fact.standings
    assert best.error == pytest.approx(float(np.mean(errors[best.row])))
    assert other.p == pytest.approx(paired(errors[other.row], errors[best.row], 1))


def test_a_record_is_json_without_numbers_that_are_none(
    made: tuple[StudyPlan, Path, dict[str, CellResult]],
) -> None:
    plan, folder, done = made
    told = json.loads((folder / "study.json").read_text(), parse_constant=lambda word: 1 / 0)
    whole = FinishedStudy(plan, done, folder, (folder / "study.json",)).record()
    hold("study", json.loads(json.dumps(whole)))
    assert len(told["verdicts"]) == sum(len(result.verdicts) for result in done.values())
    assert told["plan"]["rows"] == ["qsgd"]
