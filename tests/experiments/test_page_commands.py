"""Every command that README, the page of commands, tutorial and the page on training show is run,
as a user runs it, and what pages show of their output is what they print.

In a folder with what the lines name: ``mine.py``, a study, weights, data in the published form.
What would take minutes is run with a row of few checks, or fewer rows or steps (``SHORTER``), and
two agents of torchrun as one, which ``test_launch.py`` does with two; ``make survey`` and ``make
test`` are not started from within a test.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.experiments.calls import HANGS
from tests.experiments.predictions.made import write
from tests.experiments.study.test_own_study import LINE as OWN_STUDY
from tests.experiments.test_cli import rateproof
from tests.experiments.test_docs import HOUSE, blocks
from tests.experiments.test_figure import folder
from tests.experiments.test_published_figures import LINE as FIGURES

pytestmark = [pytest.mark.slow, pytest.mark.processes]

MINE = '''
import numpy as np
import torch

import rateproof
from algorithms.compressors.qsgd import QSGD

THING = QSGD(4)


def compress(x):
    """Each entry with probability 1/2, doubled."""
    return 2 * x * (np.random.rand(*x.shape) < 0.5)


def task(n):
    x = torch.randn(40, 3, generator=torch.Generator().manual_seed(0))
    net = torch.nn.Linear(3, 1)
    return rateproof.module_problem(
        net, torch.nn.functional.mse_loss, x, x.sum(1, keepdim=True), n=n, batch=2
    )


PROBLEM = task(4)


class OfItsSize(torch.nn.Module):
    """As many parameters as ResNet-50."""

    def __init__(self):
        super().__init__()
        self.all = torch.nn.Parameter(torch.zeros(25_557_032))

    def forward(self, x):
        return x + self.all.sum()


PAIR = OfItsSize(), torch.ones(1)
'''

STUDY = """
[grid]
row = ["bsp-sgd", "qsgd"]
problem = "quadratic-sc"
n = 4
steps = 20
seed = [0, 1]
"""

SHORTER = (
    ("survey --preset quick --out report", "survey --preset quick --out report --row fedyogi"),
    ("check top-k", "check fedyogi"),
    ("--target 0.1", "--target 0.1 -T 100 -n 8"),
    ("figure lag --data FOLDER", "figure lag --data FOLDER -n 9"),
    ("rateproof crossval", "rateproof crossval --row qsgd"),
    ("--nnodes 2 --nproc-per-node 2 ... -m", "--standalone --nproc-per-node 2 -m"),
    ("--row all --task mlp", "--row bsp-sgd --row torch:fp16 --task mlp"),
    ("-T 100 --seeds 3", "-T 3 --seeds 1"),
    ("-T 3000", "-T 600"),
    ("--budget 20", "--budget 10"),
    ("conjecture gossip-local-sparse --budget 80", "conjecture gossip-sparse --budget 20"),
    ("--against qsgd", "--against qsgd --quick"),
    ("power top-k", "power fedyogi --mutants 2 --seconds 5"),
)

REFUTED = ("figure lag --data FOLDER",)  # made data are not the published ones
"""What ends with code 1, as its page says or must be; everything else with 0."""

TOLD = {
    "list": "147 of the surveys, ",
    "run qsgd": "plot: report/runs/qsgd-logreg-breast-cancer-n16-T2000-seed0.png",
    "compare d-psgd choco-sgd qsgd": " worse",
    "rate local-sgd": "exponent of H",
    "sweep": "4 runs in ",
    "study": "written: study/index.html",
    "check top-k": " supported, ",
    "check mine:THING": "proved, 6 supported",
    "power top-k": "faults seen; ",
    "topologies -n 16": "hypercube(n=16)",
    "topologies --weights fdla": "n = 8, weights FDLA",
    "topologies --matrix": "2 proved, 1 agrees, 1 supported",
    "audit mine:compress": "class: unbiased",
    "audit mine:top_tenth": "hidden in silence",
    "audit torch:fp16": "refuted",
    "audit mine:METHOD": "SCAFFOLD: a method",
    "conjecture": "CONJECTURE, not proved",
    "figures --list": "alistarh2017-lemma31",
    "figure lag": "not reproduced",
    "figure mishchenko2022-communication": "reproduced when at p = 1/sqrt(kappa)",
    "survey": "report: ",
    "table IV": "PS, BSP, Null, convex",
    "assumptions": "zeta2",
    "theorem": "bound: ",
    "refute": "survived",
    "question": "heterogeneity",
    "worst-case": "plot: worst/worst-spectral.png",
    "cite": "@inproceedings{koloskova2019decentralized",
    "errata": "E1 ",
    "timeline": "plot: report/timelines/",
    "predict fig4": "252 predictions: predictions.csv",
    "advise": "mg-wfbp",
    "scaling": "4096",
    "calibrate": "written: cluster.toml",
    "crossval": "qsgd",
    "train": "times shorter",
    "serve": "replay",
}
"""What is printed, by how the command begins."""

PAGES = ("README.md", "docs/commands.md", "docs/tutorial.md", "docs/training.md")
LINES = tuple(
    dict.fromkeys(
        shlex.join(shlex.split(line, comments=True))
        for page in PAGES
        for block in blocks(page, "sh")
        for line in block.splitlines()
        if not line.startswith("make ")
    )
)
"""Commands of the pages, without their comments; one that stands on two pages once."""

ELSEWHERE = (OWN_STUDY, FIGURES)
"""Commands that the tests of what they write run as they stand here."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A user's folder."""
    (owned,) = (block for block in blocks("docs/tutorial.md") if "def top_tenth" in block)
    method = next(one for one in blocks("docs/audit-methods.md") if "METHOD =" in one)
    (tmp_path / "mine.py").write_text(owned + MINE + method, encoding="utf-8")
    (tracking,) = blocks("docs/tutorial.md", "py")
    (tmp_path / "tracking.py").write_text(tracking, encoding="utf-8")
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    (tmp_path / "my_weights.csv").write_text("0.5,0.5\n0.5,0.5\n", encoding="utf-8")
    (tmp_path / "FOLDER").mkdir()
    folder(tmp_path / "FOLDER")
    write(tmp_path / "FOLDER")
    return tmp_path


