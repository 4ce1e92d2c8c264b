"""Do the lengths of a message agree: closed form, code, bytes?"""

from __future__ import annotations

import torch
from torch import Tensor

from algorithms.compressors.base import Compressor, code_of
from algorithms.core.key import Key
from proofs_check.instruments.vectors import check_vectors
from proofs_check.verdict import CheckKind, Outcome, Verdict

LENGTHS = "message length"

_ABOVE = 33, 65
"""Dimensions of which the last place takes a bit more than those before it."""


def check_lengths(compressor: Compressor, *, d: int, seed: int = 0) -> Verdict:
    """Closed form = length by the code = bytes packed less padding, and all can be read back.

    Where lengths vary, each message's length must lie between what theory states of it. So too just
    above powers of two, in dimensions that the operator accepts.
    """
    sizes = [d, *(other for other in _ABOVE if other != d and _accepts(compressor, other))]
    faults = [
        fault
        for size in sizes
        for dtype in (torch.float32, torch.float64)
        for fault in _length_faults(compressor, size, seed, dtype)
    ]
    stated = compressor.stated_bits(d, 32)
    fixed = code_of(compressor, d, torch.float32).fixed_bits
    held = Outcome.SUPPORTED if fixed is None else Outcome.AGREES
    varying = f"messages vary in length, stated bound {stated:g} bits at d = {d}"
    return Verdict(
        subject=compressor.name,
        claim=varying
        if fixed is None
        else f"a message has {stated:g} bits at d = {d} in single precision",
        check=LENGTHS,
        kind=CheckKind.OPERATOR,
        outcome=Outcome.REFUTED if faults else held,
        statistic=None if fixed is None else float(fixed),
        bound=stated,
        resolution=0.0 if fixed is None else None,
        evidence="; ".join(faults)
        or "closed form = code = packed bytes less padding; messages read back bit for bit",
        provenance="closed form of theory.bits; float32 and float64, d = "
        f"{', '.join(map(str, sizes))}; seed {seed}",
    )


def _accepts(compressor: Compressor, d: int) -> bool:
    """Whether it can be asked in another dimension than that for which it was made."""
    try:
        compressor.claims(d)
        zero = torch.zeros((1, d), dtype=torch.float64)
        compressor.compress(zero, Key.seed(0).draws(torch.tensor(0), torch.arange(1)))
    except Exception:  # one of the caller's own may fail there by any
        return False
    return True


def _length_faults(compressor: Compressor, d: int, seed: int, dtype: torch.dtype) -> list[str]:
    key = Key.seed(seed).fold("length")
    last = torch.nn.functional.one_hot(torch.tensor(d - 1), d).double()
    rows = torch.stack((*check_vectors(d, key).values(), last)).to(dtype)
    draws = key.draws(torch.tensor(0), torch.arange(rows.shape[0]))
    code = code_of(compressor, d, dtype)
    symbols = compressor.encode(rows, draws)
    try:
        packed = code.pack(symbols)
    except ValueError as error:
        return [f"the message does not fit its layout: {error}"]
    lengths = code.lengths(symbols)
    sent = compressor.compress(rows, draws)
    faults = _misfits(compressor, sent, lengths, torch.finfo(dtype).bits)
    if packed.shape[-1] != -(-int(lengths.max()) // 8):
        faults.append(f"{packed.shape[-1]} bytes for {int(lengths.max())} bits")
    read = compressor.decode(code.unpack(packed, lengths), d, dtype, draws)
    if not torch.equal(read, sent):
        faults.append("what is read back from the bytes is not C(x)")
    return faults


def _misfits(compressor: Compressor, sent: Tensor, lengths: Tensor, float_bits: int) -> list[str]:
    """Messages whose length is not what theory states."""
    least, most = compressor.stated_lengths(sent, float_bits)
    wrong = ((lengths < least - 1e-9) | (lengths > most + 1e-9)).nonzero()
    if not len(wrong):
        return []
    at = tuple(wrong[0].tolist())
    low, high = float(least[at]), float(most[at])
    stated = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    return [f"{stated} bits stated, {int(lengths[at])} in the code (message {at})"]
