"""Trainings under torchrun against the simulation of the same rows, cut off and gone on with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from algorithms.compressors.at_most_row import AtMostRow
from algorithms.engine.run import run
from experiments.training.hooked import method_of, post_local_of
from experiments.training.plan import TrainingPlan
from experiments.training.table import training_table
from experiments.training.tasks import (
    CausalTransformer,
    chain_of_letters,
    made_texts,
    task_of,
)
from tests.experiments.test_launch import HANGS, HOUSE
from tests.ports import free_port

STEPS, RATE = 16, 0.2
LOST_ONCE = """
import os
import torch
from experiments.training.tasks import task_of

class LostOnce(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner, self.steps = inner, 0

    def forward(self, x):
        self.steps += self.training
        first = os.environ.get("TORCHELASTIC_RESTART_COUNT") == "0"
        if first and self.steps == 9 and os.environ["RANK"] == "1":
            os._exit(7)
        return self.inner(x)

def task(n):
    made = task_of("mlp", n, 0)
    from dataclasses import replace
    return replace(made, module=LostOnce(made.module).eval(), name="mlp")
"""


def torchrun(folder: Path, *words: str, restarts: int = 0) -> tuple[int, str]:
    """Exit code and output of one agent with two ranks; nothing of it is left."""
    agent = subprocess.Popen(
        [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--master-addr",
         "127.0.0.1", "--master-port", str(free_port()), "--max-restarts", str(restarts), "-m",
         "experiments.launch", "train", *words],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(HOUSE), "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        told, _ = agent.communicate(timeout=HANGS)
    finally:
        if agent.poll() is None:
            os.killpg(agent.pid, signal.SIGKILL)
    return agent.returncode, told


def simulated(key: str) -> tuple[float, int]:
    """Loss at the end and bits of worker 0, of the row's own simulation with two workers."""
    task = task_of("mlp", 2, 0)
    method = method_of(key, task, RATE, STEPS)
    operator = AtMostRow(method.compressor.for_shapes(task.shapes))
    trace = run(replace(method, compressor=operator), task, steps=STEPS, seed=0, points=2)
    return float(task.value(trace.rows[0, 0])), int(trace.account.sent_bits[0, 0])


@pytest.mark.slow
@pytest.mark.sharded
@pytest.mark.processes
def test_training_is_the_simulation_and_goes_on_after_a_rank_was_lost(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(LOST_ONCE, encoding="utf-8")
    plain = ("--dtype", "float64", "-T", str(STEPS), "--lr", str(RATE), "--every", "4")
    rows = ("bsp-sgd", "qsgd", "top-k", "momentum-correction")
    asked = [word for key in rows for word in ("--row", key)]
    of_torch = ("--row", "torch:fp16", "--row", "torch:post-local-sgd")
    code, told = torchrun(tmp_path, *asked, *of_torch, "--task", "mlp", *plain,
                          "--out", "a.json")  # fmt: skip
    assert code == 0, told
    lines = {line["row"]: line for line in json.loads((tmp_path / "a.json").read_text())}
    for key in rows:
        loss, bits = simulated(key)
        assert lines[key]["steps"] == [4, 8, 12, 16]
        assert lines[key]["loss"][-1] == pytest.approx(loss, rel=1e-9), key
        assert lines[key]["sent_bits"] == bits
        assert all(lines[key]["seconds of a step"][phase] > 0 for phase in
                   ("compute", "compress", "wait", "communicate"))  # fmt: skip
    halves = lines["torch:fp16"]["loss"][-1]
    assert halves != lines["bsp-sgd"]["loss"][-1]
    assert halves == pytest.approx(lines["bsp-sgd"]["loss"][-1], rel=1e-3)
    task = task_of("mlp", 2, 0)
    local = run(post_local_of(RATE, task, STEPS), task, steps=STEPS, seed=0, points=2)
    end = float(task.value(local.rows[0, 0]))  # models were averaged after the last step
    assert lines["torch:post-local-sgd"]["loss"][-1] == pytest.approx(end, rel=1e-9)
    assert abs(end / lines["bsp-sgd"]["loss"][-1] - 1) > 1e-4
    assert (tmp_path / "a.md").read_text() == training_table(list(lines.values()))

    code, told = torchrun(
        tmp_path, "--row", "momentum-correction", "--task", "mine:task", *plain, "--out", "b.json",
        "--checkpoints", "kept", restarts=1,
    )  # fmt: skip
    assert code == 0, told
    (again,) = json.loads((tmp_path / "b.json").read_text())
    assert again["began at step"] == 8
    assert again["loss"] == lines["momentum-correction"]["loss"]  # to the same bits
    assert again["sent_bits"] == lines["momentum-correction"]["sent_bits"]


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("signsgd-majority", "sends sign back, and all-reduce has no server"),
        ("powersgd", "PowerSGD does more than average"),
        ("truncated-gradient", "its step is not plain SGD's"),
        ("ring", "unknown row 'ring'"),
        ("wfbp", "no method"),
    ],
)
def test_a_row_that_is_no_hook_is_refused_with_the_reason(key: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        method_of(key, task_of("mlp", 2, 0), RATE, STEPS)


def test_differences_are_of_the_same_seeds_and_divergence_is_told() -> None:
    def line(row: str, seed: int, **words: object) -> dict[str, object]:
        return {"row": row, "task": "here", "seed": seed, "sent_bits": 10, "dense_bits": 40,
                "seconds of a step": dict.fromkeys(
                    ("compute", "compress", "communicate", "wait"), 1e-3 * (1 + seed)
                )} | words  # fmt: skip

    lines = [line("bsp-sgd", s, loss=[9.0, x], sent_bits=40) for s, x in enumerate((1.0, 2.0))]
    lines += [line("qsgd", s, loss=[x]) for s, x in enumerate((1.5, 2.75))]
    lines += [line("warm-up", 0, loss=[3.0], sent_bits=None), line("warm-up", 1, failed="inf")]
    lines += [line("signsgd", 0, failed="inf"), line("signsgd", 1, failed="nan")]
    lines += [line("easgd", 0, loss=[4.95e28], sent_bits=None)]
    lines += [line("top-k", 0, loss=[1.0 + 2e-5], sent_bits=None)]
    head, rule, *told = training_table(lines).splitlines()
    assert head.startswith("| here | loss | less that of bsp-sgd | times shorter | compute [ms]")
    assert head.count("|") == rule.count("|")
    assert told == [
        "| bsp-sgd | 1.500 ± 0.71 |  | 1 | 1.50 | 1.50 | 1.50 | 1.50 |",
        "| qsgd | 2.125 ± 0.88 | +0.625 ± 0.18 | 4 | 1.50 | 1.50 | 1.50 | 1.50 |",
        "| warm-up | 3.000 (1 diverged) | +2.000 | not told | 1.00 | 1.00 | 1.00 | 1.00 |",
        "| signsgd | diverged | | | | | | |",
        "| easgd | 4.95e+28 | +4.95e+28 | not told | 1.00 | 1.00 | 1.00 | 1.00 |",
        "| top-k | 1.000 | +2e-05 | not told | 1.00 | 1.00 | 1.00 | 1.00 |",
    ]


def test_bad_plans_and_tasks_are_named() -> None:
    for words, told in (
        ({"steps": 0}, "steps=0"), ({"every": 0}, "every=0"), ({"rate": 0.0}, "rate=0"),
        ({"dtype": "int8"}, "float32 or float64"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=told):
            TrainingPlan(**{"row": "qsgd", "steps": 3, "rate": 0.1} | words)
    with pytest.raises(ValueError, match="unknown task 'cm'"):
        task_of("cm", 2, 0)
    with pytest.raises(ValueError, match="ModuleProblem of n=2 workers"):
        task_of("math:pi", 2, 0)


def test_a_letter_is_read_from_those_before_it_alone() -> None:
    net = CausalTransformer().double()
    text = torch.randint(12, (3, 24), generator=torch.Generator().manual_seed(5))
    later = text.clone()
    later[:, 10:] = (later[:, 10:] + 1) % 12
    before, after = net(text), net(later)
    assert torch.equal(before[:, :10], after[:, :10])
    assert not torch.allclose(before[:, 10:], after[:, 10:])


def test_texts_follow_their_chain() -> None:
    """Mean surprise of 22 letters of 512 texts under the chain is its entropy there."""
    chain, texts = chain_of_letters(), made_texts()
    law = chain[texts[:, :-2], texts[:, 1:-1]]
    surprise = -law.gather(-1, texts[:, 2:, None]).log()[..., 0]
    entropy = -(law * law.log()).sum(-1)
    excess = (surprise - entropy).flatten()  # martingale differences
    assert abs(float(excess.sum())) < 6.5 * float(excess.square().sum().sqrt())
    assert float(entropy.mean()) < 2 < torch.log(torch.tensor(12.0))  # something can be learnt
