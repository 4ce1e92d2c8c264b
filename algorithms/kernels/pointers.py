"""Compiled functions as arguments of compiled loops, handed over in a tenth of a microsecond.

numba's own first-class functions look their address up by name at every call, which for ten of them
takes as long as a hundred small steps. A :class:`Pointer` has looked once.
"""

from __future__ import annotations

from typing import Any, final

from algorithms.kernels.compiled import COMPILED


@final
class Pointer:
    """Address of a compiled function.

    Attributes:
        entry: address of the function as other compiled code calls it.
    """

    __slots__ = ("entry", "function")

    def __init__(self, function: Any, signature: Any) -> None:
        result = function.get_compile_result(signature)
        library, names = result.library, result.fndesc
        self.function = function  # code lives as long as what points to it
        self.entry: int = library.get_pointer_to_function(names.llvm_func_name)


if COMPILED:
    from numba.core import cgutils, types
    from numba.experimental.function_type import FunctionModel
    from numba.extending import NativeValue, intrinsic, register_model, unbox

    @final
    class PointerType(types.FunctionType):
        """The type of pointers to functions of one signature."""

    register_model(PointerType)(FunctionModel)

    @unbox(PointerType)
    def _unboxed(typ, pointer, c):  # type: ignore[no-untyped-def]
        told = cgutils.create_struct_proxy(typ)(c.context, c.builder)
        number = c.pyapi.object_getattr_string(pointer, "entry")
        told.jit_addr = c.pyapi.long_as_voidptr(number)
        c.pyapi.decref(number)
        void = c.context.get_value_type(types.voidptr)
        told.py_addr = c.builder.bitcast(pointer, void)
        return NativeValue(told._getvalue())

    @intrinsic
    def _operator_at(context, address, x):  # type: ignore[no-untyped-def]
        """The operator (kind of ``row_parts``) for rows of the type of x whose ``entry`` is
        ``address``: how one part calls another."""
        from algorithms.kernels.row_parts import kinds_of

        kind = PointerType(kinds_of(x.dtype)["operator"])

        def made(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
            told = cgutils.create_struct_proxy(kind)(context, builder)
            void = context.get_value_type(types.voidptr)
            told.jit_addr = builder.inttoptr(arguments[0], void)
            return told._getvalue()

        return kind(address, x), made


else:

    def _operator_at(address: int, x: Any) -> Any:  # type: ignore[misc]
        """Nothing: without a compiler there are no addresses."""
        raise NotImplementedError("operators have addresses where numba is installed")
