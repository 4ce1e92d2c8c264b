"""torch.distributed is imported in ``algorithms/network/`` and by the hooks of ``algorithms/ddp/``:
all else asks these rooms."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

HOUSE = Path(__file__).parents[1]
PACKAGES = ("theory", "algorithms", "proofs_check", "experiments")
ROOMS = {Path("algorithms/network"), Path("algorithms/ddp")}


def imports_distributed(source: str) -> bool:
    """Whether the text imports torch.distributed, a part of it, or reads it as an attribute."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            named = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            named = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Attribute):
            named = [ast.unparse(node)]
        else:
            continue
        if any(f"{name}.".startswith("torch.distributed.") for name in named):
            return True
    return False


def test_only_networks_and_hooks_name_torch_distributed() -> None:
    files = [path for package in PACKAGES for path in (HOUSE / package).rglob("*.py")]
    found = {
        path.relative_to(HOUSE)
        for path in files
        if imports_distributed(path.read_text(encoding="utf-8"))
    }
    assert found, "the room itself was not seen"
    assert [str(path) for path in sorted(found) if not ROOMS.intersection(path.parents)] == []


@pytest.mark.parametrize(
    "source",
    [
        "import torch.distributed as dist",
        "from torch import distributed",
        "from torch.distributed.algorithms import ddp_comm_hooks",
        "import torch\ntorch.distributed.barrier()",
    ],
)
def test_every_way_of_naming_it_is_seen(source: str) -> None:
    assert imports_distributed(source)
    assert not imports_distributed("import torch\ntorch.distributions.Normal")
