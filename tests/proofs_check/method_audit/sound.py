"""Published methods, written as their papers do, for the audit of methods."""

from __future__ import annotations

from typing import Any

import numpy as np

from proofs_check.method_audit.subject import MethodSubject, State, method

Array = Any


def rows(x0: Array, gradients: Any) -> State:
    return {"x": np.tile(x0, (gradients.instance.n, 1))}


def top1(v: Array) -> Array:
    kept = np.zeros_like(v)
    place = np.argmax(np.abs(v))
    kept[place] = v[place]
    return kept


def by_rows(compress: Any, v: Array) -> Array:
    return np.stack([compress(row) for row in v])


def gd(state: State, gradients: Any, eta: float) -> State:
    return {"x": state["x"] - eta * gradients(state["x"]).mean(0)}


GD = method("gradient descent", gd, parameters={"eta": 0.1}, exact=True, limit="2/L")


def heavy_ball(state: State, gradients: Any, eta: float, beta: float) -> State:
    m = beta * state["m"] + gradients(state["x"]).mean(0)
    return {"x": state["x"] - eta * m, "m": m}


HEAVY_BALL = method(
    "heavy ball", heavy_ball, parameters={"eta": 0.1, "beta": 0.5}, exact=True,
    start=lambda x0, g: {"x": x0.copy(), "m": 0 * x0}, limit="2*(1+beta)/L", equals={"beta=0": GD},
)  # fmt: skip


def fedavg(state: State, gradients: Any, eta: float, eta_g: float, K: int) -> State:
    y = np.tile(state["x"], (gradients.instance.n, 1))
    for _ in range(K):
        y = y - eta * gradients(y)
    return {"x": state["x"] + eta_g * (y.mean(0) - state["x"])}


FEDAVG = method("FedAvg", fedavg, parameters={"eta": 0.1, "eta_g": 1.0, "K": 5}, equals={"K=1": GD})


def fedadam(
    state: State, gradients: Any, eta: float, eta_g: float, K: int, b1: float, b2: float, tau: float
) -> State:
    y = fedavg(state, gradients, eta, 1.0, K)["x"]
    delta = y - state["x"]
    m = b1 * state["m"] + (1 - b1) * delta
    v = b2 * state["v"] + (1 - b2) * delta**2
    return {"x": state["x"] + eta_g * m / (np.sqrt(v) + tau), "m": m, "v": v}


FEDADAM = method(
    "FedAdam", fedadam,
    start=lambda x0, g, tau: {"x": x0.copy(), "m": 0 * x0, "v": 0 * x0 + tau**2},
    parameters={"eta": 0.1, "eta_g": 0.05, "K": 3, "b1": 0.9, "b2": 0.99, "tau": 0.01},
    stepsize="eta_g",
)  # fmt: skip


def fedprox(state: State, gradients: Any, eta: float, K: int, mu: float) -> State:
    y = np.tile(state["x"], (gradients.instance.n, 1))
    for _ in range(K):
        y = y - eta * (gradients(y) + mu * (y - state["x"]))
    return {"x": y.mean(0)}


FEDPROX = method(
    "FedProx", fedprox, parameters={"eta": 0.1, "K": 5, "mu": 1.0},
    equals={"mu=0": FEDAVG, "K=1": GD},
)  # fmt: skip


def local_counts(n: int) -> list[int]:
    return [1, 5, 2][:n]


def fednova(state: State, gradients: Any, eta: float) -> State:
    n, moves = gradients.instance.n, []
    counts = local_counts(n)
    for i, count in enumerate(counts):
        y = state["x"].copy()
        for _ in range(count):
            y = y - eta * gradients(y, i)
        moves.append((y - state["x"]) / count)
    return {"x": state["x"] + np.mean(counts) * np.mean(moves, axis=0)}


FEDNOVA = method("FedNova", fednova, parameters={"eta": 0.1})


def servers(x0: Array, gradients: Any) -> State:
    n = gradients.instance.n
    return {"x": x0.copy(), "c": 0 * x0, "c_i": np.zeros((n, len(x0)))}


