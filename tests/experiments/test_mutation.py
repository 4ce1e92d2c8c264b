"""Mutants: what operators change, one switched on at a time, and what checks see of them."""

from __future__ import annotations

import ast
import faulthandler
import importlib
import json
import math
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from algorithms.core.key import Key
from experiments.cli.main import app
from experiments.closure.graph import DefinitionGraph
from experiments.closure.versions import ROOT
from experiments.mutation import judges, scores
from experiments.mutation.coverage import CompiledCode, compiled_functions
from experiments.mutation.drawing import LEFT_OUT, drawn, group, row_mutants
from experiments.mutation.judging import GenuineRun, JudgeOrder, RefutingCheck, watched
from experiments.mutation.processes import ProcessDied, forked
from experiments.mutation.schemata import MutantSwitch, MutatedModules, same
from experiments.mutation.sites import address, mutants, read_by_functions_alone
from experiments.mutation.standing import JudgedMutant, MutantStanding
from experiments.mutation.trial import MutationTrial, NoPassingCheck
from experiments.power import row_scores
from proofs_check.cell import CellKind
from proofs_check.methods.falling_steps import FallingStep
from proofs_check.row_coverage import cells_of
from proofs_check.suite import cells
from tests.experiments.calls import HANGS
from tests.experiments.test_cli import rateproof
from theory.stepsizes import ConstantStep

SOURCE = '''"""A module for mutants."""


def step(x, t, rule, key, n):
    """A step."""
    if n < 1:
        raise ValueError(f"n must be at least 1, got n={n - 1}")
    gamma = rule(t)
    noise = key.fold("noise", t)
    return x - gamma * (x.sum(dim=-1) + noise)


def index_bits(d):
    return (d - 1).bit_length()


def limit(tau):
    return 1 / (1 + 8 * tau**2)


def unused(x):
    return x + 1 if x else 0 * x
'''


@pytest.fixture
def module(tmp_path):
    file = tmp_path / "mutable_thing.py"
    file.write_text(SOURCE)
    return file


def test_operators_make_the_faults_of_the_field(module):
    found = {(m.kind, m.function, m.before, m.after) for m in mutants("mutable_thing", module)}
    assert {
        ("first stepsize kept", "step", "rule(t)", "rule(0)"),
        ("key one late", "step", "key.fold('noise', t)", "key.fold('noise', t + 1)"),
        ("key shared", "step", "key.fold('noise', t)", "key.fold('noise', 0)"),
        ("off by one in time", "step", "t", "t - 1"),
        ("axis", "step", "-1", "-2"),
        ("weight dropped", "step", "gamma * (x.sum(dim=-1) + noise)", "x.sum(dim=-1) + noise"),
        ("sign", "step", "x - gamma * (x.sum(dim=-1) + noise)",
         "x + gamma * (x.sum(dim=-1) + noise)"),
        ("index bits", "index_bits", "d - 1", "d"),
        ("bits", "index_bits", "(d - 1).bit_length()", "(d - 1).bit_length() + 1"),
        ("constant of a limit", "limit", "8", "4"),
        ("stepsize limit", "limit", "1 / (1 + 8 * tau ** 2)", "1 / (1 + 8 * tau ** 2) * 1.05"),
        ("exponent", "limit", "2", "4"),
    } <= found  # fmt: skip
    assert "n" not in {before for _, _, before, _ in found}  # a condition that only raises


def test_formulas_of_a_claim_are_changed_as_code_is(tmp_path):
    file = tmp_path / "mutable_claim.py"
    file.write_text(
        'THEOREM = claim("a claim", limit="1/L", bound="max(gamma*L, 2*sigma2)/n", note="1/L")\n'
    )
    found = {(m.kind, m.before, m.after) for m in mutants("mutable_claim", file)}
    bound = "'max(gamma*L, 2*sigma2)/n'"
    assert {
        ("constant of a limit", "'1/L'", "'2 / L'"),
        ("constant", bound, "'max(gamma * L, 4 * sigma2) / n'"),
        ("weight dropped", bound, "'max(L, 2 * sigma2) / n'"),
        ("comparison", bound, "'min(gamma * L, 2 * sigma2) / n'"),
        ("off by one in worker", bound, "'max(gamma * L, 2 * sigma2) / (n - 1)'"),
    } <= found  # fmt: skip
    assert not mutants("theory.theorems.mutable_claim", file)


