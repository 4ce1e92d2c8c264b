"""A device that is not the CPU, made on the CPU: what a step on a GPU would ask of the host.

A :class:`DeviceTensor` says that it lies on ``DEVICE`` and holds its numbers in a tensor of the
CPU. Within a :class:`DeviceDouble` every operation on such tensors runs on what they hold, so that
results are real; what would make the host wait for a GPU is noted with the function that asked, and
what a GPU would refuse is refused.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn, Self, TypeVar, final

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as trees
from torch.utils._python_dispatch import TorchDispatchMode

DEVICE = torch.device("meta")
"""Its name: the one kind beside the CPU's that needs neither hardware nor a driver."""

HOUSE = Path(__file__).parents[2]
_OURS = tuple(f"{HOUSE / room}/" for room in ("algorithms", "tests"))
_PASSED = (__file__, f"{HOUSE}/algorithms/kernels/devices.py")  # who called these is who asks

_WAITED = {
    "aten::_linalg_check_errors", "aten::_linalg_eigh", "aten::_linalg_svd",
    "aten::_local_scalar_dense", "aten::_unique", "aten::_unique2", "aten::bincount", "aten::equal",
    "aten::is_nonzero", "aten::masked_select", "aten::nonzero", "aten::repeat_interleave",
    "aten::unique_consecutive", "aten::unique_dim",
}  # fmt: skip
"""Operations for which the host waits: it reads a value, the size of the result or whether a
decomposition came to an end."""

_COPIES = {"aten::_to_copy", "aten::copy_"}
_INDEXED = {"aten::index", "aten::index_put", "aten::index_put_", "aten::_index_put_impl_"}
_MADE_OF_PYTHON = {torch.tensor, torch.as_tensor, torch.Tensor.new_tensor}

T = TypeVar("T")


class DevicesMixed(RuntimeError):
    """One operation got tensors of the device and of the CPU."""


