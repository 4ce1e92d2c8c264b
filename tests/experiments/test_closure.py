"""What re-runs when a file changes: all that can give another result, and nothing else."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from algorithms.catalogue import row
from experiments.closure import graph
from experiments.closure.definitions import parse
from experiments.closure.graph import FLOORS, LOOKUP, DefinitionGraph
from experiments.closure.values import Contents
from experiments.closure.versions import ROOT, cell_versions, contents_of, overall, with_rows
from proofs_check.cell import Cell, CellKind
from proofs_check.prepare import prepare
from proofs_check.refute.step_limits import records
from proofs_check.suite import cells

LEFT = (CellKind.MUTANTS, CellKind.EFFECT)
BY_RUNS = {name for name, record in records().items() if record.attacker == "runs"}
BEST = "refute.prove_best_constants"
CELLS = tuple(
    cell
    for cell in cells("quick")
    if cell.kind not in LEFT
    and cell.name != BEST
    and not (cell.kind is CellKind.LIMIT and cell.name in BY_RUNS)
)
"""All but the mutants' cell and the proof of best constants, which look into every row and so
depend on all, effects, which look into rows of their choice and have a test of their own, and
limits that are attacked on a row's problems, which the attacker looks up in the catalogue."""

ABOUT_THEOREMS = ("proofs.prove_orders_of_bounds", "synchronous.orders_of_all_bounds")
"""Checks that read every theorem."""

EFFECTS = tuple(cell for cell in cells("quick") if cell.kind is CellKind.EFFECT)

