"""Nothing unpickles what it did not write: an unpickled file runs whatever code it names."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

HOUSE = Path(__file__).parents[1]
PACKAGES = ("theory", "algorithms", "proofs_check", "experiments")
OWN = {
    ("algorithms/network/launch.py", "load"),
    ("experiments/mutation/processes.py", "loads"),
}
"""What ranks wrote a moment before into a folder of this run that nobody else can enter, and what a
process forked by this one wrote into a pipe of the two."""

UNPICKLES = {
    "load", "loads", "Unpickler", "read_pickle", "all_gather_object", "broadcast_object_list",
    "gather_object", "scatter_object_list", "recv_object_list",
}  # fmt: skip
MODULES = {"pickle", "torch", "dist", "np", "numpy", "pd", "pandas", "joblib", "dill", "marshal"}


def unpickled(source: str) -> list[str]:
    """Calls that may unpickle, by the name of the function."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        whose = node.func.value
        module = whose.id if isinstance(whose, ast.Name) else ""
        options = {word.arg: word.value for word in node.keywords}
        name = node.func.attr
        if name not in UNPICKLES or module not in MODULES:
            continue
        safe = {"torch": "weights_only", "np": "", "numpy": ""}.get(module)
        value = options.get(safe) if safe else options.get("allow_pickle")
        stated = isinstance(value, ast.Constant) and value.value is True
        if stated == (safe == "weights_only") and name == "load" and safe is not None:
            continue  # torch.load(weights_only=True), np.load without allow_pickle
        found.append(name)
    return found


def test_no_module_unpickles_what_it_did_not_write() -> None:
    files = [file for package in PACKAGES for file in (HOUSE / package).rglob("*.py")]
    assert len(files) > 500
    found = {
        (str(file.relative_to(HOUSE)), name)
        for file in files
        for name in unpickled(file.read_text(encoding="utf-8"))
    }
    assert found == OWN


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("torch.load(f)", 1),
        ("torch.load(f, weights_only=False)", 1),
        ("torch.load(f, weights_only=True)", 0),
        ("np.load(f)", 0),
        ("np.load(f, allow_pickle=True)", 1),
        ("pickle.loads(b)", 1),
        ("pd.read_pickle(f)", 1),
        ("dist.all_gather_object(a, b)", 1),
        ("json.loads(b)", 0),
    ],
)
def test_the_search_finds_what_is_planted(source: str, count: int) -> None:
    assert len(unpickled(source)) == count


def open_addresses(source: str) -> list[str]:
    """Texts that name every interface of a machine, and sockets bound to none in particular."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and node.value in ("0.0.0.0", "::"):
            found.append(str(node.value))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr not in ("bind", "create_server"):
                continue
            given = node.args[0] if node.args else None
            if isinstance(given, ast.Tuple) and ast.unparse(given.elts[0]) in ("''", "None"):
                found.append(ast.unparse(node))
    return found


def test_no_socket_listens_at_every_interface() -> None:
    """What ranks listen at is seen in tests/algorithms/test_given_ranks.py, in /proc."""
    files = [file for package in PACKAGES for file in (HOUSE / package).rglob("*.py")]
    found = {
        (str(file.relative_to(HOUSE)), name)
        for file in files
        for name in open_addresses(file.read_text(encoding="utf-8"))
    }
    assert found == set()


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("s.bind(('', 80))", 1),
        ("s.bind(('0.0.0.0', 80))", 1),
        ("socket.create_server(('', 80))", 1),
        ("TCPStore('::', 80)", 1),
        ("s.bind(('127.0.0.1', 80))", 0),
        ("s.bind(address)", 0),
    ],
)
def test_the_search_finds_open_sockets(source: str, count: int) -> None:
    assert len(open_addresses(source)) == count
