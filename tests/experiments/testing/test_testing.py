"""``rateproof.testing``: strategies keep their constants, checks raise the counterexample."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from rateproof.testing import (
    CompressorFunction,
    check_compressor,
    check_method,
    check_theorem,
    check_topology,
    compressors,
    edge_vectors,
    mixing_matrices,
    problems,
    schedules,
)

import rateproof
from algorithms.compressors.top_k import TopK
from proofs_check.method_audit.subject import method
from tests.experiments.calls import HANGS
from tests.proofs_check.method_audit import faulty, sound

HOME = Path(rateproof.__file__).parent
GAPS = st.sampled_from((1e-3, 0.1, 0.3, 0.75, 1.0))


@given(GAPS.flatmap(lambda gap: st.tuples(st.just(gap), mixing_matrices(gap=gap))))
def test_mixing_matrices_have_their_gap(drawn) -> None:  # type: ignore[no-untyped-def]
    gap, topology = drawn
    w = topology.matrix(0)
    assert np.allclose(w, w.T, rtol=0, atol=1e-15) and (w >= 0).all()
    assert np.allclose(w.sum(0), 1, rtol=0, atol=1e-12)
    moduli = np.sort(np.abs(np.linalg.eigvals(w)))
    assert moduli[-2] == pytest.approx(1 - gap, abs=1e-9)


@given(st.integers(0, 4).flatmap(lambda tau: st.tuples(st.just(tau), schedules(tau=tau))))
def test_schedules_lie_within_tau(drawn) -> None:  # type: ignore[no-untyped-def]
    tau, record = drawn
    read = [0] * record.n
    for t, tick in enumerate(record.ticks):
        assert tick.arrivals and tick.versions == tuple(read[i] for i in tick.arrivals)
        assert all(t - version <= tau for version in read)
        for i in tick.starts:
            read[i] = t + 1


@given(problems(L=2.0, mu=0.5, sigma2=0.25, zeta2=1.0))
def test_problems_have_their_constants(problem) -> None:  # type: ignore[no-untyped-def]
    x, workers = problem.start(), torch.arange(problem.n)
    v = torch.eye(problem.d, dtype=torch.float64)
    curved = torch.stack([problem.mean_gradient(x + one) - problem.mean_gradient(x) for one in v])
    eigenvalues = torch.linalg.eigvalsh(curved)
    assert eigenvalues[[0, -1]].tolist() == pytest.approx([0.5, 2.0], rel=1e-9)
    apart = problem.full_gradient(x, workers) - problem.mean_gradient(x)
    assert apart.square().sum(-1).mean().item() == pytest.approx(1.0, rel=1e-9)


@given(compressors(4, delta=0.25), edge_vectors(4))
def test_compressors_lose_what_delta_allows(compress, x) -> None:  # type: ignore[no-untyped-def]
    size = np.abs(x).max() or 1.0
    lost = np.square(compress(x / size) - x / size).sum()
    assert lost <= 0.75 * np.square(x / size).sum() * (1 + 1e-12)


@settings(max_examples=8)
@given(st.sampled_from((1.0, 3.0)).flatmap(lambda omega: compressors(4, omega=omega)))
def test_compressors_are_unbiased(compress: CompressorFunction) -> None:
    x = np.array([1.0, -2.0, 0.5, 0.0])
    mean = np.mean([compress(x) for _ in range(1000)], axis=0)
    assert np.abs(mean - x).max() < 6 * np.sqrt(3.0 / 1000) * np.linalg.norm(x)


@given(edge_vectors(5, np.float32))
def test_edge_vectors_are_finite(x: np.ndarray) -> None:  # type: ignore[type-arg]
    assert x.shape == (5,) and x.dtype == np.float32 and np.isfinite(x).all()


@pytest.mark.parametrize(
    "wanted",
    [
        lambda: compressors(4), lambda: compressors(4, delta=0.5, omega=1.0),
        lambda: compressors(4, delta=2.0), lambda: compressors(4, omega=-1.0),
        lambda: mixing_matrices(gap=0.0), lambda: schedules(tau=-1),
        lambda: check_method(sound.GD, only=("nothing",)),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(wanted) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=r"must|neither|one of"):
        wanted()


def test_a_matrix_that_does_not_mix_is_named() -> None:
    with pytest.raises(AssertionError, match="row 0 of W must sum to 1"):
        check_topology(np.array([[0.5, 0.4], [0.5, 0.6]]))
    with pytest.raises(AssertionError, match=r"has the spectral gap 0\.5, not 0\.25"):
        check_topology(np.array([[0.75, 0.25], [0.25, 0.75]]), gap=0.25)


def test_a_compressor_that_loses_more_is_shown() -> None:
    check_compressor(lambda x: 0.5 * x, delta=0.75, d=8, samples=100)
    with pytest.raises(AssertionError, match=r"d = 1, x = \(1\).*0\.25"):
        check_compressor(lambda x: 0.5 * x, delta=0.8, d=8, samples=100)


@pytest.mark.parametrize(
    ("compressor", "stated", "says"),
    [
        (TopK(2), {"delta": 0.9}, "held to its own claims"),
        (TopK(2), {"omega": 0}, "held to its own claims"),
        (np.sign, {}, "nothing is claimed"),
        (np.sign, {"detla": 0.5}, "detla must be a name in omega, delta or bits"),
        (np.sign, {"delta": "1/d", "j": 1}, "j must be a name in omega, delta or bits"),
    ],
)
def test_a_check_that_holds_nothing_is_refused(
    compressor: Any, stated: dict[str, Any], says: str
) -> None:
    with pytest.raises(ValueError, match=says):
        check_compressor(compressor, d=4, samples=100, **stated)


def test_a_compressor_that_raises_at_a_finite_vector_fails() -> None:
    def refuses_huge(x: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
        if np.abs(x).max() > 1e20:
            raise KeyError("huge")
        return x

    check_compressor(lambda x: x, delta=1, d=4, samples=100)
    with pytest.raises(AssertionError, match=r"refuses_huge raises KeyError: 'huge'"):
        check_compressor(refuses_huge, delta=1, d=4, samples=100)


def test_a_compressor_in_place_spoils_no_later_vector() -> None:
    zeros = []

    @settings(database=None, derandomize=True)
    @given(edge_vectors(3))
    def spoil(x) -> None:  # type: ignore[no-untyped-def]
        assert np.isfinite(x).all()
        zeros.append(not x.any())
        x += np.nan

    spoil()
    spoil()  # draws from the same strategy
    assert sum(zeros) >= 2


def test_a_method_that_never_applies_its_correction_is_named() -> None:
    check_method(sound.SCAFFOLD, only=("state", "plainer", "conservation"))
    wrong = faulty.of(sound.SCAFFOLD, faulty.scaffold("never applied"))
    with pytest.raises(AssertionError, match="this is FedAvg with 5 local steps"):
        check_method(wrong, only=("plainer",))


@pytest.mark.slow
def test_a_wrong_theorem_comes_with_its_instance() -> None:
    wrong = rateproof.claim(
        "noise divided by n squared", method="bsp-sgd", limit="1/L",
        bound="2*initial_gap/(gamma*T) + gamma*L*sigma2/n**2",
    )  # fmt: skip
    with pytest.raises(AssertionError, match=r"refuted: measured .* curvatures = "):
        check_theorem(wrong, budget=30, attackers=("exact",))


@pytest.mark.slow
def test_a_theorem_that_nothing_attacks_has_not_survived() -> None:
    with pytest.raises(AssertionError, match="was not attacked"):
        check_theorem("ssp", budget=2, attackers=("exact",))


def test_the_door_gives_it_by_name() -> None:
    assert rateproof.testing.check_method is check_method
    assert method is not None


@pytest.mark.processes
@pytest.mark.slow
def test_the_example_repository_passes_its_own_suite(tmp_path: Path) -> None:
    project = tmp_path / "own-theory"
    shutil.copytree(HOME / "docs" / "examples" / "own-theory", project)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(HOME)},
        capture_output=True,
        text=True,
        timeout=HANGS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "12 passed" in done.stdout


@pytest.mark.parametrize("page", ["testing.md", "audit-methods.md"])
def test_what_pages_show_runs(page: str) -> None:
    text = (HOME / "docs" / page).read_text(encoding="utf-8")
    shown: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL):
        exec(compile(block, page, "exec"), shown)
    for name in [name for name in shown if name.startswith("test_")]:
        shown[name]()