def loaded(file: Path, every, switch):
    made = ModuleType(file.stem)
    finder = MutatedModules(dict(enumerate(every)), switch)
    assert finder.find_spec(file.stem, None) is not None
    finder.exec_module(made)
    return made


def test_one_mutant_is_switched_on_and_the_others_are_as_they_were(module):
    every = [m for m in mutants("mutable_thing", module) if m.function in ("limit", "unused")]
    switch = MutantSwitch()
    made = loaded(module, every, switch)
    assert made.limit(2) == 1 / 33 and made.limit(0) == 1.0
    assert {every[number].function for number in switch.reached} == {"limit"}
    changes = {(m.before, m.after): number for number, m in enumerate(every)}
    assert changes["8", "4"] in switch.told
    switch.active = changes["8", "4"]
    assert made.limit(2) == 1 / 17
    switch.active = changes["2", "4"]
    assert made.limit(2) == 1 / 129
    switch.active = -1
    assert made.limit(2) == 1 / 33


def test_a_value_that_is_the_right_one_everywhere_is_not_told(tmp_path):
    file = tmp_path / "mutable_edge.py"
    file.write_text("def above(a, b):\n    return 1.5 if a > b else -1.5\n")
    (one,) = (m for m in mutants("mutable_edge", file) if m.kind == "comparison")
    switch = MutantSwitch()
    made = loaded(file, [one], switch)
    assert one.after == "a >= b" and made.above(1, 2) == -1.5 and made.above(3, 2) == 1.5
    assert switch.reached == {0} and switch.told == set()
    made.above(1, 1)
    assert switch.told == {0}


def test_a_value_is_compared_in_the_largest_expression_without_effects(tmp_path):
    """A constant that is multiplied by 0 in all that is computed is the same; a call that may
    change something is not computed twice."""
    file = tmp_path / "mutable_wide.py"
    file.write_text(
        "def drift(c, x):\n    return abs(c.need('behind') ** 2) + x\n\n"
        "def told(log, x):\n    return log.append(2 * x)\n"
    )
    every = [m for m in mutants("mutable_wide", file) if m.before == "2"]
    switch = MutantSwitch()
    made = loaded(file, every, switch)
    numbers = SimpleNamespace(need=lambda name: 0.0)
    assert made.drift(numbers, 1.0) == 1.0
    exponents = {number for number, m in enumerate(every) if m.function == "drift"}
    assert exponents == switch.reached and switch.told == set()
    log: list[int] = []
    made.told(log, 3)
    assert log == [6] and switch.told == {n for n, m in enumerate(every) if m.function == "told"}
    switch.active = min(exponents)
    assert made.drift(SimpleNamespace(need=lambda name: 3.0), 0.0) in (3.0, 81.0)


def test_a_rule_that_notes_who_asks_is_asked_by_the_right_expression_alone(tmp_path):
    file = tmp_path / "mutable_rule.py"
    file.write_text("def size(rule, t):\n    return 2.0 * rule(t)\n")
    every = [m for m in mutants("mutable_rule", file) if m.kind == "first stepsize kept"]
    switch, noting = MutantSwitch(), FallingStep(1.0)
    made = loaded(file, every, switch)
    assert made.size(ConstantStep(0.5), 3) == 1.0 and switch.reached == {0} and not switch.told
    assert made.size(noting, 3) == 1.0 and noting.asked == [3] and switch.told == {0}


def test_a_wrong_key_is_told_once_something_is_drawn_under_it(tmp_path):
    file = tmp_path / "mutable_key.py"
    file.write_text("def step(key, t):\n    return key.fold('noise', t)\n")
    every = [m for m in mutants("mutable_key", file) if m.kind.startswith("key") or m.before == "t"]
    assert {m.kind for m in every} >= {"off by one in time", "key shared"}
    switch, key = MutantSwitch(), Key.seed(1)
    made = loaded(file, every, switch)
    found = made.step(key, 3).fold("part", 1)
    assert found == key.fold("noise", 3).fold("part", 1) and switch.told == set()
    rows = torch.arange(2), torch.arange(3)
    numbers = found.draws(*rows)
    assert len(switch.reached) == len(every) and switch.told == set()
    drawn_from = key.fold("noise", 3).fold("part", 1).draws(*rows).uniform(4, torch.float64)
    assert torch.equal(numbers.uniform(4, torch.float64), drawn_from)
    assert switch.told == switch.reached


