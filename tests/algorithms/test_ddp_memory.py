"""What one step of the hook holds at once, counted allocation by allocation, in rows of d floats.

Every storage that a torch operation makes inside the hook is counted when it appears and when it
is freed; what a kernel keeps to itself is not. A mutant that decodes all ranks' rows before it sums
them, as the hook once did, must be seen.
"""

from __future__ import annotations

import gc
import weakref
from typing import Any
from unittest import mock

import pytest
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.compressors.layerwise import LayerWise
from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.top_k import TopK
from algorithms.kernels.mean import mean_rows
from algorithms.memories.base import Memory, NoMemory
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.memories.global_momentum import GlobalMomentum
from algorithms.memories.momentum_correction import MomentumCorrection
from algorithms.network.ddp_buckets import ByBucket
from algorithms.network.ddp_hook import register_hook
from algorithms.network.launch import launch
from algorithms.network.sharded import Sharded
from algorithms.network.transport import rows_of
from algorithms.network.wire import WireMessage

RANKS, D = 2, 1_200_000
MOST = 4 + 200 / (4 * D)
"""Rows, and 200 bytes for flags, lengths and norms."""
CASES: tuple[tuple[Compressor, Memory[Any]], ...] = (
    (TopK(0.05), ErrorFeedback()),
    (TopK(0.05), MomentumCorrection(0.9)),
    (TopK(0.01), GlobalMomentum(0.9)),
    (LayerWise(TopK(0.05)), ErrorFeedback()),
    (RandK(0.1), NoMemory()),
    (QSGD(4), NoMemory()),
    (QSGD(200), NoMemory()),
    (NaturalCompression(), NoMemory()),
    (ScaledSign(), ErrorFeedback()),
    (Identity(), NoMemory()),
)


class Counts:
    """Bytes of storages: now, and at most."""

    def __init__(self) -> None:
        self.now = self.most = 0
        self._live: set[int] = set()

    def see(self, storage: Any, given: set[int]) -> None:
        """Count it until it is freed, unless it was there before."""
        if storage._cdata in self._live | given:
            return
        self._live.add(storage._cdata)
        self.now += storage.nbytes()
        self.most = max(self.most, self.now)
        weakref.finalize(storage, self._freed, storage._cdata, storage.nbytes())

    def _freed(self, name: int, size: int) -> None:
        self._live.discard(name)
        self.now -= size


class Counted(TorchDispatchMode):
    """Counts the storages that operations make under it."""

    def __init__(self, counts: Counts | None = None) -> None:
        super().__init__()
        self.counts = counts or Counts()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        given = {t.untyped_storage()._cdata for t in tree_leaves((args, kwargs)) if is_tensor(t)}
        for tensor in filter(is_tensor, tree_leaves(out)):
            self.counts.see(tensor.untyped_storage(), given)
        return out


def is_tensor(thing: object) -> bool:
    return isinstance(thing, Tensor)


class Flat(nn.Module):
    """Two tensors, together D numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.tensors = nn.ParameterList(
            [torch.linspace(-1, 1, D // 3), torch.linspace(-1, 1, D - D // 3)]
        )

    def forward(self) -> Tensor:
        return sum((p.square().sum() for p in self.tensors), torch.zeros(()))


def rows_held(compressor: Compressor, memory: Memory[Any]) -> float:
    """Largest number of rows of D floats that the second step of the hook holds."""
    model = DistributedDataParallel(Flat())
    hook = register_hook(model, compressor, memory, learning_rate=lambda: 0.1)
    model().backward()
    act, seen = hook._pass, []

    def counted(bucket: Any) -> Any:
        with Counted() as mode:
            future = act(bucket)
        seen.append(mode.counts.most / (4 * D))
        return future

    hook._pass = counted
    model().backward()
    return max(seen)


def rows_held_by_bucket(compressor: Compressor, memory: Memory[Any]) -> float:
    """The same with ``per_bucket``, whose second half runs in another thread, counted together."""
    model = DistributedDataParallel(Flat())
    hook = register_hook(model, compressor, memory, learning_rate=lambda: 0.1, per_bucket=True)
    model().backward()
    counts = Counts()
    first, second = hook._pass, ByBucket._finished

    def sent(bucket: Any) -> Any:
        with Counted(counts):
            return first(bucket)

    def finished(self: ByBucket, *words: Any) -> Tensor:
        with Counted(counts):
            return second(self, *words)

    hook._pass = sent
    with mock.patch.object(ByBucket, "_finished", finished):
        model().backward()
    return counts.most / (4 * D)


def densely(network: Sharded, packet: Any, mine: WireMessage) -> Tensor:
    """The mutant: all ranks' rows, decoded, and then their mean."""
    parts = list(network._transport.arriving(mine, 1 << 62))
    rows = rows_of(packet, WireMessage.cat(parts), network.everyone)
    return mean_rows(rows, keepdim=True)


def everything() -> dict[str, Any]:
    found: dict[str, Any] = {"held": [rows_held(*case) for case in CASES]}
    found["by bucket"] = [rows_held_by_bucket(*case) for case in CASES]
    kept = Sharded.mean
    Sharded.mean = densely
    found["mutant"] = [rows_held(*case) for case in CASES]
    Sharded.mean = kept
    gc.collect()
    dist.barrier()
    return found


@pytest.fixture(scope="module")
def ranks() -> list[dict[str, Any]]:
    return launch(everything, ranks=RANKS)


@pytest.mark.sharded
@pytest.mark.parametrize("place", range(len(CASES)), ids=lambda k: CASES[k][0].name)
def test_a_step_holds_at_most_four_rows_beside_the_residual(ranks, place):
    for rank in ranks:
        assert 1 <= rank["held"][place] <= MOST, rank["held"][place]


@pytest.mark.sharded
@pytest.mark.parametrize("place", range(len(CASES)), ids=lambda k: CASES[k][0].name)
def test_bucket_by_bucket_a_step_holds_five_rows_or_six(ranks, place):
    """A sixth where messages of all ranks, which are held together, are dense, or where the memory
    waits for their mean. How many buckets are under way at once hangs on the ranks' timing: one
    case held 2.3 to 3.6 rows, and all at most four but for a few runs on a busy machine."""
    compressor, memory = CASES[place]
    more = isinstance(compressor, Identity) or "mean" in memory.after_reads
    for rank in ranks:
        assert 1 <= rank["by bucket"][place] <= MOST + 1 + more, rank["by bucket"][place]


@pytest.mark.sharded
def test_rows_of_all_ranks_at_once_would_be_seen(ranks):
    """Two dense rows are no more than other steps of some cases hold, so some cases tell."""
    for rank in ranks:
        told = [CASES[k][0].name for k, rows in enumerate(rank["mutant"]) if rows > MOST]
        assert {"identity", "rand-k(k=0.1d)", "top-k(k=0.05d) by layer"} <= set(told), told
