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

from algorithms.compressors.absolute_threshold import AbsoluteThreshold
from algorithms.compressors.adacomp import AdaComp
from algorithms.compressors.atomo import Atomo
from algorithms.compressors.base import Compressor
from algorithms.compressors.centred import Centred
from algorithms.compressors.composed import QuantisedTopK
from algorithms.compressors.dryden import Dryden
from algorithms.compressors.elias_qsgd import EliasQSGD
from algorithms.compressors.gaussian_k import GaussianK
from algorithms.compressors.identity import Identity
from algorithms.compressors.layerwise import LayerWise
from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.random_mask import RandomMask
from algorithms.compressors.sbc import SBC
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.stc import STC
from algorithms.compressors.strom import Strom
from algorithms.compressors.three_lc import ThreeLC
from algorithms.compressors.top_k import TopK
from algorithms.compressors.wangni import GreedyWangni, Wangni
from algorithms.ddp import buckets as ddp_buckets
from algorithms.ddp.buckets import Arriving, ByBucket
from algorithms.ddp.hook import register_hook
from algorithms.kernels.mean import mean_rows
from algorithms.memories import in_place
from algorithms.memories.base import Memory, NoMemory
from algorithms.memories.decaying_feedback import DecayingFeedback
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.memories.global_momentum import GlobalMomentum
from algorithms.memories.momentum_correction import MomentumCorrection
from algorithms.memories.nesterov_feedback import NesterovFeedback
from algorithms.network import transport
from algorithms.network.base import Packet
from algorithms.network.launch import launch
from algorithms.network.sharded import Sharded
from algorithms.network.transport import Transport, rows_of
from algorithms.network.wire import WireMessage

RANKS, D = 2, 300_000
HALF_MB = 0.5
"""Of a bucket: each of the two tensors has its own."""
ROW = (torch.Size((1, 1, D)), torch.float32, torch.device("cpu"))
MOST = 4 + 400 / (4 * D)
"""Rows, and 400 bytes for flags, lengths and norms."""
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
    (RandomMask(0.25, scaled=True), NoMemory()),
    (RandomMask(0.25, scaled=True, send_indices=True), NoMemory()),
    (Wangni(1.0), NoMemory()),
    (GreedyWangni(0.25), NoMemory()),
    (Atomo(0.25), NoMemory()),
    (Centred(0.25), NoMemory()),
    (EliasQSGD(4), NoMemory()),
    (AbsoluteThreshold(0.1, 0.3), ErrorFeedback()),
    (LayerWise(AbsoluteThreshold(0.1)), ErrorFeedback()),
    (GaussianK(0.1), NoMemory()),
    (Dryden(0.1), ErrorFeedback()),
    (SBC(0.1), ErrorFeedback()),
    (STC(0.25), ErrorFeedback()),
    (ThreeLC(1.75, runs=True), ErrorFeedback()),
    (Strom(0.9), ErrorFeedback()),
    (AdaComp(50), ErrorFeedback()),
    (AdaComp(500), NoMemory()),
    (LayerWise(AdaComp(50)), ErrorFeedback()),
    (TopK(0.5), ErrorFeedback()),
    (Strom(1e-9), ErrorFeedback()),
    (AbsoluteThreshold(1.0), ErrorFeedback()),
    (TopK(1.0), ErrorFeedback()),
    (TopK(0.61), NoMemory()),
    (TopK(0.61), MomentumCorrection(0.9, masking=True)),
    (TopK(0.61), GlobalMomentum(0.9)),
    (TopK(1.0), GlobalMomentum(0.9)),
    (RandK(0.5), ErrorFeedback()),
    (RandK(0.95), GlobalMomentum(0.9)),
    (AbsoluteThreshold(0.6), GlobalMomentum(0.9)),
    (RandomMask(0.95), MomentumCorrection(0.9)),
    (GaussianK(0.4), NesterovFeedback(0.9)),
    (QuantisedTopK(0.5, 4), DecayingFeedback(0.7, 0.9)),
    (LayerWise(TopK(0.6)), GlobalMomentum(0.9)),
    (LayerWise(AbsoluteThreshold(0.6)), MomentumCorrection(0.9)),
    (QSGD(1 << 20), GlobalMomentum(0.9)),
)
"""The messages of eighteen list any number of entries, up to a quarter of the row, or are in a code
of variable length; those of three list every entry with its position. Of the last thirteen,
messages take half a row to one, with memories of none, one and two rows."""
NEARLY_ROWS = range(len(CASES) - 13, len(CASES))
TELLING = tuple(
    k
    for k in NEARLY_ROWS
    if CASES[k][0] in (TopK(0.61), RandK(0.95), AbsoluteThreshold(0.6), LayerWise(TopK(0.6)))
)
"""What the mutants are tried on."""
OWN_ROWS: dict[type, int] = {
    NoMemory: 0, ErrorFeedback: 1, DecayingFeedback: 1, NesterovFeedback: 2,
    MomentumCorrection: 2, GlobalMomentum: 2,
}  # fmt: skip
"""Rows that are the method's own state, there between steps, which are not counted here: the
residual; beside it Nesterov's or each worker's momentum, or the model's last move."""


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