@final
class DeviceTensor(Tensor):
    """A tensor of ``DEVICE``.

    Attributes:
        held: its numbers, on the CPU; a view of another's where it is one.
    """

    held: Tensor

    @staticmethod
    def __new__(cls, held: Tensor) -> Self:
        made: Self = torch.Tensor._make_wrapper_subclass(
            cls,
            held.size(),
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device=DEVICE,
        )
        made.held = held
        return made

    def __repr__(self, **_: Any) -> str:
        return f"DeviceTensor({self.held!r})"

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(
        cls, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> NoReturn:
        raise RuntimeError(f"{function} on a DeviceTensor outside of a DeviceDouble")

    def numpy(self, *, force: bool = False) -> NoReturn:
        raise TypeError("a tensor of the device has no numpy; .cpu() first would do")


@final
class DeviceDouble(TorchDispatchMode):
    """Within, ``DEVICE`` is there.

    Attributes:
        waits: places (``file:function``) that had the host wait for the device, and for what.
        uploads: places that copied numbers of the host to the device without waiting.
    """

    def __init__(self) -> None:
        super().__init__()
        self.waits: dict[str, set[str]] = {}
        self.uploads: dict[str, set[str]] = {}
        self._functions = _Functions(self)

    def __enter__(self) -> Self:
        super().__enter__()
        self._functions.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._functions.__exit__(*error)
        super().__exit__(*error)

    def forget(self) -> None:
        """Begin to note anew."""
        self.waits.clear()
        self.uploads.clear()

    def note(self, known: dict[str, set[str]], what: str) -> None:
        known.setdefault(_asking(), set()).add(what)

    def __torch_dispatch__(
        self,
        function: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        options = dict(kwargs or {})
        flat, tree = trees.tree_flatten((args, options))
        here = [x for x in flat if isinstance(x, DeviceTensor)]
        asked = options.get("device")
        if not here and (asked is None or torch.device(asked) != DEVICE):
            return function(*args, **options)
        name = function.overloadpacket._qualified_op_name
        lands = bool(here) if asked is None else torch.device(asked) == DEVICE
        if name in _COPIES:
            source = args[1] if name == "aten::copy_" else args[0]
            target = isinstance(args[0], DeviceTensor) if name == "aten::copy_" else lands
            if isinstance(source, DeviceTensor) != target:
                free = target and _is_free(name, args, options)
                up = " up" if target else ""
                self.note(self.uploads if free else self.waits, f"{name}{up}")
            lands = target
        else:
            self._look(name, args, options, flat, here)
        inner = [x.held if isinstance(x, DeviceTensor) else x for x in flat]
        plain_args, plain_options = trees.tree_unflatten(inner, tree)
        if asked is not None:
            plain_options["device"] = "cpu"
        known = {id(x.held): x for x in here}
        result = function(*plain_args, **plain_options)
        return trees.tree_map(lambda x: _wrapped(x, known, lands), result)

    def _look(
        self, name: str, args: tuple[Any, ...], options: dict[str, Any], flat: list[Any],
        here: list[Any],
    ) -> None:  # fmt: skip
        """Note what an operation on the device reads, and refuse one of tensors of two devices."""
        strangers = [
            x for x in flat if isinstance(x, Tensor) and not isinstance(x, DeviceTensor) and x.dim()
        ]
        if name in _INDEXED and isinstance(args[0], DeviceTensor):
            indices = [x for x in args[1] if x is not None]
            masks = [x for x in indices if x.dtype in (torch.bool, torch.uint8)]
            filled = name != "aten::index" and args[2].numel() == 1
            if any(isinstance(x, DeviceTensor) for x in masks) and not filled:
                self.note(self.waits, f"{name} by a mask")
            if any(x is stranger for x in indices for stranger in strangers):
                self.note(self.waits, f"{name} by positions of the host")
            strangers = [x for x in strangers if not any(x is index for index in indices)]
        if here and strangers:
            shapes = [tuple(x.shape) for x in strangers]
            raise DevicesMixed(f"{name} in {_asking()} got tensors of the CPU of shapes {shapes}")
        if name == "aten::repeat_interleave" and options.get("output_size") is not None:
            return
        if name in _WAITED:
            self.note(self.waits, name)


@final
class _Functions(TorchFunctionMode):
    """What never gets to the dispatcher: tensors made of Python's numbers, and lists of tensors."""

    def __init__(self, double: DeviceDouble) -> None:
        super().__init__()
        self._double = double

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        options = dict(kwargs or {})
        if function is torch.Tensor.tolist and isinstance(args[0], DeviceTensor):
            self._double.note(self._double.waits, "tolist")
            return args[0].held.tolist()
        if function in _MADE_OF_PYTHON and not isinstance(args[-1], Tensor):
            asked = options.pop("device", None)
            if function is torch.Tensor.new_tensor:
                asked = args[0].device if asked is None else asked
                options.setdefault("dtype", args[0].dtype)
                args = args[1:]
            made = torch.tensor(*args, **options)
            if asked is None or torch.device(asked) != DEVICE:
                return made if asked is None else made.to(asked)
            return made.to(DEVICE)
        return function(*args, **options)


def _is_free(name: str, args: tuple[Any, ...], options: Mapping[str, Any]) -> bool:
    """Whether a copy to the device is one that the host does not wait for."""
    free = args[2] if name == "aten::copy_" and len(args) > 2 else options.get("non_blocking")
    return bool(free)


def _wrapped(x: Any, known: Mapping[int, DeviceTensor], lands: bool) -> Any:
    """A result as the device's, if it ``lands`` there; one that was written in place is itself."""
    if not isinstance(x, Tensor) or not lands:
        return x
    if (same := known.get(id(x))) is None:
        return DeviceTensor(x)
    if same.shape != x.shape:
        raise NotImplementedError(f"a tensor of the device resized in place to {tuple(x.shape)}")
    return same


def _asking() -> str:
    """The innermost function of the project, ``file:name``, that is under way."""
    frame = sys._getframe(1)
    while (file := frame.f_code.co_filename) in _PASSED or not file.startswith(_OURS):
        assert frame.f_back is not None, "nothing of the project asks"
        frame = frame.f_back
    return f"{Path(file).relative_to(HOUSE)}:{frame.f_code.co_qualname}"


def held(x: Tensor) -> Tensor:
    """The numbers of a tensor of either device, on the CPU; nothing is noted."""
    return x.held if isinstance(x, DeviceTensor) else x
