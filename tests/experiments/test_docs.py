"""What the documents tell a new user to paste does what they say."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer.main

import rateproof
from experiments import launch
from experiments.cli.main import app
from proofs_check.verdict import MEANINGS, Outcome
from tests.experiments.calls import HANGS
from theory.survey.rows import SURVEYS

pytestmark = pytest.mark.processes

HOUSE = Path(__file__).absolute().parents[2]


def blocks(page: str, language: str = "python") -> list[str]:
    """The blocks of a Markdown page in a language."""
    text = (HOUSE / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def paste(page: str) -> dict[str, Any]:
    """Run a page's blocks in one session; what the session holds at the end."""
    session: dict[str, Any] = {"__name__": "__session__"}
    for number, block in enumerate(blocks(page), start=1):
        exec(compile(block, f"{page}, block {number}", "exec", dont_inherit=True), session)
    return session


def test_tutorial_runs_and_shows_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    session = paste("docs/tutorial.md")
    told = capsys.readouterr().out
    good, bad = told.split("bound at the end:")
    assert "proved | exact enumeration" in good
    assert "refuted" not in good
    assert "refuted | exact enumeration" in bad
    assert "refuted | Monte Carlo" in bad
    single = session["single"]
    assert single.curves().mean[-1] < single.bound[-1]
    assert all(path.stat().st_size > 10_000 for path in session["files"])


def test_readme_says_what_verdicts_mean_in_the_words_of_the_code() -> None:
    text = (HOUSE / "README.md").read_text(encoding="utf-8")
    table = text.split("| verdict | meaning |\n|---|---|\n")[1].split("\n\n")[0]
    lines = [tuple(line.strip("| ").split(" | ")) for line in table.splitlines()]
    assert lines == [(outcome.value, meaning) for outcome, meaning in MEANINGS.items()]
    assert list(MEANINGS) == list(Outcome)


def test_readme_lines_run(capsys: pytest.CaptureFixture[str]) -> None:
    session = paste("README.md")
    single = session["single"]
    measured, bound = single.curves().mean[-1], single.bound[-1]
    assert 0 < measured < bound
    assert str(bound) in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.sharded
def test_a_model_of_ones_own_trains_on_two_ranks(tmp_path: Path) -> None:
    """The script in docs/training.md under torchrun: 5% of 101 floats, with positions, is 10 times
    less.
    """
    text = (HOUSE / "docs/training.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"^```py\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    (tmp_path / "train.py").write_text(script)
    words = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "train.py"]
    done = subprocess.run(
        [sys.executable, *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(HOUSE), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=HANGS,
    )
    assert done.returncode == 0, done.stderr
    told = re.findall(r"rank (\d): loss (\S+); 300 steps, 0 skipped", done.stdout)
    assert sorted(rank for rank, _ in told) == ["0", "1"]
    assert all(float(loss) < 20 for _, loss in told)  # about 100 at the start
    message = 6 * (32 + 7)  # ceil(5% of 101) values with their positions
    assert f"{300 * message} bits sent" in done.stdout
    assert f"{32 * 101 / message:.3g} times less" in done.stdout


def test_the_study_of_the_page_on_sweeps_runs_and_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one seed, size, length and tuning; the page's lines read what it leaves."""
    monkeypatch.chdir(tmp_path)
    (text,) = blocks("docs/sweeps.md", "toml")
    study = tomllib.loads(text)
    full = study["grid"]
    one = {"n": 4, "steps": 20, "seed": 1, "tuning": "theorem"}
    study["grid"] = full | one
    rateproof.sweep(study | {"replicas": 2, "records": 3}, out="report/sweeps/study")
    session = paste("docs/sweeps.md")
    runs = session["frame"].groupby(["row", "problem", "n"], observed=True)
    places = len(full["row"]) * len(full["problem"])
    assert len(runs) == len(session["best"]) == places
    assert set(session["best"]["row"]) == set(full["row"])
    assert (session["best"].iloc[:, -1] > 0).all()


def test_what_users_do_with_ddp_is_shown_by_tests_that_are_there() -> None:
    text = (HOUSE / "docs" / "training.md").read_text(encoding="utf-8")
    table = text.split("| what | with a hook | shown by |\n")[1].split("\n\n")[0].splitlines()[1:]
    for line in table:
        file, _, name = line.rsplit("`", 2)[1].partition("::")
        assert f"\ndef {name}(" in (HOUSE / file).read_text(encoding="utf-8"), line
    assert len(table) > 15


PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    "docs/commands.md",
    "docs/tutorial.md",
    "docs/training.md",
]
DECISIONS = [
    f"docs/decisions/{path.name}" for path in sorted((HOUSE / "docs/decisions").glob("*.md"))
]