def test_draws_for_wrong_rows_are_told_once_a_number_is_read(tmp_path):
    file = tmp_path / "mutable_draws.py"
    file.write_text("def rows(key, replicas, workers):\n    return key.draws(replicas, workers)\n")
    every = [m for m in mutants("mutable_draws", file) if m.before.startswith("key.draws")]
    switch, key = MutantSwitch(), Key.seed(1)
    right = key.draws(torch.arange(2), torch.arange(3))
    found = loaded(file, every, switch).rows(key, torch.arange(2), torch.arange(3))
    folded = found.fold("part")
    assert every and isinstance(folded, type(right)) and not switch.told
    assert torch.equal(folded.integers(7, 4), right.fold("part").integers(7, 4))
    assert switch.told == switch.reached == set(range(len(every)))


def test_a_constant_that_functions_alone_read_is_noted_where_it_is_read(tmp_path):
    file = tmp_path / "mutable_constant.py"
    file.write_text(
        "_GAP, OPEN = 2, 3\n_LIMIT = 4\n_DOUBLE = 2 * _LIMIT\n_OWN = 5\n\n"
        "def far(x):\n    if x > _OWN:\n        raise ValueError(x)\n    return x\n"
    )
    every = mutants("mutable_constant", file)
    alone = {m.before for m in every if read_by_functions_alone(m)}
    assert alone == {"2", "5"}  # nobody reads _DOUBLE; of _LIMIT another constant is made
    assert not [m for m in every if read_by_functions_alone(m) and not m.definition]
    own = [m for m in every if m.before == "5"]
    switch, made = MutantSwitch(), ModuleType(file.stem)
    finder = MutatedModules(dict(enumerate(own)), switch, frozenset(range(len(own))))
    assert finder.find_spec(file.stem, None) is not None
    finder.exec_module(made)
    assert made._OWN == 5 and switch.reached == set()
    assert made.far(1) == 1 and switch.told == set(range(len(own)))


def test_values_are_the_same_to_the_bit_and_of_one_type():
    nan, zero = torch.tensor([float("nan")]), torch.tensor([0.0])
    assert same(nan, nan.clone()) and not same(zero, -zero) and not same(zero, zero.double())
    assert same(0.0, 0.0) and same(math.nan, math.nan) and not same(0.0, -0.0)
    assert same(np.float32(1), np.float32(1)) and not same(np.float64(0.0), np.float64(-0.0))
    assert same(0j, 0j) and not same(complex(0.0, 0.0), complex(0.0, -0.0))
    assert same(np.arange(3), np.arange(3)) and not same(1, 1.0) and same((1, [2]), (1, [2]))


def test_a_draw_is_of_its_seed_and_no_mutant_comes_twice():
    one, again, other = (row_mutants("asp", seed, 60) for seed in (1, 1, 2))
    assert one == again != other and len(set(one)) == 60
    assert {group(m) for m in one} == {"parts", "loop", "theory", "costs", "compiled"}
    assert all(m.module.startswith(("theory.", "algorithms.")) for m in one)
    few = drawn(one[:5], "seed", 60)
    assert sorted(map(str, few)) == sorted(map(str, one[:5]))