def scaffold(state: State, gradients: Any, eta: float, eta_g: float, K: int) -> State:
    x, c, c_i = state["x"], state["c"], state["c_i"]
    y = np.tile(x, (len(c_i), 1))
    for _ in range(K):
        y = y - eta * (gradients(y) - c_i + c)
    new = c_i - c + (x - y) / (K * eta)
    return {"x": x + eta_g * (y - x).mean(0), "c": c + (new - c_i).mean(0), "c_i": new}


SCAFFOLD = method(
    "SCAFFOLD", scaffold, start=servers, parameters={"eta": 0.1, "eta_g": 1.0, "K": 5}, exact=True,
    conserves=("c = mean(c_i)",), equals={"K=1": GD},
)  # fmt: skip


def scaffold_unequal(state: State, gradients: Any, eta: float) -> State:
    """Workers take 1, 5 or 2 steps, and each control is divided by the worker's own."""
    x, c, c_i = state["x"], state["c"], state["c_i"]
    counts, ends = local_counts(len(c_i)), []
    for i, count in enumerate(counts):
        y = x.copy()
        for _ in range(count):
            y = y - eta * (gradients(y, i) - c_i[i] + c)
        ends.append(y)
    moved = (x - np.stack(ends)) / (np.array(counts)[:, None] * eta)
    new = c_i - c + moved
    return {"x": np.mean(ends, axis=0), "c": c + (new - c_i).mean(0), "c_i": new}


SCAFFOLD_UNEQUAL = method(
    "SCAFFOLD with unequal steps", scaffold_unequal, start=servers, parameters={"eta": 0.05},
    exact=True, conserves=("c = mean(c_i)",),
)  # fmt: skip


def scaffold_fresh(state: State, gradients: Any, eta: float, K: int) -> State:
    x = state["x"]
    c_i = gradients(x)
    y = np.tile(x, (len(c_i), 1))
    for _ in range(K):
        y = y - eta * (gradients(y) - c_i + c_i.mean(0))
    return {"x": y.mean(0)}


FEDLIN = method(
    "FedLin", scaffold_fresh, parameters={"eta": 0.1, "K": 5}, exact=True, equals={"K=1": GD}
)


def proxskip(state: State, gradients: Any, gamma: float, p: float, rng: Any) -> State:
    x, h = state["x"], state["h"]
    half = x - gamma * (gradients(x) - h)
    if rng.random() >= p:
        return {"x": half, "h": h}
    mean = np.tile((half - gamma / p * h).mean(0), (len(x), 1))
    return {"x": mean, "h": h + p / gamma * (mean - half)}


def with_h(x0: Array, gradients: Any) -> State:
    return {**rows(x0, gradients), "h": np.zeros((gradients.instance.n, len(x0)))}


PROXSKIP = method(
    "ProxSkip", proxskip, start=with_h, parameters={"gamma": 0.2, "p": 0.3}, exact=True,
    conserves=("sum(h) = 0",), equals={"p=1.0": GD.at(eta=0.2)},
)  # fmt: skip


def diloco(state: State, gradients: Any, eta: float, H: int, outer: float, mu: float) -> State:
    delta = state["x"] - fedavg(state, gradients, eta, 1.0, H)["x"]
    u = mu * state["u"] + delta
    return {"x": state["x"] - outer * (delta + mu * u), "u": u}


DILOCO = method(
    "DiLoCo", diloco, start=lambda x0, g: {"x": x0.copy(), "u": 0 * x0},
    parameters={"eta": 0.1, "H": 5, "outer": 0.7, "mu": 0.9}, stepsize="outer",
    equals={"outer=1.0, mu=0.0": FEDAVG},
)  # fmt: skip


def dgd(state: State, gradients: Any, W: Array, a: float) -> State:
    return {"x": W @ state["x"] - a * gradients(state["x"])}


DGD = method("DGD", dgd, start=rows, parameters={"a": 0.1})


def diging(state: State, gradients: Any, W: Array, a: float) -> State:
    x = W @ state["x"] - a * state["y"]
    g = gradients(x)
    return {"x": x, "y": W @ state["y"] + g - state["g"], "g": g}


def tracking(x0: Array, gradients: Any) -> State:
    x = np.tile(x0, (gradients.instance.n, 1))
    return {"x": x, "y": gradients(x), "g": gradients(x)}