def own_rows(memory: Memory[Any]) -> float:
    """Rows that a memory keeps from step to step."""
    return sum(leaf.numel() for leaf in in_place.leaves(memory.init(*ROW))) / D


def rows_held_by_bucket(
    compressor: Compressor, memory: Memory[Any], at_once: bool, size: float = HALF_MB
) -> float:
    """The same with ``per_bucket``: each bucket summed before the next is compressed, or all sent
    before any is summed. What ranks' timing does lies between the two."""
    model = DistributedDataParallel(Flat(), bucket_cap_mb=size)
    hook = register_hook(model, compressor, memory, learning_rate=lambda: 0.1, per_bucket=True)
    model().backward()
    counts = Counts()
    first, second, later = hook._pass, ByBucket._finished, Transport.later
    held: list[tuple[Arriving, list[WireMessage | None]]] = []

    def sent(bucket: Any) -> Any:
        with Counted(counts):
            future = first(bucket)
            while bucket.is_last() and held:
                answer, messages = held.pop(0)
                answer.set_result(messages)
                del messages
        return future

    def finished(self: ByBucket, *words: Any) -> Tensor:
        with Counted(counts):
            return second(self, *words)

    def in_step(self: Transport, *words: Any) -> Arriving:
        answer: Arriving = torch.futures.Future()
        messages = later(self, *words).wait()
        if at_once:
            held.append((answer, messages))
        else:
            answer.set_result(messages)
        return answer

    hook._pass = sent
    with (
        mock.patch.object(ByBucket, "_finished", finished),
        mock.patch.object(Transport, "later", in_step),
    ):
        model().backward()
    return counts.most / (4 * D)


def densely(network: Sharded, packet: Any, mine: WireMessage) -> Tensor:
    """The mutant: all ranks' rows, decoded, and then their mean."""
    parts = list(network._transport.arriving(mine, 1 << 62))
    rows = rows_of(packet, WireMessage.cat(parts), network.everyone)
    return mean_rows(rows, keepdim=True)


def all_rows(packet: Packet, messages: Any, senders: Tensor, _: Any = None) -> Tensor:
    """The same mutant by bucket."""
    return mean_rows(rows_of(packet, WireMessage.cat(list(messages)), senders), keepdim=True)


def step_by_step() -> dict[str, Any]:
    """Rows that every case holds."""
    found = {"held": [rows_held(*case) for case in CASES]}
    found["one bucket"] = [rows_held_by_bucket(*case, at_once=False) for case in CASES]
    found["all buckets"] = [rows_held_by_bucket(*case, at_once=True) for case in CASES]
    gc.collect()
    dist.barrier()
    return found


