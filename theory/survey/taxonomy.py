"""Taxonomies of distributed SGD, survey 002's Table I and survey 001's Fig. 2, and which rows fall
under each entry."""

from __future__ import annotations

from typing import NamedTuple, final


@final
class Taxon(NamedTuple):
    """One line of the table.

    Attributes:
        dimension: what is changed, as printed.
        method: the entry, as printed.
        rows: keys of the rows that its sections name, those that stand for it first.
    """

    dimension: str
    method: str
    rows: tuple[str, ...]


_SYNCHRONISATION = "Communication Synchronization"
_ARCHITECTURES = "System Architectures"
_COMPRESSION = "Compression Techniques"
_PARALLELISM = "Parallelism of Communication and Computing"

TABLE_I: tuple[Taxon, ...] = (
    Taxon(_SYNCHRONISATION, "Synchronous", ("bsp-sgd", "backup-workers", "d-admm")),
    Taxon(_SYNCHRONISATION, "Stale-Synchronous", ("ssp", "essp", "r2sp")),
    Taxon(
        _SYNCHRONISATION, "Asynchronous",
        ("asp", "downpour", "hogwild", "delayed-proximal", "async-coordinate-prox", "async-admm"),
    ),
    Taxon(
        _SYNCHRONISATION, "Local SGD",
        ("local-sgd", "one-shot-averaging", "pr-sgd", "pr-sgd-momentum", "post-local-sgd"),
    ),
    Taxon(_ARCHITECTURES, "Parameter Server", ("bsp-sgd", "ps-single", "ps-sharded", "ps-tree")),
    Taxon(
        _ARCHITECTURES, "All-Reduce",
        ("allreduce-ring", "allreduce-binary-tree", "allreduce-recursive-doubling"),
    ),
    Taxon(_ARCHITECTURES, "Gossip", ("d-psgd", "sgp", "ad-psgd", "dgd", "gossipgrad")),
    Taxon(
        _COMPRESSION, "Quantization",
        ("qsgd", "one-bit-sgd", "terngrad", "signsgd", "diana", "natural-compression"),
    ),
    Taxon(_COMPRESSION, "Coding", ("variable-length-coding", "three-lc", "qsgd")),
    Taxon(
        _COMPRESSION, "Sparsification",
        ("top-k", "random-k", "wangni", "gtop-k", "sbc", "stc", "adacomp"),
    ),
    Taxon(_PARALLELISM, "Pipelining", ("wfbp", "mg-wfbp", "pipedream")),
    Taxon(_PARALLELISM, "Scheduling", ("tictac", "p3", "bytescheduler", "contention-aware")),
)  # fmt: skip
"""In the survey's order. D-ADMM, which it calls asynchronous, is synchronous (erratum E35)."""

_ALGORITHMS = "Learning Algorithms"
_LAYERS = "System Architectures"
_LINKS = "Communication Infrastructure"

FIG_2: tuple[Taxon, ...] = (
    Taxon(_ALGORITHMS, "Large-batch training", ("linear-scaling", "lars", "lamb", "batch-growth")),
    Taxon(_ALGORITHMS, "Relaxed synchronization: SSP", ("ssp", "essp")),
    Taxon(_ALGORITHMS, "Relaxed synchronization: local SGD", ("local-sgd", "post-local-sgd")),
    Taxon(_ALGORITHMS, "Relaxed synchronization: ASP", ("asp", "downpour", "dc-asgd")),
    Taxon(_ALGORITHMS, "Gradient quantization", ("qsgd", "one-bit-sgd", "terngrad", "signsgd")),
    Taxon(_ALGORITHMS, "Gradient sparsification", ("top-k", "random-k", "gtop-k", "dgc")),
    Taxon(_LAYERS, "PS", ("ps-single", "ps-sharded", "ps-tree")),
    Taxon(
        _LAYERS, "A2A",
        ("allreduce-ring", "allreduce-double-tree", "allreduce-2d-torus", "allreduce-hierarchical"),
    ),
    Taxon(_LAYERS, "Scheduling: overlap", ("schedule-bsp", "wfbp", "tictac")),
    Taxon(_LAYERS, "Scheduling: tensor fusion", ("mg-wfbp", "tensor-fusion")),
    Taxon(_LAYERS, "Scheduling: tensor partition", ("p3", "bytescheduler")),
    Taxon(_LINKS, "Communication protocols", ("protocol-model", "c2c-model")),
    Taxon(_LINKS, "Network topologies", ("bcube-bml", "blueconnect", "contention-aware")),
)  # fmt: skip
"""The figure's three levels, from the top down, in the words of the text that describes it."""