TRACKED = ("mean(y) = mean(grad)",)
DIGING = method(
    "DIGing", diging, start=tracking, parameters={"a": 0.05}, exact=True, conserves=TRACKED,
    limit="(1+l_n)**2/(2*L)",
)  # fmt: skip


def atc(state: State, gradients: Any, W: Array, a: float) -> State:
    x = W @ (state["x"] - a * state["y"])
    g = gradients(x)
    return {"x": x, "y": W @ (state["y"] + g - state["g"]), "g": g}


ATC = method(
    "ATC tracking", atc, start=tracking, parameters={"a": 0.1}, exact=True, conserves=TRACKED,
    limit="min(2, (1+l_n)**2/(2*l_n**2))/L",
)  # fmt: skip


def extra(state: State, gradients: Any, W: Array, a: float, t: int) -> State:
    x, g = state["x"], gradients(state["x"])
    if t == 0:
        return {"x": W @ x - a * g, "old": x, "g": g}
    new = x + W @ x - (state["old"] + W @ state["old"]) / 2 - a * (g - state["g"])
    return {"x": new, "old": x, "g": g}


def with_old(x0: Array, gradients: Any) -> State:
    x = np.tile(x0, (gradients.instance.n, 1))
    return {"x": x, "old": x.copy(), "g": np.zeros_like(x)}


EXTRA = method(
    "EXTRA", extra, start=with_old, parameters={"a": 0.1}, exact=True, limit="(5+3*l_n)/(4*L)"
)


def nids(state: State, gradients: Any, W: Array, a: float, t: int) -> State:
    x, g = state["x"], gradients(state["x"])
    if t == 0:
        return {"x": x - a * g, "old": x, "g": g}
    moved = 2 * x - state["old"] - a * (g - state["g"])
    return {"x": (moved + W @ moved) / 2, "old": x, "g": g}


NIDS = method("NIDS", nids, start=with_old, parameters={"a": 0.1}, exact=True, limit="2/L")


def diffusion(state: State, gradients: Any, W: Array, a: float) -> State:
    psi = state["x"] - a * gradients(state["x"])
    phi = psi + state["x"] - state["psi"]
    return {"x": (phi + W @ phi) / 2, "psi": psi}


EXACT_DIFFUSION = method(
    "exact diffusion", diffusion, parameters={"a": 0.1}, exact=True, limit="2/L",
    start=lambda x0, g: {**rows(x0, g), "psi": rows(x0, g)["x"]},
)  # fmt: skip


def d2(state: State, gradients: Any, W: Array, a: float, t: int) -> State:
    x, g = state["x"], gradients(state["x"])
    if t == 0:
        return {"x": W @ (x - a * g), "old": x, "g": g}
    return {"x": W @ (2 * x - state["old"] - a * (g - state["g"])), "old": x, "g": g}


D2 = method("D2", d2, start=with_old, parameters={"a": 0.1})


def ef(state: State, gradients: Any, gamma: float, compress: Any) -> State:
    v = state["e"] + gamma * gradients(state["x"])
    c = by_rows(compress, v)
    return {"x": state["x"] - c.mean(0), "e": v - c}


EF = method(
    "EF", ef, start=lambda x0, g: {"x": x0.copy(), "e": np.zeros((g.instance.n, len(x0)))},
    parameters={"gamma": 0.05, "compress": top1}, equals={"compress=identity": GD.at(eta=0.05)},
)  # fmt: skip


def ef21(state: State, gradients: Any, gamma: float, compress: Any) -> State:
    x = state["x"] - gamma * state["g"]
    c = by_rows(compress, gradients(x) - state["g_i"])
    return {"x": x, "g": state["g"] + c.mean(0), "g_i": state["g_i"] + c}


def estimates(x0: Array, gradients: Any) -> State:
    g = gradients(x0)
    return {"x": x0.copy(), "g": g.mean(0), "g_i": g}


EF21 = method(
    "EF21", ef21, start=estimates, parameters={"gamma": 0.05, "compress": top1}, exact=True,
    conserves=("g = mean(g_i)",), equals={"compress=identity": GD.at(eta=0.05)},
)  # fmt: skip


