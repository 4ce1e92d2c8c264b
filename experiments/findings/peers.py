"""Compressors of public libraries as the audit takes them: made without arguments.

Nothing of theirs is here: each function imports the library from the import path, where a checkout
must lie. Settings are the smallest usual ones: a quarter of the coordinates kept, 64 levels.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import torch
from torch import Tensor


def _made(module: str, name: str, *arguments: Any, **options: Any) -> Any:
    return getattr(importlib.import_module(module), name)(*arguments, **options)


def grace_top_k() -> Any:
    """GRACE's top-k, ratio 1/4."""
    return _made("grace_dl.dist.compressor.topk", "TopKCompressor", 0.25)


def grace_random_k() -> Any:
    """GRACE's random-k, ratio 1/4."""
    return _made("grace_dl.dist.compressor.randomk", "RandomKCompressor", 0.25)


def grace_threshold() -> Any:
    """GRACE's threshold of 1/100."""
    return _made("grace_dl.dist.compressor.threshold", "ThresholdCompressor", 0.01)


def grace_qsgd() -> Any:
    """GRACE's QSGD with 64 levels in buckets of 128."""
    return _made("grace_dl.dist.compressor.qsgd", "QSGDCompressor", 64)


def grace_ef_sign() -> Any:
    """GRACE's scaled sign; the rate only divides what is aggregated."""
    return _made("grace_dl.dist.compressor.efsignsgd", "EFSignSGDCompressor", 0.1)


def grace_dgc() -> Any:
    """GRACE's sampled threshold of DGC, ratio 1/4."""
    return _made("grace_dl.dist.compressor.dgc", "DgcCompressor", 0.25)


def _choco() -> ModuleType:
    """Its module of compressors; the bit packing that it would build is for signs only."""
    sys.modules.setdefault("bit2byte", ModuleType("bit2byte"))
    return importlib.import_module("pcode.utils.sparsification")


def _spread(found: tuple[Tensor, Tensor], x: Tensor) -> Tensor:
    values, indices = found
    return torch.zeros_like(x).scatter_(0, indices, values.to(x.dtype))


def _choco_sparse(op: str, biased: bool) -> Callable[[Tensor], Tensor]:
    compressor = _choco().SparsificationCompressor()
    return lambda x: _spread(compressor.compress(x, op, 0.75, biased), x)


def choco_top_k() -> Callable[[Tensor], Tensor]:
    """ChocoSGD's top-k, three quarters left out."""
    return _choco_sparse("top_k", True)


def choco_random_k() -> Callable[[Tensor], Tensor]:
    """ChocoSGD's random-k as a biased operator, three quarters left out."""
    return _choco_sparse("random_k", True)


def choco_random_k_unbiased() -> Callable[[Tensor], Tensor]:
    """ChocoSGD's random-k with is_biased=False, three quarters left out."""
    return _choco_sparse("random_k", False)


def choco_qsgd() -> Callable[[Tensor], Tensor]:
    """ChocoSGD's QSGD with 2^2 - 1 levels, is_biased=False."""
    compressor = _choco().QuantizationCompressor()
    return lambda x: compressor.compress(x, "quantize_qsgd", 2, False)


def choco_qsgd_biased() -> Callable[[Tensor], Tensor]:
    """ChocoSGD's QSGD with 2^2 - 1 levels, scaled down: is_biased=True."""
    compressor = _choco().QuantizationCompressor()
    return lambda x: compressor.compress(x, "quantize_qsgd", 2, True)


def power_sgd() -> Callable[[Tensor], Tensor]:
    """The powersgd package, rank 2, a fresh state for every matrix."""
    module = importlib.import_module("powersgd.powersgd")

    def compress(x: Tensor) -> Tensor:
        matrix = x.clone() if x.dim() == 2 else x.clone()[None]
        fresh = module.BasicPowerSGD([matrix], module.BasicConfig(rank=2))
        approximated: Tensor = fresh.aggregate([matrix])[0]
        return approximated.view(x.shape)

    return compress
