"""Defects met in public code, written again from their description, each with what must find it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import torch

from proofs_check.method_audit.subject import MethodSubject, State, method
from proofs_check.method_audit.torch_loops import Workers, torch_method
from tests.proofs_check.method_audit import sound
from tests.proofs_check.method_audit.sound import by_rows, directed, fedavg, local_counts, top1

Array = Any


class Fault(NamedTuple):
    """A faulty method, and a check that must refute it."""

    what: str
    subject: MethodSubject
    check: str
    says: str = ""


def of(subject: MethodSubject, step: Callable[..., State], **changes: Any) -> MethodSubject:
    return replace(subject, step=step, **changes)


# EF21


def compresses_gradient(state: State, gradients: Any, gamma: float, compress: Any) -> State:
    x = state["x"] - gamma * state["g"]
    c = by_rows(compress, gradients(x))
    return {"x": x, "g": c.mean(0), "g_i": c}


def uncompressed_memory(state: State, gradients: Any, gamma: float, compress: Any) -> State:
    x = state["x"] - gamma * state["g"]
    now = gradients(x)
    sent = by_rows(compress, now - state["g_i"])
    return {"x": x, "g": state["g"] + sent.mean(0), "g_i": now}


def forgets_absent(state: State, gradients: Any, gamma: float, compress: Any, rng: Any) -> State:
    x = state["x"] - gamma * state["g"]
    present = rng.random(len(state["g_i"])) < 0.5
    c = by_rows(compress, gradients(x) - state["g_i"]) * present[:, None]
    g_i = state["g_i"] + c
    g = g_i[present].mean(0) if present.any() else state["g"]
    return {"x": x, "g": g, "g_i": g_i}


def unscaled(state: State, gradients: Any, gamma: float, rng: Any) -> State:
    """rand-k as it is unbiased, not divided by 1 + omega, in a memory of differences."""
    x = state["x"] - gamma * state["g"]
    c = np.stack([3 * sound.rand1(row, rng) for row in gradients(x) - state["g_i"]])
    return {"x": x, "g": state["g"] + c.mean(0), "g_i": state["g_i"] + c}


def wrong_start(x0: Array, gradients: Any) -> State:
    return {"x": x0.copy(), "g": 0 * x0, "g_i": gradients(x0)}


# MARINA


def own_coins(
    state: State, gradients: Any, gamma: float, p: float, compress: Any, rng: Any
) -> State:
    x = state["x"] - gamma * state["g"]
    now, before = gradients(x), gradients(state["x"])
    parts = [
        now[i] if rng.random() < p else state["g"] + compress(now[i] - before[i], rng)
        for i in range(len(now))
    ]
    return {"x": x, "g": np.mean(parts, axis=0)}


def stale_before(
    state: State, gradients: Any, gamma: float, p: float, compress: Any, rng: Any
) -> State:
    """The old gradient is that of the model before the last one."""
    x = state["x"] - gamma * state["g"]
    now, before = gradients(x), gradients(state["old"])
    if rng.random() < p:
        return {"x": x, "g": now.mean(0), "old": state["x"]}
    sent = np.stack([compress(row, rng) for row in now - before])
    return {"x": x, "g": state["g"] + sent.mean(0), "old": state["x"]}


# server optimisers


def adam(form: str) -> Callable[..., State]:
    def step(
        state: State, gradients: Any, eta: float, eta_g: float, K: int, b1: float, b2: float,
        tau: float, t: int,
    ) -> State:  # fmt: skip
        delta = fedavg(state, gradients, eta, 1.0, K)["x"] - state["x"]
        m = b1 * state["m"] + (1 - b1) * delta
        square = m**2 if form == "m squared" else delta**2
        v = b2 * state["v"] + (1 - b2) * square
        move = delta if form == "m replaced" else m
        if form == "corrected":
            move, v_used = m / (1 - b1 ** (t + 1)), v / (1 - b2 ** (t + 1))
        else:
            v_used = v
        return {"x": state["x"] + eta_g * move / (np.sqrt(v_used) + tau), "m": m, "v": v}

    return step


FEDADAM_CLAIMED = replace(sound.FEDADAM, equals={"": sound.FEDADAM})


def no_v0(x0: Array, gradients: Any) -> State:
    return {"x": x0.copy(), "m": 0 * x0, "v": 0 * x0}


# SCAFFOLD


def scaffold(form: str) -> Callable[..., State]:
    def step(state: State, gradients: Any, eta: float, eta_g: float, K: int) -> State:
        x, c, c_i = state["x"], state["c"], state["c_i"]
        y = np.tile(x, (len(c_i), 1))
        for _ in range(K):
            corrected = gradients(y) - c_i + c
            y = y - eta * (gradients(y) if form == "never applied" else corrected)
        new = c_i - c + (x - y) / ((2 if form == "epochs" else K) * eta)
        change = new - c_i
        kept = new
        if form == "never stored":
            change, kept = new - c, c_i
        if form == "sent whole":
            change = new
        moved = change.sum(0) / (len(c_i) - 1 if form == "divides by S" else len(c_i))
        return {"x": x + eta_g * (y - x).mean(0), "c": c + moved, "c_i": kept}

    return step


def random_controls(x0: Array, gradients: Any, rng: Any) -> State:
    n = gradients.instance.n
    return {"x": x0.copy(), "c": rng.random(len(x0)), "c_i": rng.random((n, len(x0)))}


def unequal_counts(state: State, gradients: Any, eta: float) -> State:
    """Workers take 1, 5 or 2 steps, and all controls are divided by one K, their mean."""
    x, c, c_i = state["x"], state["c"], state["c_i"]
    counts, ends = local_counts(len(c_i)), []
    for i, count in enumerate(counts):
        y = x.copy()
        for _ in range(count):
            y = y - eta * (gradients(y, i) - c_i[i] + c)
        ends.append(y)
    new = c_i - c + (x - np.stack(ends)) / (np.mean(counts) * eta)
    return {"x": np.mean(ends, axis=0), "c": c + (new - c_i).mean(0), "c_i": new}


UNEQUAL_CLAIMED = replace(sound.SCAFFOLD_UNEQUAL, equals={"": sound.SCAFFOLD_UNEQUAL})


# ProxSkip


def proxskip(form: str) -> Callable[..., State]:
    def step(state: State, gradients: Any, gamma: float, p: float, rng: Any) -> State:
        x, h = state["x"], state["h"]
        half = x - gamma * (gradients(x) - h)
        if form == "own coins":
            meets = rng.random(len(x)) < p
            new = np.where(meets[:, None], (half - gamma / p * h).mean(0), half)
            return {"x": new, "h": h + p / gamma * (new - half)}
        meets = rng.random() < p
        mean = np.tile((half - gamma / p * h).mean(0), (len(x), 1))
        sign = -1 if form == "wrong sign" else 1
        moved = sign * p / gamma * (mean - half)
        if form == "overwritten":
            moved = 0 * moved
        if form == "on tails":
            return {"x": mean if meets else half, "h": h + moved}
        return {"x": mean, "h": h + moved} if meets else {"x": half, "h": h}

    return step


PROXSKIP_CLAIMED = replace(sound.PROXSKIP, equals={"": sound.PROXSKIP})


# FedProx, DiLoCo


def fedprox(form: str) -> Callable[..., State]:
    def step(state: State, gradients: Any, eta: float, K: int, mu: float) -> State:
        y = np.tile(state["x"], (gradients.instance.n, 1))
        anchor = y.copy()
        for _ in range(K):
            if form == "aliased":
                anchor = y
            pull = y - anchor
            if form == "norm":
                length = np.linalg.norm(pull, axis=1, keepdims=True)
                pull = np.divide(pull, 2 * length, out=np.zeros_like(pull), where=length > 0)
            y = y - eta * (gradients(y) + mu * pull)
        return {"x": y.mean(0)}

    return step


def diloco_sign(state: State, gradients: Any, eta: float, H: int, outer: float, mu: float) -> State:
    delta = fedavg(state, gradients, eta, 1.0, H)["x"] - state["x"]
    u = mu * state["u"] + delta
    return {"x": state["x"] - outer * (delta + mu * u), "u": u}


def streaming(form: str) -> MethodSubject:
    """Two fragments of the coordinates, each with its own outer optimiser, synchronised in turn."""

    def step(
        state: State, gradients: Any, eta: float, H: int, outer: float, mu: float, al: float, t: int
    ) -> State:
        x, base, u = state["x"].copy(), state["base"].copy(), state["u"].copy()
        for _ in range(H):
            x = x - eta * gradients(x)
        now = np.arange(x.shape[1]) % 2 == t % 2
        delta = base - x.mean(0)
        if form == "shared":
            u = mu * u + delta * now  # one optimiser: the others' momentum decays and is applied
            base = base - outer * np.where(now, delta + mu * u, mu * u)
        else:
            u = np.where(now, mu * u + delta, u)
            base = np.where(now, base - outer * (delta + mu * u), base)
        mix = 0.0 if form == "mix lost" else al
        x = np.where(now, mix * x + (1 - mix) * base, x)
        return {"x": x, "base": base, "u": u}

    return method(
        f"streaming DiLoCo, {form}", step, stepsize="outer",
        parameters={"eta": 0.1, "H": 3, "outer": 0.5, "mu": 0.5, "al": 0.25},
        start=lambda x0, g: {
            "x": np.tile(x0, (g.instance.n, 1)), "base": x0.copy(), "u": 0 * x0,
        },
    )  # fmt: skip


# decentralised


def from_zero(x0: Array, gradients: Any) -> State:
    found = sound.tracking(x0, gradients)
    return {**found, "y": 0 * found["y"]}


def other_stored(state: State, gradients: Any, W: Array, a: float) -> State:
    """The gradient that is kept is not the one that was used: taken before the step."""
    x = W @ state["x"] - a * state["y"]
    g = gradients(x)
    return {"x": x, "y": W @ state["y"] + g - state["g"], "g": gradients(state["x"])}


def exchanged(first: str, second: str) -> Callable[..., State]:
    def step(state: State, gradients: Any, W: Array, a: float) -> State:
        R, C = directed(len(W))
        named = {"R": R, "C": C}
        x = named[first] @ (state["x"] - a * state["y"])
        g = gradients(x)
        return {"x": x, "y": named[second] @ state["y"] + g - state["g"], "g": g}

    return step


def nids_mixed_first(state: State, gradients: Any, W: Array, a: float, t: int) -> State:
    x, g = state["x"], gradients(state["x"])
    if t == 0:
        return {"x": W @ (x - a * g), "old": x, "g": g}
    return sound.nids(state, gradients, W, a, t)


def extra_unmixed_first(state: State, gradients: Any, W: Array, a: float, t: int) -> State:
    x, g = state["x"], gradients(state["x"])
    if t == 0:
        start = x + np.arange(len(x))[:, None] * (a * g)  # whatever the papers' first step is not
        return {"x": start - a * g, "old": x, "g": g}
    return sound.extra(state, gradients, W, a, t)


def relay_by_count(state: State, gradients: Any, a: float) -> State:
    """Divides by how many messages have come, not by n with x0 for the missing."""
    y = state["x"] - a * gradients(state["x"])
    n = len(y)
    x = []
    for i in range(n):
        near = [j for j in range(n) if abs(i - j) < 2]
        x.append(sum(y[j] for j in near) / len(near))
    return {"x": np.stack(x), "y": y}


def qgm_extra_factor(state: State, gradients: Any, W: Array, a: float, beta: float) -> State:
    half = state["x"] - a * (beta * state["m"] + gradients(state["x"])) / (1 + beta)
    x = W @ half
    return {"x": x, "m": beta * state["m"] + (1 - beta) * (state["x"] - x) / a}


QGM_CLAIMED = replace(sound.QGM, equals={"": sound.QGM})


# language models


def demo(k: int) -> MethodSubject:
    """DeMo on chunks of two: the k largest of the orthonormal DCT leave the momentum."""
    turn = np.array([[1.0, 1.0], [1.0, -1.0]]) / np.sqrt(2)

    def keep(row: Array) -> Array:
        if k >= len(row):
            return row
        spectrum = turn @ row
        spectrum[np.argsort(-np.abs(spectrum))[k:]] = 0
        return turn.T @ spectrum

    def step(state: State, gradients: Any, a: float, beta: float) -> State:
        m = beta * state["m"] + gradients(state["x"])
        q = by_rows(keep, m)
        return {"x": state["x"] - a * np.sign(q.sum(0)), "m": m - q}

    return method(
        "DeMo", step, parameters={"a": 0.01, "beta": 0.9},
        start=lambda x0, g: {"x": x0.copy(), "m": 0 * g(x0)},
    )  # fmt: skip


def one_bit_adam(form: str) -> MethodSubject:
    """1-bit Adam after its warm-up: v frozen, momentum by signs with feedback."""

    def sign(row: Array) -> Array:
        return np.abs(row).mean() * np.sign(row)

    def step(state: State, gradients: Any, a: float, b1: float, t: int) -> State:
        g = gradients(state["x"])
        if t < 5:
            m, v = b1 * state["m"] + (1 - b1) * g.mean(0), 0.99 * state["v"] + g.mean(0) ** 2 / 100
            return {**state, "x": state["x"] - a * m / (np.sqrt(v) + 0.1), "m": m, "v": v}
        whole = b1 * state["m"] + (1 - b1) * g + state["e"]
        sent = by_rows(sign, whole)
        m = sent.mean(0)
        e = 0 * whole if form == "cleared" else whole - sent
        v = 0.99 * state["v"] + m**2 / 100 if form == "not frozen" else state["v"]
        return {"x": state["x"] - a * m / (np.sqrt(v) + 0.1), "m": m, "v": v, "e": e}

    def start(x0: Array, gradients: Any) -> State:
        return {"x": x0.copy(), "m": 0 * x0, "v": 0 * x0 + 0.5, "e": 0 * gradients(x0)}

    return method(f"1-bit Adam, {form}", step, start=start, parameters={"a": 0.05, "b1": 0.5},
                  stepsize="a")  # fmt: skip


ONE_BIT = one_bit_adam("sound")


# error feedback


def no_memory(state: State, gradients: Any, gamma: float, compress: Any) -> State:
    """Its memory is never used (EFSignSGD of a public library)."""
    v = gamma * gradients(state["x"])
    c = by_rows(compress, v)
    return {"x": state["x"] - c.mean(0), "e": v - c}


class AliasedEF21(torch.optim.Optimizer):
    """Keeps p.grad itself as its first estimate, so that zero_grad clears the state."""

    def __init__(self, params: Any, gamma: float, copies: bool = False) -> None:
        super().__init__(params, {"gamma": gamma, "copies": copies})

    def estimate(self) -> torch.Tensor:
        group = self.param_groups[0]
        p = group["params"][0]
        state = self.state[p]
        if "g_i" not in state:
            state["g_i"] = p.grad.clone() if group["copies"] else p.grad
            return state["g_i"].clone()  # type: ignore[no-any-return]
        sent = torch.from_numpy(top1((p.grad - state["g_i"]).numpy()))
        state["g_i"] = state["g_i"] + sent
        return sent


def ef21_loop(workers: Workers, gamma: float) -> None:
    for optimizer, loss in zip(workers.optimizers, workers.losses, strict=True):
        optimizer.zero_grad(set_to_none=False)
        loss().backward()
    sent = torch.stack([one.estimate() for one in workers.optimizers]).mean(0)  # type: ignore[attr-defined]
    g = workers.server.get("g", torch.zeros_like(sent)) + sent
    workers.server["g"] = g
    with torch.no_grad():
        for model in workers.models:
            model -= gamma * g


TORCH_EF21 = torch_method(
    "EF21 as an optimizer", lambda params, gamma: AliasedEF21(params, gamma, copies=True),
    ef21_loop, parameters={"gamma": 0.05}, exact=True, conserves=("g = mean(g_i)",),
)  # fmt: skip
TORCH_ALIASED = replace(
    torch_method("EF21, aliased", AliasedEF21, ef21_loop, parameters={"gamma": 0.05}, exact=True,
                 conserves=("g = mean(g_i)",)),
)  # fmt: skip

S, P = sound.SCAFFOLD, sound.PROXSKIP

FAULTS: tuple[Fault, ...] = (
    Fault("EF21 compresses the gradient", of(sound.EF21, compresses_gradient), "fixed point"),
    Fault("EF21 compresses the gradient: named", of(sound.EF21, compresses_gradient), "state"),
    Fault("EF21's memory takes the whole difference", of(sound.EF21, uncompressed_memory),
          "conservation"),
    Fault("EF21 forgets absent workers", of(sound.EF21, forgets_absent), "conservation"),
    Fault("EF21 with rand-k not scaled", of(sound.EF21, unscaled), "fixed point"),
    Fault("EF21 started apart", replace(sound.EF21, start=wrong_start), "conservation"),
    Fault("EF21 keeps the gradient's buffer", TORCH_ALIASED, "fixed point"),
    Fault("EF never uses its memory", of(sound.EF, no_memory), "plainer", "compressed gradient"),
    Fault("MARINA with a coin a worker", of(sound.MARINA, own_coins), "fixed point"),
    Fault("MARINA's old gradient is stale", of(sound.MARINA, stale_before, start=lambda x0, g: {
        "x": x0.copy(), "g": g(x0).mean(0), "old": x0.copy()}), "equality"),
    Fault("FedAdam moves by D", of(FEDADAM_CLAIMED, adam("m replaced")), "parameter", "b1 has no"),
    Fault("FedAdam squares m", of(FEDADAM_CLAIMED, adam("m squared")), "equality"),
    Fault("FedAdam corrects its bias", of(FEDADAM_CLAIMED, adam("corrected")), "equality"),
    Fault("FedAdam starts v at 0", replace(FEDADAM_CLAIMED, start=no_v0), "equality"),
    Fault("SCAFFOLD's correction is never applied", of(S, scaffold("never applied")), "plainer",
          "FedAvg with 5 local steps"),
    Fault("SCAFFOLD never stores c_i", of(S, scaffold("never stored")), "state", "never stored"),
    Fault("SCAFFOLD sends c_i+ whole", of(S, scaffold("sent whole")), "conservation"),
    Fault("SCAFFOLD divides by epochs", of(S, scaffold("epochs")), "fixed point"),
    Fault("SCAFFOLD's server divides by |S|", of(S, scaffold("divides by S")), "conservation"),
    Fault("SCAFFOLD's controls start at random", replace(S, start=random_controls), "conservation"),
    Fault("SCAFFOLD with unequal steps and one K", of(UNEQUAL_CLAIMED, unequal_counts), "equality"),
    Fault("ProxSkip with a coin a worker", of(P, proxskip("own coins")), "conservation"),
    Fault("ProxSkip updates h on tails", of(PROXSKIP_CLAIMED, proxskip("on tails")), "equality"),
    Fault("ProxSkip's sign", of(P, proxskip("wrong sign")), "fixed point"),
    Fault("ProxSkip's h never moves", of(P, proxskip("overwritten")), "state", "never stored"),
    Fault("FedProx's anchor is the live model", of(sound.FEDPROX, fedprox("aliased")), "parameter",
          "mu has no effect"),
    Fault("FedProx with the norm, not squared",
          of(replace(sound.FEDPROX, equals={"": sound.FEDPROX}), fedprox("norm")), "equality"),
    Fault("DiLoCo's sign of D", of(sound.DILOCO, diloco_sign), "equality"),
    Fault("streaming DiLoCo, one outer optimiser", replace(streaming("shared"), equals={
        "": streaming("sound")}), "equality"),
    Fault("streaming DiLoCo loses the mix", streaming("mix lost"), "parameter", "al has no effect"),
    Fault("DIGing from y = 0", replace(sound.DIGING, start=from_zero), "conservation"),
    Fault("DIGing stores another gradient", of(sound.DIGING, other_stored), "conservation"),
    Fault("NIDS mixes its first step", of(replace(sound.NIDS, equals={"": sound.NIDS}),
                                          nids_mixed_first), "equality"),
    Fault("EXTRA's first step", of(sound.EXTRA, extra_unmixed_first), "fixed point"),
    Fault("push-pull, R and C exchanged", of(sound.PUSH_PULL, exchanged("C", "R")), "fixed point"),
    Fault("push-pull, C twice", of(sound.PUSH_PULL, exchanged("C", "C")), "fixed point"),
    Fault("push-pull, R twice", of(sound.PUSH_PULL, exchanged("R", "R")), "conservation"),
    Fault("RelaySGD divides by the count", of(sound.RELAY, relay_by_count), "fixed point"),
    Fault("quasi-global momentum, 1/(1 + beta)", of(QGM_CLAIMED, qgm_extra_factor), "equality"),
    Fault("DeMo sends all: momentum vanishes", demo(2), "parameter", "beta has no effect"),
    Fault("1-bit Adam does not freeze v", replace(one_bit_adam("not frozen"), equals={
        "": ONE_BIT}), "equality"),
    Fault("1-bit Adam clears its memories", replace(one_bit_adam("cleared"), equals={
        "": ONE_BIT}), "equality"),
)  # fmt: skip