def test_a_score_counts_faults_alone_and_is_kept(module, tmp_path, monkeypatch):
    monkeypatch.setattr(scores, "FILE", tmp_path / "scores.json")
    every = mutants("mutable_thing", module)
    outcomes = [
        JudgedMutant(mutant, standing, "why", 1.0)
        for mutant, standing in zip(every, MutantStanding, strict=False)
    ]
    found = scores.record(outcomes, 1)
    assert (found["seen"], found["faults"], len(found["unseen"])) == (3, 5, 4)
    assert scores.share(found) == "3 of 5 (60%)"
    survivor, unknown = scores.survivors(found)
    assert unknown["standing"] == "unknown"
    assert survivor["before"] == every[3].before and survivor["file"] == "mutable_thing.py"
    scores.keep("row", found)
    scores.keep("another", found)
    kept = {**found, "unseen": [one for one in found["unseen"] if one in (survivor, unknown)]}
    assert len(kept["unseen"]) == 2 and scores.stored() == {"row": kept, "another": kept}
    refuted, none = MutantStanding.REFUTED, MutantStanding.SAME
    again = [
        replace(one, standing=now) for one, now in zip(outcomes[3:5], (refuted, none), strict=True)
    ]
    renewed = scores.renewed(kept, again, "row")
    assert (renewed["seen"], renewed["faults"], scores.survivors(renewed)) == (4, 4, [])
    assert sum(seen for seen, _ in renewed["kinds"].values()) == 4
    assert renewed["outcomes"]["refuted"] == 2 and "survived" not in renewed["outcomes"]
    survivor["tests"] = "test_thing.py"
    still = scores.renewed(kept, outcomes[3:5], "row")
    assert [one.get("tests") for one in still["unseen"]] == ["test_thing.py", None]
    with pytest.raises(ValueError, match="not the survivors of row"):
        scores.renewed(kept, again[:1], "row")


def test_judges_that_see_more_for_their_seconds_are_asked_first():
    quick, slow, long = (
        GenuineRun(number, "", seconds, frozenset(), frozenset(), frozenset())
        for number, seconds in enumerate((1.0, 2.0, 30.0))
    )
    order = JudgeOrder()
    assert order.sort([long, slow, quick]) == [quick, slow, long]
    for _ in range(4):  # the quick one sees none of these, the slow one all
        order.learn((0, 1), saw=True)
    assert order.sort([long, quick, slow]) == [slow, quick, long]
    order.learn((2,), saw=False)
    assert order.sort([long, quick, slow])[-1] is long


def test_cells_of_all_short_kinds_come_before_a_second_of_one():
    every = cells_of("ef-signsgd", cells("quick"))
    turns = [cell.kind for cell in judges.by_turns(every)]
    assert sorted(turns) == sorted(cell.kind for cell in every)
    short = [kind for kind in turns if kind is not CellKind.EFFECT]
    assert turns == [*short, CellKind.EFFECT]
    kinds = set(short)
    none_runs = {CellKind.LIMIT, CellKind.PROOF, CellKind.CLOSED_FORM, CellKind.WATCHED}
    first = len(kinds - none_runs) + sum(kind in none_runs for kind in turns)
    assert set(turns[:first]) == kinds and turns.count(CellKind.RUN) > 5


def test_a_compiled_function_holds_what_it_calls_and_nothing_else(tmp_path):
    """Beside the calls that the source has: the blocks take parts by pointer."""
    file = tmp_path / "package" / "kernel.py"
    file.parent.mkdir()
    file.write_text(
        "HALF = 2\n\n@njit\ndef inner(x):\n    return x / HALF\n\n@njit\ndef outer(x):\n"
        "    return inner(x) + 1\n\n@njit\ndef apart(x):\n    return x + 3\n"
    )
    code = CompiledCode(DefinitionGraph({"package.kernel": file}))
    every = {m.before: m for m in mutants("package.kernel", file) if m.kind == "constant"}
    held = {
        before: [name for name in ("inner", "outer", "apart")
                 if code.holds(("package.kernel", name), mutant)]
        for before, mutant in every.items()
    }  # fmt: skip
    assert held == {"2": ["inner", "outer"], "1": ["outer"], "3": ["apart"]}
    other = mutants("mutable_thing", tmp_path / "package" / "kernel.py")[0]  # of the user's own
    assert code.holds(("mutable_thing", "any"), other)
    assert not code.holds(("package.kernel", "inner"), other)


def test_functions_that_are_compiled_are_found_by_their_definitions():
    numba = pytest.importorskip("numba")

    @numba.njit
    def doubled(x):
        return 2 * x

    name = (__name__, "test_functions_that_are_compiled_are_found_by_their_definitions")
    assert name in compiled_functions(used=False) - compiled_functions(used=True)
    assert doubled(2) == 4
    assert name in compiled_functions(used=True)