def econtrol(state: State, gradients: Any, gamma: float, eta: float, compress: Any) -> State:
    g = gradients(state["x"])
    h = state["h"] + by_rows(compress, eta * state["e"] + g - state["h"])
    return {"x": state["x"] - gamma * h.mean(0), "h": h, "e": state["e"] + g - h}


ECONTROL = method(
    "EControl", econtrol, parameters={"gamma": 0.02, "eta": 0.1, "compress": top1}, exact=True,
    start=lambda x0, g: {"x": x0.copy(), "h": g(x0), "e": 0 * g(x0)}, stepsize="gamma",
)  # fmt: skip


def rand1(v: Array, rng: Any) -> Array:
    kept = np.zeros_like(v)
    place = rng.integers(len(v))
    kept[place] = len(v) * v[place]
    return kept


def marina(state: State, gradients: Any, gamma: float, p: float, compress: Any, rng: Any) -> State:
    x = state["x"] - gamma * state["g"]
    now, before = gradients(x), gradients(state["x"])
    if rng.random() < p:
        return {"x": x, "g": now.mean(0)}
    sent = np.stack([compress(row, rng) for row in now - before])
    return {"x": x, "g": state["g"] + sent.mean(0)}


MARINA = method(
    "MARINA", marina, parameters={"gamma": 0.1, "p": 0.4, "compress": rand1}, exact=True,
    start=lambda x0, g: {"x": x0.copy(), "g": g(x0).mean(0)},
    equals={"p=1.0": GD, "compress=identity": GD},
)  # fmt: skip


def dasha(state: State, gradients: Any, gamma: float, a: float, rng: Any) -> State:
    x = state["x"] - gamma * state["g"]
    h = gradients(x)
    moved = h - state["h"] - a * (state["g_i"] - state["h"])
    m = np.stack([rand1(row, rng) for row in moved])
    return {"x": x, "g": state["g"] + m.mean(0), "g_i": state["g_i"] + m, "h": h}


DASHA = method(
    "DASHA", dasha, start=lambda x0, g: {**estimates(x0, g), "h": g(x0)},
    parameters={"gamma": 0.05, "a": 1 / 3}, exact=True, conserves=("g = mean(g_i)", "h = grad"),
    stepsize="gamma",
)  # fmt: skip


def diana(state: State, gradients: Any, gamma: float, alpha: float, rng: Any) -> State:
    sent = np.stack([rand1(row, rng) for row in gradients(state["x"]) - state["h_i"]])
    return {
        "x": state["x"] - gamma * (state["h"] + sent.mean(0)),
        "h": state["h"] + alpha * sent.mean(0), "h_i": state["h_i"] + alpha * sent,
    }  # fmt: skip


DIANA = method(
    "DIANA", diana, parameters={"gamma": 0.05, "alpha": 0.5}, exact=True, stepsize="gamma",
    start=lambda x0, g: {"x": x0.copy(), "h": 0 * x0, "h_i": 0 * g(x0)},
    conserves=("h = mean(h_i)",),
)  # fmt: skip


def beer(state: State, gradients: Any, W: Array, a: float, c: float, compress: Any) -> State:
    pull = W - np.eye(len(W))
    x = state["x"] + c * pull @ state["h"] - a * state["v"]
    h = state["h"] + by_rows(compress, x - state["h"])
    g = gradients(x)
    v = state["v"] + c * pull @ state["z"] + g - state["g"]
    return {"x": x, "h": h, "v": v, "z": state["z"] + by_rows(compress, v - state["z"]), "g": g}


def beer_start(x0: Array, gradients: Any) -> State:
    x = np.tile(x0, (gradients.instance.n, 1))
    g = gradients(x)
    return {"x": x, "h": 0 * x, "v": g, "z": 0 * x, "g": gradients(x)}


BEER = method(
    "BEER", beer, start=beer_start, parameters={"a": 0.02, "c": 0.3, "compress": top1}, exact=True,
    conserves=("mean(v) = mean(grad)",),
)  # fmt: skip


