"""Manners of a function of arrays: type, precision, device and shape kept, memory of its own."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from proofs_check.audit.arrays import tensor_of
from proofs_check.audit.history import shown
from proofs_check.audit.reporting import raised
from proofs_check.audit.traits import ordinary
from proofs_check.audit.trial import Trial
from proofs_check.verdict import Outcome, Verdict

_PRECISIONS = (torch.float32, torch.float64)


def check_array_contract(trial: Trial) -> list[Verdict]:
    """One verdict for each of the matters above."""
    return [
        _dtype(trial),
        _double(trial),
        _device(trial),
        _shape(trial),
        _matrix(trial),
        _own_memory(trial),
    ]


def _answer(trial: Trial, x: Tensor) -> tuple[Any, Any]:
    """Input given and output returned."""
    given = trial.bench.subject.arrays.give(x)
    trial.bench.renew()
    return given, trial.bench.answer(given, 1)


def _dtype(trial: Trial) -> Verdict:
    claim, check = "the type of what comes back is that of the input", "dtype"
    description = []
    for dtype in _PRECISIONS:
        for d in trial.dims():
            x = torch.arange(1.0, d + 1, dtype=dtype)
            try:
                _, y = _answer(trial, x)
            except Exception as error:  # a stranger's code may raise anything
                description.append(f"{_name(dtype)}: {raised(error)}")
                break
            if not trial.bench.subject.arrays.owns(y):
                evidence = f"d = {d}: {type(y).__name__} for {type(_).__name__} x = {shown(x)}"
                return trial.speaker.holds(claim, check, False, evidence)
            if tensor_of(y).dtype != dtype:
                evidence = f"d = {d}: {_name(tensor_of(y).dtype)} for {_name(dtype)} x = {shown(x)}"
                return trial.speaker.holds(claim, check, False, evidence)
        else:
            description.append(f"{_name(dtype)} kept")
    return trial.speaker.holds(claim, check, True, "; ".join(description))


def _double(trial: Trial) -> Verdict:
    claim, check = "takes double precision and works in it", "float64"
    d = trial.dims()[-1]
    x = ordinary(d, 5) * (1 + 2.0**-40)
    try:
        y = tensor_of(_answer(trial, x)[1])
    except Exception as error:  # a stranger's code may raise anything
        return trial.speaker.holds(claim, check, False, f"d = {d}: {raised(error)}")
    if y.dtype != torch.float64:
        return trial.speaker.holds(claim, check, False, f"returns {_name(y.dtype)}")
    if bool(y.any()) and torch.equal(y.to(torch.float32).to(torch.float64), y):
        description = (
            f"returns float64, but all {d} values fit float32, as if they had passed through it"
        )
        return trial.speaker.says(claim, check, Outcome.COMPARED, description)
    return trial.speaker.holds(claim, check, True, "float64 in, float64 out, with all its digits")


def _device(trial: Trial) -> Verdict:
    claim, check = "what comes back is on the device of the input", "device"
    if trial.bench.subject.arrays.name != "torch":
        description = "numpy arrays have no device"
        return trial.speaker.says(claim, check, Outcome.NOT_APPLICABLE, description)
    devices = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
    d = trial.dims()[-1]
    for device in devices:
        try:
            _, y = _answer(trial, ordinary(d).to(trial.bench.dtype).to(device))
        except Exception as error:  # a stranger's code may raise anything
            return trial.speaker.holds(claim, check, False, f"{device}: {raised(error)}")
        if isinstance(y, Tensor) and y.device.type != device:
            description = f"{y.device.type} for an input on {device}"
            return trial.speaker.holds(claim, check, False, description)
    return trial.speaker.holds(claim, check, True, f"kept on {' and '.join(devices)}")


def _shape(trial: Trial) -> Verdict:
    claim, check = "the shape of what comes back is that of the input", "shape"
    for d in trial.dims():
        x = torch.arange(1.0, d + 1, dtype=trial.bench.dtype)
        try:
            y = tensor_of(_answer(trial, x)[1])
        except Exception as error:  # a stranger's code may raise anything
            return trial.speaker.holds(claim, check, False, f"{raised(error)} for x = {shown(x)}")
        if y.shape != x.shape:
            description = f"shape {tuple(y.shape)} for shape {tuple(x.shape)}, x = {shown(x)}"
            return trial.speaker.holds(claim, check, False, description)
    return trial.speaker.holds(
        claim, check, True, f"kept for d = {', '.join(map(str, trial.dims()))}"
    )


def _matrix(trial: Trial) -> Verdict:
    """Vectors are all that is asked for; what becomes of a matrix is told."""
    claim, check = "takes a matrix as well", "matrix"
    d = trial.dims()[-1]
    x = ordinary(2 * d).to(trial.bench.dtype).view(2, d)
    try:
        y = tensor_of(_answer(trial, x)[1])
    except Exception as error:  # a stranger's code may raise anything
        return trial.speaker.says(claim, check, Outcome.COMPARED, f"no: {raised(error)}")
    description = f"shape {tuple(y.shape)} for shape {tuple(x.shape)}"
    return trial.speaker.says(claim, check, Outcome.COMPARED, description)


def _own_memory(trial: Trial) -> Verdict:
    claim, check = "what comes back has memory of its own", "aliasing"
    arrays = trial.bench.subject.arrays
    for d in trial.dims():
        given, y = _answer(trial, ordinary(d).to(trial.bench.dtype))
        if arrays.owns(y) and arrays.shares(given, y):
            description = (
                f"d = {d}: it shares memory with the input; changing one changes the other"
            )
            return trial.speaker.says(claim, check, Outcome.COMPARED, description)
    return trial.speaker.holds(claim, check, True, "no memory shared with the input")


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