def test_drawn_rows_run_and_are_the_seed_s(tmp_path, monkeypatch):
    rows = row_scores.drawn_rows(1, 40)
    assert rows == row_scores.drawn_rows(1, 40) != row_scores.drawn_rows(2, 40)
    assert len(set(rows)) == 40 and row_scores.drawn_rows(1, 5) == rows[:5]
    monkeypatch.setattr(scores, "FILE", tmp_path / "scores.json")
    scores.keep(rows[0], {"seed": 1, "unseen": []})
    scores.keep(rows[1], {"seed": 2, "unseen": []})
    assert row_scores.unmeasured(1, 3) == rows[1:3]


OWN = """
from dataclasses import dataclass
from algorithms.codes.base import Field
from algorithms.compressors.base import Compressor
from theory import bits
from theory.claims import Contraction, Source


@dataclass(frozen=True)
class Halved(Compressor):
    @property
    def name(self):
        return "halved"

    def claims(self, d):
        return (Contraction(0.75, "3/4", Source("Example", 2020, "", ""), tight=True),)

    def layout(self, d, dtype):
        return (Field.floats("values", d, dtype),)

    def encode(self, x, draws):
        return (x / 2,)

    def decode(self, symbols, d, dtype, draws):
        return symbols[0]

    def stated_bits(self, d, float_bits):
        return bits.dense(d, float_bits)

    def idle(self, t):
        return t + 1


THING = Halved()
"""


