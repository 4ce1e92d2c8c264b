"""``rateproof cite``: what a row, a theorem, a problem used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import rateproof
from algorithms.catalogue import FORMS, PROBLEMS, ROWS, ProblemEntry
from algorithms.problems import absolute_data, bundled
from experiments.reporting.citing import cite
from tests.experiments.calls import call, refuse
from theory.arrays import Floats
from theory.survey.references import REFERENCES, read_bibtex, references_for


def keys(*names: str) -> set[str]:
    """Keys of what is cited."""
    return {one.reference.key for one in cite(names).citations}


def test_a_row_is_cited_with_its_theorems_operators_and_surveys() -> None:
    """CHOCO-SGD: both of its papers, top-k's, the survey's (reference [164] and [214] there)."""
    found = keys("choco-sgd")
    assert {"koloskova2019decentralized", "koloskova2020decentralized"} <= found
    assert {"stich2018sparsified", "tang2020communicationefficientb"} <= found
    assert "alistarh2017qsgd" in keys("qsgd")
    assert keys("lag:ps") >= keys("lag") - {"tang2020communicationefficientb"}


def test_every_row_form_and_theorem_can_be_cited() -> None:
    for row in (*ROWS, *FORMS.values()):
        found = cite([row.key])
        assert any("the method" in why for one in found.citations for why in one.why), row.key
        surveys = any("survey 00" in why for one in found.citations for why in one.why)
        assert surveys is row.surveyed, row.key


def test_what_is_printed_is_bibtex() -> None:
    """Every line is a remark without an @, or of an entry that the reader takes."""
    text = str(cite([*(row.key for row in ROWS), "logreg-digits@sorted"]))
    remarks = [line for line in text.splitlines() if line.startswith("% ")]
    assert remarks and not any("@" in line for line in remarks)
    entries = "\n".join(line for line in text.splitlines() if not line.startswith("% "))
    assert len(read_bibtex(entries)) == len(remarks)


def test_a_theorem_is_cited_by_its_source_and_what_its_file_names() -> None:
    assert keys("subgradient_push") == {"nedic2016stochastic", "nedic2015distributed"}
    why = {one.reference.key: one.why for one in cite(["subgradient_push"]).citations}
    assert why["nedic2016stochastic"] == ("subgradient_push: source, main theorem",)


@pytest.mark.parametrize("entry", PROBLEMS, ids=lambda entry: str(entry.name))
def test_a_problem_is_cited_by_the_data_that_it_loads(
    entry: ProblemEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is read of scikit-learn's data while the problem is made is watched, not read off a
    name."""
    loaded: set[str] = set()
    real = bundled._read

    def watched(folder: Path, name: bundled.Name) -> tuple[Floats, Floats]:
        loaded.add(name.replace("_", "-"))
        return real(folder, name)

    monkeypatch.setattr(bundled, "_read", watched)
    for kept in (bundled.bundled, absolute_data._samples):  # another test may have asked before
        kept.cache_clear()
    entry.build(4)
    wanted = {one.key for name in loaded for one in references_for(f"data:{name}")}
    if loaded:
        wanted |= {one.key for one in references_for("data:scikit-learn")}
    assert len(wanted) == (len(loaded) + 1 if loaded else 0)
    assert keys(entry.name) == wanted


def test_the_command_prints_bibtex_and_json() -> None:
    code, out, _ = call("cite", "qsgd", "bsp_nonconvex", "logreg-digits")
    assert code == 0
    assert out.strip() == str(rateproof.cite("qsgd", "bsp_nonconvex", "logreg-digits"))
    assert "@misc{alpaydin1998optical,\n  author = {E. Alpaydin and C. Kaynak}," in out
    code, out, _ = call("cite", "qsgd", "--json")
    records = json.loads(out)
    assert code == 0 and records[0]["key"] == "alistarh2017qsgd"
    assert records[0]["author"][-1] == "Milan Vojnović" and records[0]["year"] == 2017
    assert records[0]["why"][0] == "qsgd: the method"


def test_data_sets_are_those_that_are_bundled() -> None:
    names = get_args(get_type_hints(bundled.bundled.__wrapped__)["name"])
    words = {word for one in REFERENCES for word in one.keywords if word.startswith("data:")}
    assert words == {f"data:{name.replace('_', '-')}" for name in (*names, "scikit-learn")}


def test_an_unknown_name_is_refused() -> None:
    refuse(("cite", "chocosgd"), "choco-sgd")
    with pytest.raises(ValueError, match="name a row, a theorem or a problem"):
        rateproof.cite()


def test_a_notebook_shows_one_line_a_paper_and_use() -> None:
    found = rateproof.cite("choco-sgd", "logreg-digits")
    assert len(found.frame) == sum(len(one.why) for one in found.citations)
    assert set(found.frame["key"]) == keys("choco-sgd", "logreg-digits")
    assert "Anastasia Koloskova" in found._repr_html_()