Versions = dict[Cell, str]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the three lower floors; files that did not change are parsed once."""
    root = tmp_path_factory.mktemp("tree")
    for floor in FLOORS:
        shutil.copytree(
            ROOT / floor, root / floor, ignore=shutil.ignore_patterns("__pycache__", "*.nb?")
        )
    patch = pytest.MonkeyPatch()
    patch.setattr(graph, "parse", functools.cache(parse))
    yield root
    patch.undo()


@pytest.fixture(scope="module")
def before(tree: Path) -> Versions:
    return cell_versions(CELLS, prepare, tree)


def changed(tree: Path, before: Versions, file: str, old: str, new: str) -> set[Cell]:
    """The cells that run again after one edit, which is undone."""
    path = tree / file
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{file} does not hold {old!r}"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    try:
        after = cell_versions(tuple(before), prepare, tree)
    finally:
        path.write_text(text, encoding="utf-8")
    return {cell for cell in before if after[cell] != before[cell]}


def of_rows(*keys: str) -> set[Cell]:
    """Runs of rows, alone, watched and beside other rows, their bounds, and checks of operators."""
    about = runs() | kind("operator") | kind("bound")
    return {cell for cell in CELLS if cell.row in keys} & about


def runs() -> set[Cell]:
    return kind("run") | kind("workers") | kind("watched")


def in_table_iv(*keys: str) -> set[Cell]:
    return {cell for cell in CELLS if cell.row in keys and cell.kind is CellKind.TABLE_IV}


def called(*checks: str) -> set[Cell]:
    found = {cell for cell in CELLS if cell.check.endswith(checks)}
    assert len(found) >= len(checks)
    return found


def kind(name: str) -> set[Cell]:
    return {cell for cell in CELLS if cell.check.split()[0] == name}


@pytest.mark.slow
def test_the_code_as_it_is_has_the_versions_of_its_copy(before: Versions) -> None:
    some = CELLS[::40]
    assert cell_versions(some, prepare) == {cell: before[cell] for cell in some}
    assert len(set(before.values())) == len(CELLS)


def test_a_compressor_reruns_the_cells_of_its_rows(tree: Path, before: Versions) -> None:
    file = "algorithms/compressors/dryden.py"
    assert changed(tree, before, file, "@final", "# beside it\n@final") == set()
    inside = changed(tree, before, file, "    def encode(", "    # inside\n    def encode(")
    assert inside == of_rows("dryden")


def test_best_constants_are_proved_again_when_a_method_changes(tree: Path) -> None:
    (best,) = (cell for cell in cells("quick") if cell.name == BEST)
    was = cell_versions((best,), prepare, tree)
    file = "algorithms/methods/gossip/d_psgd.py"
    assert changed(tree, was, file, "def step(", "def step(  # edited\n       ") == {best}
    file = "algorithms/methods/synchronous/bsp.py"
    assert changed(tree, was, file, "@final", "# beside it\n@final") == set()


def test_a_effect_reruns_with_the_rows_that_it_names(tree: Path) -> None:
    """Not with all of the catalogue, in which it looks them up."""
    was = cell_versions(EFFECTS, prepare, tree)

    def rerun(file: str, old: str) -> set[str]:
        return {cell.row for cell in changed(tree, was, file, old, f"{old}  # edited\n       ")}

    assert "d2" in rerun("algorithms/methods/gossip_compressed/d2.py", "def step(")
    of_fdla = rerun("algorithms/topologies/optimal_weights.py", "class FDLA(")
    assert "fdla" in of_fdla and "d2" not in of_fdla
    of_qsgd = rerun("algorithms/compressors/qsgd.py", "def stated_bits(")
    assert "qsgd" in of_qsgd and "d2" not in of_qsgd
    file, line = "proofs_check/evidence/sparsification/effects.py", "slice(None, None, 4)"
    edited = changed(tree, was, file, line, f"{line}  # edited")  # no line more: lambdas stay
    assert {cell.row for cell in edited} == {"sbc"}
    file = "proofs_check/evidence/gossip_compressed/effects.py"
    line = "class UncorrectedD2(FaultyMethod):"
    edited = changed(tree, was, file, line, f"{line}  # edited")
    assert {cell.row for cell in edited} == {"d2"}


def test_no_effect_rests_on_the_whole_catalogue() -> None:
    """One that does looks rows up in a module that the graph does not know of (``LOOKING``)."""
    known = with_rows(ROOT)
    whole = {
        cell.row
        for cell in EFFECTS
        if LOOKUP in known.closure(contents_of(prepare(cell), known).roots)
    }
    assert whole == set()


def test_a_method_reruns_its_rows_and_the_checks_that_run_it(tree: Path, before: Versions) -> None:
    file = "algorithms/methods/gossip_pairwise/ad_psgd.py"
    found = changed(tree, before, file, "def meet(", "def meet(  # edited\n       ")
    studies = ("ad_psgd_conflicts", "ad_psgd_rate", "ad_psgd_straggler")
    own = of_rows("ad-psgd") & (runs() | kind("bound"))
    expected = own | called("gossip_pairwise.ad_psgd")
    expected |= in_table_iv("ad-psgd")
    assert found == expected | called(*(f"study {name}" for name in studies))


def test_a_kernel_reruns_all_that_use_it(tree: Path, before: Versions) -> None:
    header = "from __future__ import annotations"
    philox = changed(tree, before, "algorithms/kernels/philox.py", "0xD2511F53", "0xD2511F55")
    assert philox >= runs() | kind("problem")
    assert not philox & (kind("proof") | called("topology ring(n=16)"))
    assert changed(tree, before, "algorithms/kernels/philox.py", header, header + "  # x") == set()
    sketch = (tree / "algorithms/kernels/sketch.py").read_text(encoding="utf-8")
    line = next(text for text in sketch.splitlines() if text.startswith("    return"))
    found = changed(tree, before, "algorithms/kernels/sketch.py", line, f"    # edited\n{line}")
    closed = called("closed form decomposition.sketched_sgd")
    assert found == of_rows("sketched-sgd") | closed


def test_a_problem_reruns_what_runs_on_it(tree: Path, before: Versions) -> None:
    file = "algorithms/problems/mlp.py"
    found = changed(tree, before, file, "        return", "        # edited\n        return")
    networks = ("mlp-digits", "mlp-digits-levels")
    on_it = {cell for cell in CELLS if cell.problem in networks and cell.check != "workers"}
    assert found >= on_it
    elsewhere = {cell for cell in found - on_it if cell.check == "run"}
    assert not elsewhere and not found & (kind("operator") | kind("workers") | kind("proof"))


def test_a_theorem_reruns_the_rows_it_speaks_of(tree: Path, before: Versions) -> None:
    found = changed(tree, before, "theory/theorems/dgd.py", "0.5 + 2 /", "0.5 + 3 /")
    assert found >= of_rows("dgd") & runs() | called("bound dgd:dgd:lad-diabetes-sorted, 4 samples")
    alone = {cell for cell in found if cell.row != "dgd"}
    assert alone == called("synchronous.t1", "gossip_convex.prove_dgd", *ABOUT_THEOREMS)


def test_a_collective_reruns_its_rows_and_no_method(tree: Path, before: Versions) -> None:
    file, old = "algorithms/collectives/ring.py", "def rounds("
    found = changed(tree, before, file, old, f"{old}  # edited\n       ")
    beside = {"bcube-bml", "allreduce-2d-torus", "spanning-tree-packing", ""}  # held against a ring
    over = {"schedule-bsp", "wfbp", "tensor-fusion", "mg-wfbp", "p3", "contention-aware"}
    assert {cell.row for cell in found} == {"allreduce-ring", *beside, *over}
    assert {cell.kind for cell in found} == {CellKind.SYSTEM, CellKind.CLOSED_FORM}
    file, old = "proofs_check/collectives/programs.py", "def check_collective("
    again = changed(tree, before, file, old, f"{old}  # edited\n   ")
    assert again == {c for c in again if c.kind is CellKind.SYSTEM}
    assert {c for c in found if c.name == "ring(n=8)"} <= again


def test_a_check_reruns_all_that_it_checks(tree: Path, before: Versions) -> None:
    file, old = "proofs_check/problems/check.py", "def check_problem("
    assert changed(tree, before, file, old, f"{old}  # edited\n   ") == kind("problem")
    file, old = "proofs_check/methods/sweep_points.py", "HORIZONS = 4"
    assert changed(tree, before, file, old, "HORIZONS = 5") == kind("run") | kind("table")
    file, old = "proofs_check/instruments/statistics.py", "MOST_TESTS = 10_000"
    found = changed(tree, before, file, old, "MOST_TESTS = 20_000")
    assert found >= kind("run") | kind("operator") | kind("problem") | kind("bound")
    assert called("study bsp_time_nonconvex", "study ssp_regret") <= found
    assert called("study lag_uploads") & found == set(), "nothing is drawn there"
    assert not found & (kind("proof") | kind("topology"))


def test_a_proof_and_a_study_rerun_alone(tree: Path, before: Versions) -> None:
    file = "proofs_check/evidence/gossip/proofs_spectra.py"
    alone = called("prove_ring_spectrum")
    assert (
        changed(tree, before, file, "def prove_ring_spectrum(", "def prove_ring_spectrum( ")
        == alone
    )
    file = "proofs_check/evidence/lazy/effects.py"
    found = changed(tree, before, file, "StudyResult:", "StudyResult :")
    assert found == called("study lag_uploads")


def test_the_table_of_surveyed_rows_is_no_ground_to_run_again(tree: Path, before: Versions) -> None:
    assert changed(tree, before, "theory/survey/survey_rows.tsv", "\n", "\n\n") == set()


def contents(value: object, root: Path = ROOT) -> Contents:
    found = Contents(DefinitionGraph.from_folder(root))
    found.add(value)
    return found


def test_a_number_in_a_recipe_counts() -> None:
    recipe = row("qsgd").recipe
    assert recipe is not None and recipe.compressor is not None
    for other in (
        dataclasses.replace(recipe, least_workers=recipe.least_workers + 1),
        dataclasses.replace(recipe, theorems=recipe.theorems[1:]),
        dataclasses.replace(recipe, compressor=dataclasses.replace(recipe.compressor, s=5)),  # type: ignore[call-arg]
    ):
        assert contents(other).text != contents(recipe).text
    assert contents(dataclasses.replace(recipe)).text == contents(recipe).text


def test_what_cannot_be_written_out_is_named() -> None:
    with pytest.raises(TypeError, match="cannot tell what <object object"):
        contents(object())


def test_versions_of_many_cells_have_one_name() -> None:
    a, b = CELLS[:2]
    assert overall({a: "v", b: "v"}) == "v"
    assert overall({a: "v", b: "w"}) == overall({a: "w", b: "v"}) != overall({a: "v", b: "x"})


SMALL = {
    "theory/__init__.py": "",
    "theory/members.py": "def members(package): return package",
    "a/__init__.py": "from a.one import f\nfrom a.two import row\ndef two(): return row()\n",
    "a/one.py": "import numpy as np\nX = 1\nT = {}\nT['k'] = X\nfor i in range(3):\n    T[i] = i\n"
    "def f():\n    return T, np.pi\ndef g(y):\n    return y\n",
    "a/two.py": "def row():\n    from a.one import g\n    return g(1)\n",
    "a/rooms/__init__.py": "from theory.members import members\nALL = members(__name__)\n",
    "a/rooms/first.py": "ONE = 1\n",
    "b.py": "import a.one\nfrom a import f, two\nfrom a.rooms import ALL\n"
    "def by_name():\n    return f()\ndef by_module():\n    return a.one.g(2)\n"
    "def found():\n    return ALL\ndef data():\n    return 'facts.tsv'\n"
    "def hidden():\n    return two()\n@by_name\ndef dressed(): pass\n"
    "from theory.members import members\nROOM = 'a.rooms'\ndef named():\n    members(ROOM)\n",
    "facts.tsv": "1",
}


@pytest.mark.parametrize(
    ("name", "file", "old", "new", "counts"),
    [
        ("by_name", "a/one.py", "X = 1", "X = 2", True),
        ("by_name", "a/one.py", "range(3)", "range(4)", True),
        ("by_name", "a/one.py", "import numpy as np", "import scipy as np", True),
        ("by_name", "a/one.py", "return y", "return -y", False),
        ("by_name", "a/__init__.py", "from a.one import f", "from a.one import g as f", True),
        ("dressed", "a/one.py", "X = 1", "X = 2", True),
        ("by_module", "a/one.py", "return y", "return -y", True),
        ("by_module", "a/one.py", "X = 1", "X = 2", False),
        ("hidden", "a/one.py", "return y", "return -y", True),
        ("found", "a/rooms/first.py", "ONE = 1", "ONE = 2", True),
        ("found", "a/rooms/second.py", "", "TWO = 2", True),
        ("named", "a/rooms/second.py", "", "TWO = 2", True),
        ("named", "a/one.py", "X = 1", "X = 2", False),
        ("data", "facts.tsv", "1", "2", True),
        ("by_name", "facts.tsv", "1", "2", False),
    ],
)
def test_what_a_definition_rests_on(
    tmp_path: Path, name: str, file: str, old: str, new: str, counts: bool
) -> None:
    def digest() -> bytes:
        paths = [path for path in tmp_path.rglob("*.py")]
        names = {".".join(p.relative_to(tmp_path).with_suffix("").parts): p for p in paths}
        files = {module.removesuffix(".__init__"): path for module, path in names.items()}
        return DefinitionGraph(files).digests([("b", name)])["b", name]

    for path, text in SMALL.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    first = digest()
    assert digest() == first
    before = (tmp_path / file).read_text() if (tmp_path / file).exists() else ""
    (tmp_path / file).write_text(before.replace(old, new, 1) if old else new)
    assert (digest() != first) == counts


def small(kind: str) -> Cell:
    """A cell of this kind, at little effort."""
    pick: dict[str, Callable[[Cell], bool]] = {
        "run": lambda cell: (cell.row, cell.problem) == ("ssp", "nonconvex-digits-dirichlet"),
        "operator": lambda cell: cell.row == "sketched-sgd",
        "workers": lambda cell: cell.row == "qsgd",
        "problem": lambda cell: cell.problem == "lad-diabetes-sorted",
        "bound": lambda cell: cell.row == "dgd",
        "closed": lambda cell: cell.check == "closed form gossip.choco_sgd",
        "study": lambda cell: cell.check == "study d2_bias",
        "topology": lambda cell: "FDLA" in cell.check,
    }
    found = next(
        cell for cell in CELLS if cell.check.split()[0] == kind and pick.get(kind, bool)(cell)
    )
    if kind == "run":
        return dataclasses.replace(found, steps=40, replicas=2, n=4)
    return dataclasses.replace(found, n=20) if kind == "operator" else found


@pytest.mark.processes
@pytest.mark.slow
def test_nothing_runs_that_is_not_in_the_closure() -> None:
    """One cell of each kind in a process of its own."""
    kinds = dict.fromkeys(cell.check.split()[0] for cell in CELLS)
    todo = [dataclasses.astuple(small(kind)) for kind in kinds]
    done = subprocess.run(
        [sys.executable, "-m", "tests.experiments.traced"], input=json.dumps(todo), text=True,
        capture_output=True, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, timeout=600,
    )  # fmt: skip
    assert not done.returncode, done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(told) == len(todo)
    for cell in told:
        assert cell["executed"] >= 3
        assert not cell["missing"], cell


OF_THE_MODULE = """
def claim(x):
    return x