@pytest.mark.slow
@pytest.mark.processes
def test_power_of_ones_own_compressor(tmp_path):
    (tmp_path / "mine.py").write_text(OWN)
    done = rateproof("check", "mine:THING", "--power", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["seen"] == found["faults"] - 2 > 5
    told = {(one["before"], one["after"]): one["standing"] for one in found["unseen"]}
    idle = [one["standing"] for one in found["unseen"] if one["function"] == "idle"]
    assert set(idle) == {"not computed by any check"}
    # what errs less than the claim allows is no false statement
    assert {change for change, standing in told.items() if standing == "survived"} == {
        ("x / 2", "1.05 * (x / 2)"), ("2", "1"),
    }  # fmt: skip


def test_what_cannot_be_mutated_is_told():
    for words, told in (
        (("power", "no-such-row"), "no-such-row"),
        (("power", "asp", "--mutants", "0"), "mutants must be at least 1"),
        (("power", "asp", "--seconds", "0"), "seconds must be positive"),
    ):
        done = CliRunner().invoke(app, list(words))
        assert done.exit_code == 2 and told in done.stderr


def test_each_reason_is_of_one_mutant_of_the_present_sources():
    reasons = [key for own in json.loads(scores.REASONS.read_text()).values() for key in own]
    found: Counter[str] = Counter()
    for file in {key.partition(":")[0] for key in reasons}:
        module = file.removesuffix(".py").replace("/", ".")
        changes = {key.rpartition(" #")[0].rpartition(": ")[2] for key in reasons}
        found.update(
            address(m) for m in mutants(module, ROOT / file)
            if f"{m.before} -> {m.after}" in changes
        )  # fmt: skip
    assert reasons and {key: found[key] for key in reasons} == dict.fromkeys(reasons, 1)


def test_alike_mutants_have_addresses_of_their_own(tmp_path):
    file = tmp_path / "mutable_pair.py"
    file.write_text("def pair(t):\n    if t < 1:\n        t = 2 * t\n    return (t, t)\n")
    every = [address(m) for m in mutants("mutable_pair", file)]
    assert len(set(every)) == len(every) > 8
    assert {"mutable_pair.py:pair: if t < 1:: t -> t - 1 #1",
            "mutable_pair.py:pair: t = 2 * t: 2 -> 1 #1",
            "mutable_pair.py:pair: return (t, t): t -> t + 1 #2"} <= set(every)  # fmt: skip


REMOVES = {"unlink", "rmtree", "rmdir", "remove_tree", "TemporaryDirectory", "mkdir", "makedirs"}


def test_modules_that_manage_files_have_no_mutants():
    """A wrong path there would change files that are not the trial's."""
    found = {
        ".".join(file.relative_to(ROOT).with_suffix("").parts)
        for package in ("theory", "algorithms") for file in (ROOT / package).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        and node.func.attr in REMOVES
    }  # fmt: skip
    assert found == set(LEFT_OUT)
    assert not {m.module for m in row_mutants("asp", 1, 300)} & set(LEFT_OUT)


@pytest.mark.processes
def test_a_process_leaves_nothing_and_ends_with_its_answer_or_by_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def where():
        (Path(tempfile.mkdtemp()) / "left").write_text("left")
        return tempfile.gettempdir(), os.environ["NUMBA_CACHE_DIR"]

    places = forked(where, 60.0)
    assert all(Path(place).is_relative_to(tmp_path) for place in places)
    assert list(tmp_path.iterdir()) == []
    assert forked(lambda: resource.getrlimit(resource.RLIMIT_CORE), 60.0) == (0, 0)
    assert forked(lambda: bytes(10**6), 60.0) == bytes(10**6)

    def ended(work, most=60.0, wait=None):
        with pytest.raises(ProcessDied) as told:
            forked(work, most, wait=wait)
        return told.value.signal

    assert ended(lambda: time.sleep(600), wait=0.5) == signal.SIGKILL
    assert ended(_broken) == signal.SIGSEGV
    assert ended(_turn, 0.1) == signal.SIGXCPU
    assert ended(lambda: sys.exit(3)) == 0
    assert list(tmp_path.iterdir()) == []

    def limited():
        resource.setrlimit(resource.RLIMIT_CPU, (3, 3))  # a hard limit of the shell
        return forked(lambda: resource.getrlimit(resource.RLIMIT_CPU), 1000.0)

    assert forked(limited, 100.0) == (3, 3)


@pytest.mark.processes
def test_kept_kernels_are_read_where_they_lie_in_a_process_in_a_process():
    pytest.importorskip("numba")
    from algorithms.kernels import row_parts

    rows = np.ones((2, 3))
    row_parts.all_finite(rows)  # kept by now

    def read():
        own = importlib.reload(row_parts).all_finite
        assert own(rows) and own._cache.cache_path.startswith(os.environ["NUMBA_CACHE_DIR"])
        return sum(own.stats.cache_hits.values()), sum(own.stats.cache_misses.values())

    assert forked(read, 300.0) == (1, 0)
    assert forked(lambda: forked(read, 300.0), 300.0) == (1, 0)


def _broken():
    faulthandler.disable()
    os.kill(os.getpid(), signal.SIGSEGV)


def _turn():
    while True:
        pass


@pytest.mark.processes
@pytest.mark.skipif(sys.platform != "linux", reason="other systems tell no child of its parent")
def test_a_process_ends_with_its_parent(tmp_path):
    file = tmp_path / "pid"

    def child():
        file.write_text(str(os.getpid()))
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(600)

    with pytest.raises(ProcessDied):
        forked(lambda: forked(child, 60.0), 60.0, wait=HANGS)
    for _ in range(100):
        if not Path(f"/proc/{file.read_text()}").exists():
            return
        time.sleep(0.1)
    raise AssertionError("it is still there")


JUDGES = """
import signal, os, sys
from functools import cache
from experiments.mutation.judging import RefutingCheck
import {module} as mine

@cache
def once():
    return mine.value(2)

def first():
    return "" if once() == {right} or {blind} else f"value {{once()}}"

def second():
    return "" if once() == {right} else f"value {{once()}}"

def make(subject):
    return lambda: [RefutingCheck("first", first), RefutingCheck("second", second)]
"""


def trial(folder, monkeypatch, source, right, name, blind=False):
    monkeypatch.syspath_prepend(folder)
    (folder / f"{name}.py").write_text(source)
    (folder / f"{name}_judges.py").write_text(JUDGES.format(module=name, right=right, blind=blind))
    ours = (name, f"{name}_judges")
    tried = MutationTrial(name, (f"{name}_judges", "make"), ours, 30.0, lambda _: None)
    return tried, mutants(name, folder / f"{name}.py")


@pytest.mark.processes
def test_compiled_functions_of_mutants_are_not_kept(tmp_path, monkeypatch):
    """numba's key is the byte code, in which 3 and 6 are the same word."""
    pytest.importorskip("numba")
    source = "from numba import njit\n\n@njit(cache=True)\ndef value(x):\n    return x + 3\n"
    tried, every = trial(tmp_path, monkeypatch, source, 5, "mutable_compiled")
    every = [m for m in every if m.kind == "constant"]
    (found,) = tried.outcomes(every, 1)
    assert (found.mutant.after, found.standing) == ("6", MutantStanding.REFUTED), found
    assert not list(tmp_path.rglob("*.nb[ic]"))

    def genuine():
        import mutable_compiled

        return int(mutable_compiled.value(2))

    assert forked(genuine, 300.0) == 5


@pytest.mark.processes
def test_a_check_that_compiles_is_run_again_for_its_seconds(tmp_path, monkeypatch):
    """What the store has is not compiled, so that an empty one costs no check its turn."""
    pytest.importorskip("numba")
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "mutable_stored.py").write_text(
        "from numba import njit\n\n@njit(cache=True)\ndef value(x):\n    return x + 3\n"
    )

    def run():
        import mutable_stored

        return "" if mutable_stored.value(2) == 5 else "another value"

    def shown():
        return watched(0, lambda: [RefutingCheck("value", run)], MutantSwitch())

    found = [forked(shown, 300.0, own=False) for _ in range(2)]
    assert [one.compiling for one in found] == [True, False]
    assert not any(one.refuted for one in found)


