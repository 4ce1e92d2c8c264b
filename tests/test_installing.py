"""The source archive and the wheel have what users need, and the wheel's command runs elsewhere."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from configparser import ConfigParser
from contextlib import suppress
from pathlib import Path

import pytest

from tests.experiments.calls import HANGS

pytestmark = [pytest.mark.slow, pytest.mark.processes]

HOUSE = Path(__file__).absolute().parents[1]
ROOMS = ("theory", "algorithms", "proofs_check", "experiments")
OF_THE_REPOSITORY = re.compile(r"\.(ci/|gitignore|dockerignore)")
"""What only a clone needs."""

CALLS = """
import sys
from typer.testing import CliRunner
import rateproof
from experiments.cli.main import app

assert rateproof.__file__.startswith(sys.argv[1]), rateproof.__file__
told = CliRunner()
for command in app.registered_commands:
    name = command.name or command.callback.__name__
    assert told.invoke(app, [name, "--help"], catch_exceptions=False).exit_code == 0, name
for line in (
    "--version", "list", "list --forms", "theorem bsp_nonconvex", "cite choco-sgd", "errata",
    "question", "table IV", "topologies -n 4", "assumptions quadratic-sc", "worst-case",
    "run qsgd -p quadratic-sc -n 4 -T 20 --replicas 2", "run local-sgd -p quadratic-unequal -n 4 "
    "-T 20 --replicas 2 --tuning grid", "figures --list", "conjecture --list",
    "timeline alexnet --schedule wfbp -n 4", "audit mine:half --delta 0.75 -d 8 --samples 100",
):
    done = told.invoke(app, line.split(), catch_exceptions=False)
    assert done.exit_code == 0, (line, done.output)
print("all ran")
"""


def ran(words: Sequence[str], cwd: Path, path: Path) -> str:
    """Standard output of this Python, which imports from ``path`` first."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(path), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=HANGS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def tracked() -> list[str]:
    """The repository's files."""
    if shutil.which("git") is None or not (HOUSE / ".git").exists():
        pytest.skip("not a clone")
    done = subprocess.run(
        ["git", "ls-files"], cwd=HOUSE, capture_output=True, text=True, check=True
    )
    return [name for name in done.stdout.splitlines() if (HOUSE / name).exists()]


@pytest.fixture(scope="module")
def unpacked(tracked: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source archive, built from a copy of the repository's files by the build backend."""
    copy, out = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("sdist")
    for name in tracked:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(HOUSE / name, copy / name)
    asked = f"from setuptools import build_meta; build_meta.build_sdist({str(out)!r})"
    ran(["-c", asked], copy, copy)
    (archive,) = out.glob("rateproof-*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extractall(out, filter="data")
    return archive.with_name(archive.name.removesuffix(".tar.gz"))


@pytest.fixture(scope="module")
def installed(unpacked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a wheel's files, the wheel built by pip from the source archive."""
    out = tmp_path_factory.mktemp("wheel")
    words = ("wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", str(out))
    ran(["-m", "pip", *words, str(unpacked)], unpacked, unpacked)
    (wheel,) = out.glob("*.whl")
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(out / "installed")
    keep_compiled(out / "installed")
    return out / "installed"


def keep_compiled(installed: Path) -> None:
    """The kernels that numba keeps here, for the same sources there: what it makes of them does not
    hang on their place, and compiling them once more took most of a test's time."""
    ours = HOUSE / "algorithms" / "kernels"
    theirs = installed / "algorithms" / "kernels"
    for source in ours.glob("*.py"):
        assert (theirs / source.name).read_bytes() == source.read_bytes()
        shutil.copystat(source, theirs / source.name)  # by which numba tells them apart
    (theirs / "__pycache__").mkdir(exist_ok=True)
    kept = ours / "__pycache__"
    for one in (*kept.glob("kernels.sha256"), *kept.glob("*.nb[ic]")):
        with suppress(FileNotFoundError):  # another test's process has just replaced it
            shutil.copy2(one, theirs / "__pycache__" / one.name)


def test_the_source_archive_has_the_repositorys_files(tracked: list[str], unpacked: Path) -> None:
    wanted = [name for name in tracked if not OF_THE_REPOSITORY.match(name)]
    assert [name for name in wanted if not (unpacked / name).exists()] == []
    for name in ("tests/conftest.py", "benchmarks/rows.py", "docs/install.md", "constraints.txt",
                 "Makefile", "CHANGELOG.md", "CITATION.cff", "Dockerfile"):  # fmt: skip
        assert (unpacked / name).read_bytes() == (HOUSE / name).read_bytes()
    assert not list(unpacked.rglob("*.pyc")) and not (unpacked / "docs" / "site").exists()


def test_tests_run_from_the_source_archive(unpacked: Path) -> None:
    words = [
        "-m",
        "pytest",
        "-p",
        "no:xdist",
        "-p",
        "no:cacheprovider",
        "tests/theory/test_bits.py",
    ]
    assert " passed" in ran([*words, "-o", "addopts="], unpacked, unpacked)


def test_the_wheel_has_all_files_of_the_packages(tracked: list[str], installed: Path) -> None:
    wanted = [name for name in tracked if name.startswith(ROOMS) or name == "rateproof.py"]
    assert len(wanted) > 1000
    assert [name for name in wanted if not (installed / name).exists()] == []
    folders = {path.name for path in installed.iterdir() if not path.name.endswith(".dist-info")}
    assert folders == {*ROOMS, "rateproof.py"}
    (scripts,) = installed.glob("*.dist-info/entry_points.txt")
    read = ConfigParser()
    read.read_string(scripts.read_text())
    assert dict(read["console_scripts"]) == {"rateproof": "rateproof:main"}


def test_commands_of_the_wheel_run_from_another_folder(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def half(x):\n    return 0.5 * x\n")
    for name in ("algorithms", "experiments"):  # a user's own, which do no harm
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('imported for ours')\n")
    told = ran(["-c", "import sys; sys.path.append('.')\n" + CALLS, str(installed)], tmp_path,
               installed)  # fmt: skip
    assert told.endswith("all ran\n")


def test_the_image_installs_what_the_wheel_is_made_of() -> None:
    text = (HOUSE / "Dockerfile").read_text(encoding="utf-8")
    copied = {word.rstrip("/") for line in re.findall(r"^COPY (.*) \S+$", text, flags=re.MULTILINE)
              for word in line.split()}  # fmt: skip
    assert {*ROOMS, "rateproof.py", "pyproject.toml", "constraints.txt"} <= copied
    assert all((HOUSE / name).exists() for name in copied)
    ignored = (HOUSE / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert copied == {line[1:] for line in ignored if line.startswith("!")}
    assert 'ENTRYPOINT ["rateproof"]' in text
