"""Traffic of one process in torch.distributed's collectives, watched from outside the code."""

from __future__ import annotations

import inspect
import pickle
import sys
from collections.abc import Callable
from functools import wraps
from types import TracebackType
from typing import Any, final

import torch.distributed as dist
from torch import Tensor

_SENT = {
    "all_gather": "tensor",
    "all_gather_coalesced": "input_tensor_list",
    "all_gather_into_tensor": "input_tensor",
    "all_gather_object": "obj",
    "all_reduce": "tensor",
    "all_reduce_coalesced": "tensors",
    "all_to_all": "input_tensor_list",
    "all_to_all_single": "input",
    "broadcast": "tensor",
    "gather": "tensor",
    "isend": "tensor",
    "reduce": "tensor",
    "reduce_scatter": "input_list",
    "reduce_scatter_tensor": "input",
    "scatter": "scatter_list",
    "send": "tensor",
}
"""Functions, and the argument that this process contributes."""


@final
class Traffic:
    """Inside ``with``, notes what every call of a collective contributes, in ``handed``.

    Functions are replaced wherever a module holds them under their own name when this is made. What
    goes to a process group's methods directly is not seen. Tensors are noted as they are before the
    call, objects as their pickled bytes; a broadcast counts on the rank that it comes from.
    """

    def __init__(self) -> None:
        self.handed: list[Any] = []
        self._places: list[tuple[dict[str, Any], str, Any, Any]] = []
        for name in _SENT:
            real = getattr(dist, name, None)
            if real is None:
                continue
            watched = self._watched(name, real)
            for module in list(sys.modules.values()):
                scope = getattr(module, "__dict__", {})
                if scope.get(name) is real and module.__name__ != real.__module__:
                    self._places.append((scope, name, real, watched))

    def __enter__(self) -> Traffic:
        self.handed.clear()
        for scope, name, _, watched in self._places:
            scope[name] = watched
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for scope, name, real, _ in self._places:
            scope[name] = real

    def _watched(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(real)

        @wraps(real)
        def call(*args: Any, **options: Any) -> Any:
            given = signature.bind(*args, **options).arguments
            if name != "broadcast" or given.get("src", given.get("group_src")) == dist.get_rank():
                self._note(given.get(_SENT[name]), name.endswith("_object"))
            return real(*args, **options)

        return call

    def _note(self, given: Any, pickled: bool) -> None:
        if pickled:
            self.handed.append(pickle.dumps(given))
        elif isinstance(given, Tensor):
            self.handed.append(given.detach().clone())
        elif given is not None:
            self.handed += [tensor.detach().clone() for tensor in given]