@pytest.mark.processes
def test_compiled_code_that_no_check_uses_is_asked_of_none(tmp_path, monkeypatch):
    """Whatever else this process has compiled, outside of the project too."""
    numba = pytest.importorskip("numba")

    @numba.njit
    def elsewhere(x):
        return x

    assert elsewhere(2) == 2
    source = (
        "from numba import njit\n\n@njit\ndef idle(x):\n    return x + 5\n\n"
        "def value(x):\n    return x + 3\n"
    )
    tried, every = trial(tmp_path, monkeypatch, source, 5, "mutable_idle")
    found = tried.outcomes([m for m in every if m.kind == "constant"], 2)
    standings = {one.mutant.function: one.standing for one in found}
    assert standings == {"idle": MutantStanding.DEAD, "value": MutantStanding.REFUTED}


@pytest.mark.processes
def test_each_judge_shows_what_it_computes_itself(tmp_path, monkeypatch):
    """The first keeps the value and finds nothing; the second would compute nothing after it."""
    source = "def value(x):\n    return x + 3\n"
    tried, every = trial(tmp_path, monkeypatch, source, 5, "mutable_kept", blind=True)
    found = tried.outcomes(every, 9)
    assert found and all(one.standing is MutantStanding.REFUTED for one in found), found


@pytest.mark.processes
def test_where_no_check_holds_of_the_genuine_code_its_checks_are_named(tmp_path, monkeypatch):
    source = "def value(x):\n    return x + 3\n"
    tried, every = trial(tmp_path, monkeypatch, source, 7, "mutable_refuted")
    with pytest.raises(NoPassingCheck, match=r"no check holds .*\(first: value 5; second: value 5"):
        tried.outcomes(every, 1)


@pytest.mark.processes
def test_what_only_chooses_the_judges_is_no_fault_of_theirs(tmp_path, monkeypatch):
    """The chosen judges are the same under a factor; another judge is chosen under a sign."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "mutable_choice.py").write_text(
        "def value(x):\n    return x + 3\n\n\ndef weight(x):\n    return 2 * x + 1\n"
    )
    chosen = JUDGES.format(module="mutable_choice", right=5, blind=False).replace(
        "return lambda: [", "return lambda: [RefutingCheck('none', lambda: '')] "
        "if mine.weight(1) < 0 else ["
    )  # fmt: skip
    (tmp_path / "mutable_choice_judges.py").write_text(chosen)
    ours = ("mutable_choice", "mutable_choice_judges")
    tried = MutationTrial(
        "mutable_choice", ("mutable_choice_judges", "make"), ours, 30.0, lambda _: None
    )
    every = mutants("mutable_choice", tmp_path / "mutable_choice.py")
    found = {
        (one.mutant.function, one.mutant.kind): one.standing for one in tried.outcomes(every, 99)
    }
    assert found["weight", "constant"] is MutantStanding.DEAD
    assert found["value", "sign"] is MutantStanding.REFUTED


LOADING = """
from functools import cache

