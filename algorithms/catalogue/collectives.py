"""Rows of collectives and parameter servers: architectures as programs of messages."""

from __future__ import annotations

from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import Row
from algorithms.catalogue.subject import NamedPart, RowSubject
from algorithms.collectives.binary_blocks import BinaryBlocks
from algorithms.collectives.binary_tree import BinaryTree
from algorithms.collectives.double_tree import DoubleTree
from algorithms.collectives.grids import BCubeAllReduce, MeshAllReduce, TorusAllReduce
from algorithms.collectives.hierarchical import BlueConnect, Hierarchical
from algorithms.collectives.recursive import HalvingDoubling, RecursiveDoubling
from algorithms.collectives.reduce_broadcast import ReduceBroadcast
from algorithms.collectives.ring import RingAllReduce
from algorithms.collectives.servers import ServerShards, ServerTree
from algorithms.collectives.spanning_trees import DGX1, SpanningTrees
from algorithms.collectives.sparse import SparseAllGather, SplitGather


def _collective(key: str, parts: tuple[NamedPart, ...], *states: str) -> Row:
    return entry(key, RowSubject("collective", parts, states))


ENTRIES: tuple[Row, ...] = (
    _collective(
        "ps-single", (ServerShards(8),),
        "2n messages and 2n m through the server's link, 2m through a worker's (survey 001)",
    ),
    _collective(
        "ps-sharded", (ServerShards(8, 4), ServerShards(8, 8)),
        "2 max(n, S) messages; 2nm/S through each of S servers (survey 001; BytePS, Jiang et al. "
        "2020)",
    ),
    _collective(
        "ps-tree", (ServerTree(8, 2), ServerTree(16, 4)),
        "2 b log_b n messages of m for n = b^k: a server hears its b children one after another "
        "(Mai, Hong, Costa 2015)",
    ),
    _collective(
        "allreduce-binary-tree", (BinaryTree(8), ReduceBroadcast(8)),
        "2 ceil(log2 n) (alpha + beta m) (survey 002, Table III, for n = 2^k)",
        "without a tree: 2(n - 1) messages of m through the link of one worker (survey 000, 4.1.2)",
    ),
    _collective(
        "allreduce-recursive-doubling", (RecursiveDoubling(8),),
        "log2 n (alpha + beta m) for n = 2^k (survey 002, Table III); else floor(log2 n) + 2 steps "
        "(Thakur, Rabenseifner, Gropp 2005)",
    ),
    _collective(
        "allreduce-halving-doubling", (HalvingDoubling(8), BinaryBlocks(7)),
        "2 log2 n alpha + 2(n - 1)/n beta m for n = 2^k (Rabenseifner 2004); else a whole vector "
        "more each way",
        "binary blocks of B_1 + B_2 + ... = n: 2 log2 B_1 + 2 sum B_i/B_(i+1) steps (Rabenseifner, "
        "Traff 2004, phases one after another)",
    ),
    _collective(
        "allreduce-ring", (RingAllReduce(8),),
        "2(n - 1) steps of m/n: 2(n - 1) alpha + 2(n - 1)/n beta m (survey 002, Table III)",
        "no all-reduce sends fewer bits (Patarasuk, Yuan 2009)",
    ),
    _collective(
        "allreduce-double-tree", (DoubleTree(8, 4),),
        "2(2 floor(log2 n) + 2B - 2) steps of m/(2B) with B blocks in each tree: 2 beta m as B "
        "grows (Sanders, Speck, Traff 2009)",
    ),
    _collective(
        "allreduce-hierarchical", (Hierarchical(16, 4),),
        "4(k - 1) + 2(n/k - 1) steps in groups of k, 186 instead of 2046 for n = 1024, k = 16 (Jia "
        "et al. 2018)",
    ),
    _collective(
        "allreduce-2d-torus", (TorusAllReduce(4, 4), MeshAllReduce(4, 4)),
        "torus of X x Y: 2(X - 1) + 2(Y - 1) steps, 2(n - 1)/n m (Mikami et al. 2018)",
        "square mesh with links of its own in each dimension: (n - 1)/n m, twice the throughput of "
        "a ring (Ying et al. 2018)",
    ),
    _collective(
        "blueconnect", (BlueConnect((4, 2, 2)),),
        "2 sum(p_i - 1) steps and 2(n - 1)/n m for n = p_1 p_2 ... (Cho et al. 2019)",
    ),
    _collective(
        "bcube-bml", (BCubeAllReduce.with_levels(4, 2), BCubeAllReduce.with_levels(2, 3)),
        "through k ports at once 2k(b - 1) rounds and 2(n - 1)/(nk) m for n = b^k (Wang et al. "
        "2018)",
        "through one port, with b_i ports a switch of level i: 2k sum_i (b_i - 1) messages, 2(n - "
        "1)/n m",
    ),
    _collective(
        "spanning-tree-packing", (SpanningTrees(8, DGX1, 4),),
        "as many trees without a common link as the least cut has links (Edmonds 1973): six in a "
        "DGX-1; 2(depth + B - 1) rounds of m/(6B) (Wang et al. 2020, Blink)",
        "probed pairs give groups of near workers; sums within groups of k, then between M of "
        "them: 2(k - 1)(alpha + beta m/k) within, 2(M - 1)(alpha + beta m/M) between (Luo et al. "
        "2020, PLink)",
    ),
    _collective(
        "sparse-allreduce", (SparseAllGather(8), SplitGather(8)),
        "all-gather of n lists: ceil(log2 n) messages, (n - 1) 2k numbers (Bruck et al. 1997)",
        "merged by recursive doubling: between 2k log2 n numbers, where all keep the same, and "
        "sum_s min(2^(s+1) k, d), where no two do (Renggli et al. 2019, SparCML)",
        "split over owners and gathered: n - 1 + ceil(log2 n) messages, between 4k (n - 1)/n and "
        "2k (n - 1)(n + 1)/n numbers (Renggli et al. 2019, Section 5.3.2)",
    ),
)  # fmt: skip
