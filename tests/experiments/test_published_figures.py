"""Published figures made again: quick ones here, and spoilt runs are told."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from algorithms.collectives.binary_tree import BinaryTree
from algorithms.compressors.rand_k import RandK
from algorithms.memories.base import NoMemory
from algorithms.methods.drift.fednova import FedNova
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.parts.age_rules import Younger
from algorithms.methods.variance_reduced.marina import Marina
from algorithms.topologies.base import Topology
from algorithms.topologies.path import Path as Chain
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from experiments.figures.reproduced_figure import reproduced_figure
from experiments.figures.reproduction import Reproduction
from experiments.figures.style import styled, svg
from experiments.published.figure import (
    CostClass,
    PublishedFigure,
    Request,
    published_figures,
)
from tests.experiments.test_cli import rateproof
from theory.claims import Confidence
from theory.stepsizes import ConstantStep, Stepsize

NEEDS_MORE = {
    "alistarh2017-theorem32", "gorbunov2021-marina", "ho2013-ssp", "karimireddy2019-scaffold",
    "levin1976-delay", "maranjyan2025-ringmaster", "mishchenko2022-communication",
    "richtarik2021-ef21", "shi2014-extra", "smith2018-fig1", "stich2019-fig2",
    "takezawa2023-base", "tang2018-fig1", "vogels2021-relay", "wang2020-inconsistency",
}  # fmt: skip
"""Quick figures of more than a second or two, for a slow run of the tests."""

LINE = "rateproof figures --cost quick"
"""The command of the page of commands, which nothing else runs."""


def published_quick() -> dict[str, PublishedFigure]:
    """Those of seconds, in the order of the command."""
    return {n: one for n, one in published_figures().items() if one.cost is CostClass.QUICK}


def found(name: str) -> Reproduction:
    """What a figure gives."""
    return published_figures()[name].measure(Request(Path()))


def faulty(name: str, monkeypatch: pytest.MonkeyPatch, part: str, wrong: object) -> Reproduction:
    """What it gives with a part of its file replaced."""
    module = published(name)
    assert getattr(module, part) is not wrong
    monkeypatch.setattr(module, part, wrong)
    return found(name)


NOT_REPRODUCED = {"shi2019-mgwfbp": "drawn steps"}
"""Figures whose claim does not hold, and the quantity that is furthest off."""


@pytest.mark.slow
@pytest.mark.processes
def test_the_command_of_the_page_makes_every_quick_figure(tmp_path: Path) -> None:
    """Those that take more than a second or two among them."""
    ended = rateproof(*LINE.split()[1:], cwd=tmp_path)
    assert "Traceback" not in ended.stderr, ended.stderr
    assert ended.returncode == 1, ended.stderr  # one does not reproduce
    told = dict(re.findall(r"^ *[\d.]+ s  (\S+): (.*)$", ended.stdout, re.MULTILINE))
    assert list(told) == list(published_quick())
    good = len(told) - len(NOT_REPRODUCED)
    assert ended.stdout.endswith(f"{good} reproduced, {len(NOT_REPRODUCED)} not reproduced\n")
    for name, verdict in told.items():
        if name in NOT_REPRODUCED:
            assert verdict.startswith("not reproduced, by ") and NOT_REPRODUCED[name] in verdict
        else:
            assert verdict == "reproduced", name
        made = tmp_path / "report" / "figures" / name.replace("-", "_")
        assert b"<svg" in made.with_suffix(".svg").read_bytes()
        assert made.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
        head, *points = made.with_suffix(".csv").read_text().splitlines()
        assert points and {"panel", "kind", "name", "y"} <= set(head.split(","))


@pytest.mark.parametrize("name", sorted(published_quick().keys() - NEEDS_MORE))
def test_a_quick_figure_is_made_again_and_drawn(name: str) -> None:
    again = found(name)
    if name in NOT_REPRODUCED:
        assert again.verdict.startswith("not reproduced, by ")
        assert NOT_REPRODUCED[name] in again.verdict
    else:
        assert again.verdict == "reproduced", again.verdict
    with styled():
        figure = reproduced_figure(again.drawing(published_figures()[name].title))
        assert b"<svg" in svg(figure)
    points = list(again.drawing("").points())
    assert points and {"panel", "kind", "name", "y"} <= set(points[0])


def test_there_are_thirty_figures_with_what_decides_on_them() -> None:
    figures = published_figures()
    assert len(figures) >= 30
    for name, one in figures.items():
        module = import_module(f"experiments.published.{name.replace('-', '_')}")
        assert f"figure {one.alias or name}``" in (module.__doc__ or ""), name
        assert one.criterion and not one.criterion.endswith("."), name


def test_numbers_from_memory_never_decide() -> None:
    again = found("nccl2019-trees")
    (blog,) = (n for n in again.numbers if n.confidence is Confidence.MEMORY)
    assert not blog.met and not blog.gate and again.reproduced


_SHARES = (0.25, 0.1, 0.05, 0.01, 0.001)

SPOILT: tuple[tuple[str, str, Callable[[Any], Any], str], ...] = (
    ("koloskova2019-table1", "_MAKE", lambda right: {**right, "ring": Torus.square}, "ring, n"),
    ("horvath2019-fig1", "_OPERATOR", lambda _: _other("terngrad", "TernGrad"), "omega"),
    ("alistarh2017-lemma31", "QSGD", lambda right: lambda s: right(s + 1), "s = 1"),
    ("wang2018-corollaries", "QSGD", lambda right: lambda s: right(s + 1), "QSGD(s=2)"),
    ("suresh2017-fig1", "Rotated", lambda _: lambda inner: inner, "rotated"),
    ("cvx-laplacian", "eight_nodes", lambda right: lambda *_: right(), "rho, FDLA"),
    ("ying2021-prop1", "OnePeerExponential", lambda _: Ring, "one peer"),
    ("shi2020-messages", "_SMALL", lambda right: 1.02 * right, "16 KiB"),
    ("ouyang2020-table1", "_EPOCHS", lambda _: 100, "images a second"),
    ("tang2020-table3", "_ROWS", lambda right: _trees_for_rings(right), "ring"),
    ("boyd2006-section4", "Complete", lambda _: Ring, "complete graph"),
    ("kempe2003-pushsum", "ratios", lambda _: lambda state: state.s, "push-sum"),
    ("mishchenko2019-theorem2", "_STEP", lambda right: replace(right, gamma=0.005), "DIANA"),
    ("karimireddy2019-counterexamples", "ErrorFeedback", lambda _: NoMemory, "EF-signSGD"),
    ("karimireddy2019-span", "ErrorFeedback", lambda _: NoMemory, "EF-signSGD"),
    ("vogels2019-powersgd", "_RANK", lambda _: 4, "rank"),
    ("ivkin2019-sketch", "_WIDTH", lambda _: 4, "heavy"),
    ("shi2019-theorem1", "TopK", lambda _: _first_k, "top-k under"),
    ("goujaud2022-examples", "_EPS", lambda _: 0.2, "inexact GD"),
    ("zhang2015-stability", "simulated", lambda right: lambda b, x, y: right(b, x, 2 * y), "alpha"),
    ("lin2018-table", "sparsity_warm_up", lambda right: lambda n: right(n, _SHARES), "warm-up"),
    ("chen2016-backup", "BackupWorkers", lambda right: lambda b: right(b // 2), "1 backups"),
    ("nccl2019-trees", "_GPUS", lambda _: 8, "ring, 4096"),
    ("nccltests2018-bandwidth", "DoubleTree", lambda _: BinaryTree, "broadcast"),
    ("mikami2018-grids", "Hierarchical", lambda right: lambda n, k: right(n, 4 * k), "groups"),
    ("sergeev2018-scaling", "_RESNET_101", lambda _: (3, 4, 6, 3), "parameters"),
    ("shi2020-models", "WORKLOADS", lambda right: {**right, "bert-base": right["bert-large"]}, ""),
)  # fmt: skip
"""Figure, the part of its file that is spoilt, how, and a quantity that must miss."""

SPOILT_SINCE: tuple[tuple[str, str, Callable[[Any], Any], str], ...] = (
    ("mishchenko2022-communication", "Scaffnew", lambda _: _never_corrected, "meetings at p"),
    ("takezawa2023-base", "_graph", lambda right: lambda n, k: right(n, k + 1), "neighbours of"),
    ("shi2014-extra", "_extra", lambda _: _gossip, "EXTRA, stepsize 0.1: error"),
    ("wang2020-inconsistency", "_METHOD", lambda _: _unnormalised, "FedNova, eta = 0.001"),
    ("richtarik2021-ef21", "_new", lambda _: published("richtarik2021-ef21")._old, "EF21, step"),
    ("gorbunov2021-marina", "_MARINA", lambda _: _rarely_full, "MARINA: rounds"),
    ("maranjyan2025-ringmaster", "_rule", lambda _: lambda _: Younger(), "Ringmaster: mean"),
    ("vogels2021-relay", "_relay", lambda _: lambda gamma, n: _gossip(gamma, Chain(n)), "RelaySGD"),
    ("karimireddy2019-scaffold", "_scaffold",
     lambda _: published("karimireddy2019-scaffold")._fedavg, "SCAFFOLD, K = 10, of SGD"),
)  # fmt: skip
"""The same of methods since the surveys: the rule that was there before, or the correction that is
computed and never applied; every one runs its figure again, some seconds each."""


def published(name: str) -> Any:
    """The module of a figure."""
    return import_module(f"experiments.published.{name.replace('-', '_')}")


def _never_corrected(step: Stepsize, p: float) -> LocalSGD:
    """Local steps as rarely averaged, with shifts that stay 0."""
    return LocalSGD(step, round(1 / p))


def _gossip(gamma: float, topology: Topology) -> DPSGD:
    return DPSGD(ConstantStep(gamma), topology)


def _unnormalised(step: Stepsize, local: tuple[int, ...], *, normalised: bool) -> FedNova:
    return FedNova(step, local, normalised=False)


def _rarely_full(step: Stepsize, Q: RandK) -> Marina:
    """Full gradients with probability (k/d)^2 in the place of k/d."""
    return Marina(step, Q, refresh=Marina(step, Q).probability(96, 1) ** 2)


def _other(module: str, name: str) -> Any:
    return getattr(import_module(f"algorithms.compressors.{module}"), name)()


def _trees_for_rings(right: Any) -> Any:
    """A tree's messages under the name of a ring."""
    return {**right, "ring": (right["binary tree"][0], *right["ring"][1:])}


def _first_k(k: int) -> Any:
    return RandK(k, scaled=False)


@pytest.mark.parametrize(
    ("name", "part", "spoil", "missed"),
    [*SPOILT, *(pytest.param(*one, marks=pytest.mark.slow) for one in SPOILT_SINCE)],
)
def test_a_spoilt_run_is_told(
    name: str, part: str, spoil: Callable[[Any], Any], missed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = faulty(name, monkeypatch, part, spoil(getattr(published(name), part)))
    assert again.verdict.startswith("not reproduced, by "), again.verdict
    misses = [n.quantity for n in again.numbers if n.gate and not n.met]
    assert any(missed in quantity for quantity in misses), misses