def done(line: str, home: Path) -> subprocess.CompletedProcess[str]:
    for long, short in SHORTER:
        line = line.replace(long, short)
    program, *words = shlex.split(line, comments=True)
    if program == "rateproof":
        return rateproof(*words, cwd=home)
    assert program == "torchrun"
    return subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", *words],
        cwd=home,
        env=os.environ | {"PYTHONPATH": str(HOUSE), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=HANGS,
    )


@pytest.mark.parametrize("line", [line for line in LINES if line not in ELSEWHERE])
def test_a_command_of_a_page_does_what_it_says(line: str, home: Path) -> None:
    ended = done(line, home)
    command = re.sub(r"^(torchrun .*-m experiments\.launch|rateproof) ", "", line)
    told = ended.stdout + ended.stderr
    assert ended.returncode == (1 if command.startswith(REFUTED) else 0), told
    assert "Traceback" not in ended.stderr, told
    (expected,) = [text for start, text in TOLD.items() if command.startswith(start)]
    assert expected in ended.stdout, told


SESSIONS = [
    session
    for page in ("README.md", "docs/tutorial.md")
    for session in re.findall(
        r"^```\n\$ (rateproof [^\n]*)\n(.*?)^```",
        (HOUSE / page).read_text(encoding="utf-8"),
        flags=re.DOTALL | re.MULTILINE,
    )
]
"""Commands that a page shows with lines of what they print; ``...`` stands for more."""


@pytest.mark.parametrize(("line", "printed"), SESSIONS)
def test_a_command_prints_what_its_page_shows(
    line: str, printed: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ended = done(line, home)
    assert ended.returncode == 0, ended.stderr
    lines = [one.rstrip() for one in ended.stdout.splitlines()]
    missing = [one for one in printed.splitlines() if one != "..." and one not in lines]
    assert missing == [], ended.stdout


def test_pages_show_three_commands_with_what_they_print() -> None:
    assert [line.split()[1] for line, _ in SESSIONS] == ["errata", "table", "theorem"]


def test_the_commands_that_are_run_elsewhere_are_there() -> None:
    assert set(ELSEWHERE) <= set(LINES)


def test_every_shortening_is_of_a_line_that_is_there() -> None:
    assert all(any(long in line for line in LINES) for long, _ in SHORTER)