@pytest.mark.parametrize("page", PAGES)
def test_commands_that_pages_show_are_understood(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their names, arguments and options; ``test_page_commands.py`` runs them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "FOLDER").mkdir()
    for name in ("study.toml", "my_weights.csv"):
        (tmp_path / name).touch()
    lines = [line for block in blocks(page, "sh") for line in block.splitlines()]
    words = [shlex.split(line, comments=True) for line in lines]
    understood = 0
    for door, start in ((app, "rateproof"), (launch.app, "experiments.launch")):
        commands = typer.main.get_command(door).commands  # type: ignore[attr-defined]
        mine = [line[line.index(start) + 1 :] for line in words if start in line]
        for name, *options in mine:
            with commands[name].make_context(name, options):
                understood += 1
    assert understood


def test_every_block_of_the_documents_is_of_a_language_that_is_tested() -> None:
    tested = {
        "README.md": {"python", "sh", ""},  # without a language: what a block prints
        "docs/commands.md": {"sh"},
        "docs/install.md": {"sh"},
        "docs/questions.md": {"python", "csv", ""},  # by tests/experiments/test_answers.py
        "CONTRIBUTING.md": {"python", "sh", "tsv"},  # followed by tests/test_contributing.py
        "docs/tutorial.md": {"py", "python", "sh", ""},  # py: run by study/test_own_study.py
        "docs/sweeps.md": {"python", "toml"},
        "docs/training.md": {"py", "python", "sh"},  # py: run on ranks; python: a fragment
        "docs/refute.md": {"python"},
        "docs/testing.md": {"python"},  # run by tests/experiments/testing/test_testing.py
        "docs/audit-methods.md": {"python"},
    }
    for path in (HOUSE / "README.md", HOUSE / "CONTRIBUTING.md", *(HOUSE / "docs").rglob("*.md")):
        page = path.relative_to(HOUSE).as_posix()
        opened = re.findall(r"^ *```(\w*)", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert set(opened[::2]) <= tested.get(page, set()), page


@pytest.mark.parametrize("page", [*PAGES, *DECISIONS])
def test_links_and_files_that_pages_name_exist(page: str) -> None:
    text = (HOUSE / page).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    text = re.sub(r"New file `[^`]*`", "", text)  # of an example
    rooms = "theory|algorithms|proofs_check|experiments|docs|tests|benchmarks"
    paths = re.findall(rf"`((?:{rooms})/[\w/.]*)`", text)
    made = (HOUSE / ".gitignore").read_text(encoding="utf-8").split()  # by a command, not kept
    kept = [path for path in paths if f"/{path}" not in made]
    named = {*((HOUSE / page).parent / link for link in links), *(HOUSE / path for path in kept)}
    assert named or page in DECISIONS
    assert [str(path) for path in named if not path.exists()] == []


def test_decisions_are_listed_by_topic_and_say_since_when_and_why() -> None:
    index = (HOUSE / "docs/decisions/index.md").read_text(encoding="utf-8")
    topics = {*DECISIONS} - {"docs/decisions/index.md"}
    listed = re.findall(r"^- \[[^\]]+\]\(([\w-]+\.md)\)", index, flags=re.MULTILINE)
    assert {f"docs/decisions/{name}" for name in listed} == topics
    for topic in topics:
        for entry in (HOUSE / topic).read_text(encoding="utf-8").split("\n## ")[1:]:
            assert re.search(r"\n\*(In force|Replaced) .*\d{4}", entry), (topic, entry)
            for part in ("Decision", "Reason", "What would change it"):
                assert f"\n- **{part}.** " in entry, (topic, entry)


def test_the_readme_is_read_in_a_few_minutes() -> None:
    assert len((HOUSE / "README.md").read_text(encoding="utf-8").splitlines()) < 120


def test_the_readme_names_the_surveys() -> None:
    text = (HOUSE / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^- (\d{3}): ", text, flags=re.MULTILINE) == list(SURVEYS)
    for _, source in SURVEYS.values():
        assert source.arxiv in text