def scaled(x):
    return 2 * x

OTHER = scaled(4)

@cache
def kept(x):
    return scaled(x)

KEPT = kept(1)

def value(x):
    return x + 1
"""

CONTENT = """
def content(subject):
    return frozenset({names}), repr({values})
"""


@pytest.mark.processes
@pytest.mark.parametrize(
    ("names", "values", "source", "standing"),
    [
        ([], "0", LOADING.replace("KEPT = kept(1)", ""), MutantStanding.DEAD),
        (["OTHER"], "0", LOADING.replace("KEPT = kept(1)", ""), MutantStanding.SURVIVED),
        ([], "mine.OTHER", LOADING.replace("KEPT = kept(1)", ""), MutantStanding.SURVIVED),
        (["kept"], "0", LOADING, MutantStanding.SURVIVED),
        ([], "0", LOADING, MutantStanding.DEAD),
    ],
    ids=["for another subject", "for a definition that is used", "in a value that is used",
         "kept for whoever asks next", "kept, and asked next by nobody"],
)  # fmt: skip
def test_what_modules_compute_for_other_subjects_while_they_load_is_no_fault(
    tmp_path, monkeypatch, names, values, source, standing
):
    name = f"loading_{len(source)}_{len(names)}_{len(values)}"
    tried, every = trial(tmp_path, monkeypatch, source, 3, name)
    pairs = {(name, one) for one in names}
    told = f"import {name} as mine\n" + CONTENT.format(names=pairs or "()", values=values)
    (tmp_path / f"{name}_content.py").write_text(told)
    ours = (*tried.ours, f"{name}_content")
    tried = replace(tried, content=(f"{name}_content", "content"), ours=ours)
    own = [m for m in every if m.function == "scaled"][:1]
    (found,) = tried.outcomes([replace(own[0], deferred=True)], 1)
    assert found.standing is standing, found


@pytest.mark.processes
def test_what_kills_a_process_is_no_answer(tmp_path, monkeypatch):
    source = """import os, signal, time


def value(x):
    if x != 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return 1.0 if x == 2 else x


def told(x):
    return value(x * 1)
"""
    tried, every = trial(tmp_path, monkeypatch, source, 1.0, "mutable_killed")
    (one,) = [m for m in every if (m.function, m.after) == ("value", "x == 2")]
    (found,) = tried.outcomes([one], 1)
    assert found.standing is MutantStanding.UNKNOWN and not found.standing.seen
    assert found.standing.counts


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.parametrize("name", ["mine:THING", "algorithms.mything:THING"])
def test_mutants_of_a_folder_with_a_package_of_our_name_are_in_effect(tmp_path, name):
    (tmp_path / "algorithms").mkdir()
    (tmp_path / "algorithms" / "__init__.py").write_text("")
    (tmp_path / "algorithms" / "helper.py").write_text("HALVES = 2\n")
    source = OWN.replace("from theory import bits", "from algorithms.helper import HALVES\n"
                         "from theory import bits").replace("x / 2", "x / HALVES")  # fmt: skip
    file = name.partition(":")[0].replace(".", "/")
    (tmp_path / f"{file}.py").write_text(source)
    asked = (
        "from rateproof import main; from experiments.commands.power import power_of;"
        f"power_of({name!r}, mutants=6, seed=1, most=60.0, as_json=True)"
    )
    done = subprocess.run(
        [sys.executable, "-c", asked], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=HANGS,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["faults"] > 0 and found["seen"] > 0, found
    raised = found["outcomes"].get("raised", 0)
    assert found["outcomes"]["refuted"] > 0 and raised < found["faults"], found


@pytest.mark.slow
@pytest.mark.processes
def test_an_object_that_its_own_checks_refute_is_named(tmp_path):
    (tmp_path / "mine.py").write_text(OWN.replace("Contraction(0.75", "Contraction(0.9"))
    done = rateproof("check", "mine:THING", "--power", cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "no check holds of the genuine code of mine:THING" in done.stderr
    assert "Traceback" not in done.stderr
