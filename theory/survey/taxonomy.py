"""Table I of survey 002: its taxonomy of distributed SGD, and which rows fall under each entry."""

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