def lead(state: State, gradients: Any, W: Array, a: float, c: float, al: float, rng: Any) -> State:
    g = gradients(state["x"])
    y = state["x"] - a * g - a * state["d"]
    q = np.stack([rand1(row, rng) for row in y - state["h"]])
    read, mixed = state["h"] + q, state["hw"] + W @ q
    d = state["d"] + c / (2 * a) * (read - mixed)
    return {
        "x": state["x"] - a * g - a * d, "d": d,
        "h": (1 - al) * state["h"] + al * read, "hw": (1 - al) * state["hw"] + al * mixed,
    }  # fmt: skip


def lead_start(x0: Array, gradients: Any) -> State:
    zero = 0 * rows(x0, gradients)["x"]
    return {**rows(x0, gradients), "d": zero, "h": zero, "hw": zero}


LEAD = method(
    "LEAD", lead, start=lead_start, parameters={"a": 0.1, "c": 0.2, "al": 0.4}, exact=True,
    conserves=("sum(d) = 0", "hw = W @ h"), stepsize="a",
)  # fmt: skip


def kgt(state: State, gradients: Any, W: Array, a: float, K: int, eta_s: float) -> State:
    x, c, y = state["x"], state["c"], state["x"]
    for _ in range(K):
        y = y - a * (gradients(y) + c)
    z = (x - y) / (K * a)
    return {"x": W @ (x - eta_s * K * a * z), "c": c - z + W @ z}


KGT = method(
    "K-GT", kgt, parameters={"a": 0.02, "K": 3, "eta_s": 0.5}, exact=True, stepsize="a",
    start=lambda x0, g: {**rows(x0, g), "c": g(x0).mean(0) - g(x0)},
    conserves=("sum(c) = 0",),
)  # fmt: skip


def qgm(state: State, gradients: Any, W: Array, a: float, beta: float) -> State:
    half = state["x"] - a * (beta * state["m"] + gradients(state["x"]))
    x = W @ half
    return {"x": x, "m": beta * state["m"] + (1 - beta) * (state["x"] - x) / a}


def dpsgd(state: State, gradients: Any, W: Array, a: float) -> State:
    return {"x": W @ (state["x"] - a * gradients(state["x"]))}


DPSGD = method("D-PSGD, mixed after the step", dpsgd, start=rows, parameters={"a": 0.05})

QGM = method(
    "quasi-global momentum", qgm, parameters={"a": 0.05, "beta": 0.5}, stepsize="a",
    start=lambda x0, g: {**rows(x0, g), "m": 0 * rows(x0, g)["x"]}, equals={"beta=0.0": DPSGD},
)  # fmt: skip


def push_pull(state: State, gradients: Any, W: Array, a: float) -> State:
    R, C = directed(len(W))
    x = R @ (state["x"] - a * state["y"])
    g = gradients(x)
    return {"x": x, "y": C @ state["y"] + g - state["g"], "g": g}


def directed(n: int) -> tuple[Array, Array]:
    """Row- and column-stochastic weights of one digraph, neither doubly stochastic."""
    links = np.eye(n) + np.roll(np.eye(n), 1, 0)
    links[0, :] = 1
    return links / links.sum(1, keepdims=True), links / links.sum(0, keepdims=True)


PUSH_PULL = method(
    "push-pull", push_pull, start=tracking, parameters={"a": 0.03}, exact=True,
    conserves=("sum(y) = sum(grad)",),
)  # fmt: skip


def relay(state: State, gradients: Any, a: float) -> State:
    """RelaySGD on a path of two or three: x_i(t+1) = (1/n) sum_j y_j(t - max(dist - 1, 0))."""
    y = state["x"] - a * gradients(state["x"])
    n = len(y)
    x = [sum((y if abs(i - j) < 2 else state["y"])[j] for j in range(n)) / n for i in range(n)]
    return {"x": np.stack(x), "y": y}


RELAY = method(
    "RelaySGD", relay, parameters={"a": 0.02}, exact=True,
    start=lambda x0, g: {"x": rows(x0, g)["x"], "y": rows(x0, g)["x"]},
)  # fmt: skip


METHODS: tuple[MethodSubject, ...] = tuple(
    value for value in globals().values() if isinstance(value, MethodSubject)
)