LIMIT = 3

def by_parameter(claim):
    return claim.name

def by_variable(x):
    claim = x
    return [claim for _ in x]

class ByField:
    claim: str = ""

def called(x):
    return claim(x)

def in_one_scope_alone(x):
    def inner(claim):
        return claim
    return inner(claim(x))

def by_default(claim=claim):
    return claim

@claim
def by_decorator(claim):
    return claim

class InABody:
    claim = claim

class OfABase(claim):
    def run(self, claim):
        return claim

def by_annotation(claim: claim):
    return claim

def by_global(x):
    global claim
    claim = x

def on_module_level(x):
    return [claim(one) for one in x]
"""


def test_a_name_of_a_definition_s_own_is_not_the_module_s(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(OF_THE_MODULE)
    graph = DefinitionGraph({"mine": file})
    reading = {
        name for name in graph.source("mine").definitions
        if ("mine", "claim") in graph.edges(("mine", name))
    }  # fmt: skip
    assert reading == {
        "called", "in_one_scope_alone", "by_default", "by_decorator", "InABody", "OfABase",
        "by_annotation", "by_global", "on_module_level",
    }  # fmt: skip


def test_a_name_that_is_made_twice_is_the_module_s_in_both(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "def claim(x):\n    return x\n\n\n"
        "if claim(1):\n\n    def one(claim):\n        return claim\n\n\n"
        "def one(x):\n    return claim(x)\n"
    )
    graph = DefinitionGraph({"mine": file})
    assert ("mine", "claim") in graph.edges(("mine", "one"))
