"""Subtle faults of the implementation, each one edit of a line, and a row that it concerns."""

from __future__ import annotations

from typing import NamedTuple

_METHODS = "algorithms/methods"


class PlantedEdit(NamedTuple):
    """A fault.

    Attributes:
        name: what reports call it.
        row: the row whose check is to see it.
        file: the file that is edited, from the root of the tree.
        old: what stands there, once.
        new: what takes its place.
        first: words in the name or problem of the cells that are tried first.
    """

    name: str
    row: str
    file: str
    old: str
    new: str
    first: str = ""


FAULTS = (
    PlantedEdit(
        "tau - 1 stated", "asp", f"{_METHODS}/parts/scheduled.py",
        "tau=self.schedule(n).tau)", "tau=self.schedule(n).tau - 1)",
    ),
    PlantedEdit(
        "Metropolis weights off by 1e-3", "d-psgd", "theory/networks/weights.py",
        "return _completed(np.divide(a, larger, out=np.zeros_like(a), where=a != 0.0))",
        "return _completed(np.divide(a, larger * (1 + 1e-3 * (np.ptp(degree) > 0)), "
        "out=np.zeros_like(a), where=a != 0.0))",
        "topology barbell",
    ),
    PlantedEdit(
        "received bits one short", "bsp-sgd", "algorithms/network/ledger.py",
        "self._add(_RECEIVED_BITS, bits)", "self._add(_RECEIVED_BITS, bits - 1)",
        "run on quadratic-sc",
    ),
    PlantedEdit(
        "replicas identical in pairs", "qsgd", "algorithms/core/key.py",
        "return replicas.reshape(-1), self", "return replicas.reshape(-1) // 2, self",
    ),
    PlantedEdit(
        "normals of replicas identical in pairs, in the kernel", "bsp-sgd",
        "algorithms/kernels/philox.py",
        "block(start + b, workers[row], replicas[row], 0",
        "block(start + b, workers[row], replicas[row] // 2, 0",
    ),
    PlantedEdit(
        "DIANA's server takes 0.98 alpha", "diana", f"{_METHODS}/variance_reduced/diana.py",
        "state.shift + alpha * mean", "state.shift + 0.98 * alpha * mean",
    ),
    PlantedEdit(
        "CHOCO's consensus step doubled", "choco-sgd", f"{_METHODS}/gossip/choco.py",
        "x = x + self.consensus_step * (mixed - public)",
        "x = x + 2 * self.consensus_step * (mixed - public)",
    ),
    PlantedEdit(
        "rounding up 0.004 too often in float32", "qsgd", "algorithms/kernels/rounding.py",
        "np.int32(u[j] < place - below)",
        "np.int32(u[j] < place - below + (0.004 if x.itemsize == 4 else 0.0))",
        "operator QSGD(s=1)",
    ),
    PlantedEdit(
        "compression key used for two steps", "qsgd", f"{_METHODS}/base.py",
        "x, self.key.fold(purpose, t), self._held, guide",
        "x, self.key.fold(purpose, t // 2), self._held, guide",
    ),
    PlantedEdit(
        "one compression key for all steps", "qsgd", f"{_METHODS}/base.py",
        "x, self.key.fold(purpose, t), self._held, guide",
        "x, self.key.fold(purpose, 0), self._held, guide",
    ),
    PlantedEdit(
        "workers share draws in pairs", "qsgd", "algorithms/core/key.py",
        "self.workers.reshape(-1)\n", "self.workers.reshape(-1) // 2\n",
    ),
    PlantedEdit(
        "residual dropped every 50th step", "top-k", f"{_METHODS}/synchronous/bsp.py",
        "return BSPState(moved, kept, server, velocity)",
        "return BSPState(moved, kept if t % 50 != 49 else self.init(state.x.flatten(0, -2)[0],"
        " context).memory, server, velocity)",
    ),
    PlantedEdit(
        "an old model at every 10th tick", "asp", f"{_METHODS}/synchronous/parameter_server.py",
        "state.cache.scatter_(-2, rows, incoming)",
        "state.cache.scatter_(-2, rows, incoming if self.__dict__.setdefault('k', []).append(0) or "
        "len(self.__dict__['k']) % 10 else state.cache.gather(-2, rows))",
    ),
    PlantedEdit(
        "messages that vary in length billed one bit short", "variable-length-coding",
        "algorithms/network/base.py",
        "self.code.lengths(self.symbols) if fixed", "self.code.lengths(self.symbols) - 1 if fixed",
    ),
    PlantedEdit(
        "top-k keeps rank k + 1 for rank k", "top-k", "algorithms/compressors/top_k.py",
        "return selection.largest(x, self.kept(x.shape[-1]))",
        "return selection.largest(x.abs() * (x.abs() != x.abs().topk(self.kept(x.shape[-1]) + 1)"
        ".values[..., -2:-1]) if self.kept(x.shape[-1]) < x.shape[-1] else x, "
        "self.kept(x.shape[-1]))",
        "operator",
    ),
    PlantedEdit(
        "TernGrad's scale 1 % too large", "terngrad", "algorithms/compressors/terngrad.py",
        "return extremes.tops(x)", "return 1.01 * extremes.tops(x)",
        "operator",
    ),
    PlantedEdit(
        "rand-k scaled 1 % short", "random-k", "algorithms/compressors/rand_k.py",
        "return d / self.kept(d) if self.scaled", "return 0.99 * d / self.kept(d) if self.scaled",
        "operator",
    ),
    PlantedEdit(
        "scaled sign 2 % too long", "ef-signsgd", "algorithms/compressors/scaled_sign.py",
        "scale = row_norms.mean_abs(x)", "scale = 1.02 * row_norms.mean_abs(x)",
        "operator scaled sign",
    ),
    PlantedEdit(
        "QSGD rounds up 0.002 too often", "qsgd", "algorithms/kernels/rounding.py",
        "np.int32(u[j] < place - below)", "np.int32(u[j] < place - below + 0.002)",
        "operator QSGD(s=1)",
    ),
    PlantedEdit(
        "local SGD meets one step late", "local-sgd", "algorithms/synchronisation/periods.py",
        "return (t + 1) % self.period == 0\n\n\n@final\n@dataclass(frozen=True)\nclass OneShot",
        "return (t + 1) % (self.period + 1) == 0\n\n\n@final\n@dataclass(frozen=True)\n"
        "class OneShot",
    ),
    PlantedEdit(
        "D-PSGD mixes after its step", "d-psgd", f"{_METHODS}/gossip/d_psgd.py",
        "mixed = self.exchange.mixed(state.x, t, context)\n"
        "        return DPSGDState(add_scaled_onto(mixed, -self.step_rule(t), g))",
        "return DPSGDState(self.exchange.mixed(\n"
        "            add_scaled_onto(state.x.clone(), -self.step_rule(t), g), t, context))",
        "closed form",
    ),
    PlantedEdit(
        "momentum correction's factor 1 % short", "momentum-correction",
        "algorithms/memories/momentum_correction.py",
        "u = self.m * state.u + round_.x", "u = 0.99 * self.m * state.u + round_.x",
        "closed form",
    ),
    PlantedEdit(
        "push-sum's shares sum to 1.001", "push-sum", "theory/networks/weights.py",
        "p: Floats = (a + np.eye(a.shape[0])) / (1.0 + a.sum(axis=0))",
        "p: Floats = (a + np.eye(a.shape[0])) / (1.0 + a.sum(axis=0)) * 1.001",
        "push",
    ),
    PlantedEdit(
        "AD-PSGD's steps 1 % too long", "ad-psgd", f"{_METHODS}/gossip_pairwise/ad_psgd.py",
        "- gamma * arrived.gradients", "- 1.01 * gamma * arrived.gradients",
        "closed form",
    ),
    PlantedEdit(
        "EASGD's workers pulled 2 % less", "easgd", f"{_METHODS}/cooperative/easgd.py",
        "return x - self.alpha * (x - incoming)", "return x - 0.98 * self.alpha * (x - incoming)",
        "closed form",
    ),
    PlantedEdit(
        "LAG allows 10 % less", "lag", f"{_METHODS}/lazy/lag.py",
        "return recent / gamma**2", "return 0.9 * recent / gamma**2",
        "closed form",
    ),
    PlantedEdit(
        "PowerSGD keeps 99 % of its residual", "powersgd",
        f"{_METHODS}/decomposition/powersgd.py",
        "kept = wanted - (mean if self.aggregate_residual else own)",
        "kept = 0.99 * (wanted - (mean if self.aggregate_residual else own))",
        "closed form",
    ),
    PlantedEdit(
        "D-squared's correction 1 % short", "d2", f"{_METHODS}/gossip_compressed/d2.py",
        "ahead = descended + (state.x - state.before)",
        "ahead = descended + 0.99 * (state.x - state.before)",
        "closed form",
    ),
    PlantedEdit(
        "noise of 1.02 sigma^2", "bsp-sgd", "algorithms/problems/quadratic.py",
        "alpha=math.sqrt(self.sigma2 / self.d))", "alpha=math.sqrt(1.02 * self.sigma2 / self.d))",
        "problem on quadratic-sc",
    ),
    PlantedEdit(
        "error feedback keeps 99.9 %", "ef-signsgd", "algorithms/memories/error_feedback.py",
        "return round_.wanted - round_.sent", "return 0.999 * (round_.wanted - round_.sent)",
        "closed form",
    ),
    PlantedEdit(
        "steps 0.1 % too long", "bsp-sgd", f"{_METHODS}/synchronous/bsp.py",
        "return incoming if steps else gamma * incoming, state.server",
        "return incoming if steps else 1.001 * gamma * incoming, state.server",
        "closed form",
    ),
)  # fmt: skip