def nearly_rows_and_mutants() -> dict[str, Any]:
    """Rows that messages of nearly a row hold, and those under faults, which tell that rows are
    counted."""
    found: dict[str, Any] = {}
    found["whole"] = [rows_held_by_bucket(*CASES[k], at_once=True, size=100) for k in NEARLY_ROWS]
    with mock.patch.object(transport, "_lists_added", lambda *_: False):
        found["unpacked"] = [rows_held(*CASES[k]) for k in TELLING]
    with mock.patch.object(ddp_buckets, "mean_of", all_rows):
        found["dense buckets"] = [
            rows_held_by_bucket(*CASES[k], at_once=True, size=100) for k in TELLING
        ]
    found["kept"] = [rows_held(TopK(1.0), MomentumCorrection(0.9))]
    kept = Sharded.mean
    Sharded.mean = densely
    found["mutant"] = [rows_held(*case) for case in CASES[:10]]
    Sharded.mean = kept
    gc.collect()
    dist.barrier()
    return found


@pytest.fixture(scope="module")
def ranks() -> list[dict[str, Any]]:
    """What tests that are slow ask for, and no other."""
    return launch(step_by_step, ranks=RANKS)


@pytest.fixture(scope="module")
def telling() -> list[dict[str, Any]]:
    return launch(nearly_rows_and_mutants, ranks=RANKS)


@pytest.mark.slow
@pytest.mark.sharded
@pytest.mark.parametrize("place", range(len(CASES)), ids=lambda k: CASES[k][0].name)
def test_a_step_holds_at_most_four_rows_beside_the_residual(ranks, place):
    for rank in ranks:
        assert 1 <= rank["held"][place] <= MOST, rank["held"][place]


@pytest.mark.slow
@pytest.mark.sharded
@pytest.mark.parametrize("timing", ("one bucket", "all buckets"))
@pytest.mark.parametrize("place", range(len(CASES)), ids=lambda k: CASES[k][0].name)
def test_bucket_by_bucket_a_step_holds_at_most_four_rows(ranks, place, timing):
    """Whatever the ranks' timing."""
    for rank in ranks:
        assert rank[timing][place] <= MOST, rank[timing][place]


@pytest.mark.sharded
@pytest.mark.parametrize("place", NEARLY_ROWS, ids=lambda k: CASES[k][0].name)
def test_in_one_bucket_a_step_holds_at_most_four_rows(telling, place):
    for rank in telling:
        held = rank["whole"][place - NEARLY_ROWS.start]
        assert held <= MOST, held


@pytest.mark.parametrize("kind", OWN_ROWS, ids=lambda kind: kind.__name__)
def test_what_is_a_memory_s_own(kind):
    for memory in {m.name: m for _, m in CASES if type(m) is kind}.values():
        assert own_rows(memory) == OWN_ROWS[kind]


@pytest.mark.sharded
def test_long_lists_read_at_once_would_be_seen(telling):
    for rank in telling:
        assert min(rank["unpacked"]) > MOST, rank["unpacked"]


@pytest.mark.sharded
def test_rows_of_all_ranks_at_once_would_be_seen_by_bucket(telling):
    for rank in telling:
        assert min(rank["dense buckets"]) > MOST, rank["dense buckets"]


@pytest.mark.sharded
def test_what_a_memory_reads_again_is_made_again(telling):
    """Momentum correction looks at the gradient once more when all is sent."""
    for rank in telling:
        assert max(rank["kept"]) <= MOST, rank["kept"]


@pytest.mark.sharded
def test_rows_of_all_ranks_at_once_would_be_seen(telling):
    """Two dense rows are no more than other steps of some cases hold, so some cases tell."""
    for rank in telling:
        told = [CASES[k][0].name for k, rows in enumerate(rank["mutant"]) if rows > MOST]
        assert {"identity", "natural compression", "top-k(k=0.05d) by layer"} <= set(told), told
