"""Requirements of a communication hook on a DistributedDataParallel model and its ranks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from algorithms.network.ranks import gathered_words

_SHARDED = {"FSDPModule", "FullyShardedDataParallel"}


def require_ddp(model: object) -> DistributedDataParallel:
    """``model``, or what torch.compile made it of, if its process group is all ranks.

    Raises:
        TypeError: it is no DistributedDataParallel.
        ValueError: its process group leaves ranks out, or it has a communication hook.
    """
    model = getattr(model, "_orig_mod", model)
    if {kind.__name__ for kind in type(model).__mro__} & _SHARDED:
        raise TypeError(
            f"model must be a DistributedDataParallel, got {type(model).__name__}: FSDP keeps no "
            "whole gradient on any rank, and a memory as long as the model on each is what it is "
            "there to avoid, so its reduce-scatter is not replaced; DistributedDataParallel(model) "
            "would do where the model fits"
        )
    if not isinstance(model, DistributedDataParallel):
        raise TypeError(
            f"model must be a DistributedDataParallel, got {type(model).__name__}; "
            "DistributedDataParallel(model) would do"
        )
    if model.mixed_precision is not None:
        raise ValueError(
            "mixed_precision of the model takes the one place that it has for a communication "
            "hook; torch.autocast in the forward pass, or parameters in half precision, would do"
        )
    if model._comm_hooks:
        raise ValueError(
            "the model has a communication hook already, and torch takes one; a new "
            "DistributedDataParallel would do"
        )
    ranks = dist.get_process_group_ranks(model.process_group)
    if ranks != list(range(dist.get_world_size())):
        raise ValueError(
            f"process_group of the model holds ranks {ranks} of {dist.get_world_size()}; the hook "
            "averages over all ranks: a model without process_group, or a job of these ranks "
            "alone, would do"
        )
    return model


def hooked_parameters(model: DistributedDataParallel) -> list[nn.Parameter]:
    """Parameters whose gradients the model averages, in its order: trained ones, not ignored.

    Raises:
        TypeError: a parameter is no real floating-point tensor.
        ValueError: a parameter gets sparse gradients, or there is nothing to train.
    """
    _refuse_sparse(model)
    ignored = set(model.parameters_to_ignore)
    named = {
        p: f"{place}.{name}".lstrip(".")
        for place, module in model.module.named_modules()
        for name, p in module.named_parameters(recurse=False)
        if p.requires_grad and f"{place}.{name}" not in ignored
    }
    if not named:
        raise ValueError(
            "the model has no parameter to average; requires_grad on one that is not ignored "
            "would do"
        )
    for p, name in named.items():
        if not p.is_floating_point():
            raise TypeError(
                f"parameter {name} is {p.dtype}; the hook compresses real floating-point gradients"
            )
    return list(named)


def row_type(parameters: list[nn.Parameter]) -> torch.dtype:
    """The type that the whole gradient is compressed in.

    float64 if all parameters are, else float32: half-precision gradients are widened first and
    come back in their own type.
    """
    wide = all(p.dtype == torch.float64 for p in parameters)
    return torch.float64 if wide else torch.float32


def require_agreement(stated: Mapping[str, Any]) -> None:
    """All ranks state the same; a collective call.

    Raises:
        ValueError: they do not; names what differs, and between which ranks.
    """
    everyone = gathered_words({name: repr(value) for name, value in stated.items()})
    for name in everyone[0]:
        for rank, theirs in enumerate(everyone):
            if theirs.get(name) != everyone[0][name]:
                raise ValueError(
                    f"{name} differs between ranks: {everyone[0][name]} on rank 0, "
                    f"{theirs.get(name)} on rank {rank}; the same on all would do"
                )


def _refuse_sparse(model: nn.Module) -> None:
    for name, module in model.named_modules():
        if isinstance(module, nn.Embedding | nn.EmbeddingBag) and module.sparse:
            raise ValueError(
                f"{name.removeprefix('module.')} gets sparse gradients, which the hook cannot "
                f"compress as a row; {type(module).__name__}(..., sparse=False) would do"
            )
