"""rateproof: the door for notebooks, other people's projects, and the command ``rateproof``.

    import rateproof

    single = rateproof.run("qsgd", "quadratic-sc", steps=500)
    cells = rateproof.table("IV")  # beside what the survey in report/ measured
    print(rateproof.theorem("bsp_nonconvex", T=1000, n=8, L=1.0, sigma2=1.0, initial_gap=2.0))
    told = rateproof.assumptions("logreg-breast-cancer")  # L, mu, sigma2 ... found, who applies
    both = rateproof.compare(["d-psgd", "choco-sgd"], "logreg-breast-cancer", axis="bits").frame
    points, exponent = rateproof.rate("local-sgd", "quadratic-unequal", "H")
    verdicts = rateproof.check(my_compressor, d=64)  # each result has .frame and .figure()
    found = rateproof.audit(anybodys_function, unbiased=True)
    found = rateproof.study(["choco-sgd"], out="study")  # a paper's evidence section
    last = rateproof.sweep("study.toml", out="sweeps/mine").frame  # a grid of any size
    hook = rateproof.register_hook(ddp_model, my_compressor)
    from rateproof.testing import check_theorem, mixing_matrices  # for a suite of one's own
    print(rateproof.cite("choco-sgd", "logreg-breast-cancer"))  # BibTeX of what was used

The project's four packages have everyday names (``theory``, ``algorithms``, ``proofs_check``,
``experiments``). Importing this module sees to it that they are the ones beside this file, even
where the current folder, or a folder ahead on the import path, has packages of the same names.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

if TYPE_CHECKING:
    from rich.console import Console
    from torch import Tensor
    from torch.nn import Module
    from torch.nn.parallel import DistributedDataParallel

    from algorithms.compressors.base import Compressor
    from algorithms.ddp.hook import DDPHook
    from algorithms.memories.base import Memory
    from algorithms.problems.module_problem import ModuleProblem
    from experiments.compare.comparison import Comparison
    from experiments.compare.single import Single
    from experiments.notebooks.arguments import Axis, Chance, Count, Positive, Samples, Tuned
    from experiments.notebooks.audited import Audited
    from experiments.notebooks.rated import Rated
    from experiments.notebooks.verdict_list import VerdictList
    from experiments.reporting.citing import Citations
    from experiments.study.studying import FinishedStudy
    from experiments.sweeps.sweeping import Swept
    from experiments.testing.public import testing as testing
    from proofs_check.method_audit.subject import MethodSubject
    from proofs_check.refute.claim import Claim
    from proofs_check.refute.outcome import Attack

__all__ = [
    "assumptions", "audit", "check", "cite", "claim", "compare", "errata", "main", "method",
    "module_problem", "rate", "refute", "register_hook", "rows", "run", "study", "sweep",
    "table", "theorem",
    "torch_method",
]  # fmt: skip

PACKAGES = ("theory", "algorithms", "proofs_check", "experiments")
"""What lies beside this file and is imported by these names."""

_HOME = Path(__file__).resolve().parent

__path__ = [str(_HOME / "experiments" / "testing" / "public")]
"""Where ``rateproof.testing`` lies: a module with a path is imported from as a package is."""


P = ParamSpec("P")
R = TypeVar("R")


def _checked(function: Callable[P, R]) -> Callable[P, R]:
    """The function with its arguments held to its annotations before it is called."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        from experiments.notebooks.arguments import called

        return called(function, *args, **kwargs)

    return call


@_checked
def rows(ready: bool = True) -> tuple[str, ...]:
    """Keys of the surveyed rows; ``ready``: of the methods that run."""
    from algorithms.catalogue import METHODS, ROWS

    return tuple(row.key for row in (METHODS if ready else ROWS))


@_checked
def run(
    row: str,
    problem: str | None = None,
    *,
    n: Count = 16,
    steps: Count = 2000,
    replicas: Count = 32,
    seed: int = 0,
    gamma: Positive | None = None,
    tuning: Tuned | None = None,
    device: str = "cpu",
    **settings: Any,
) -> Single:
    """One row on one problem with n workers, under the theorem that tunes it; without a problem,
    the row's first.

    ``gamma`` is a constant stepsize of one's own, ``tuning="grid"`` takes the best of a stated
    grid, "theorem" what is proved. Without it that is the theorem's, or the grid's with the
    theorem's run beside it (``proven``) where users take other parameters. ``settings`` set
    parameters of the row by name, as in ``period=4``. It is computed on ``device``, ``cpu``,
    ``cuda`` or ``cuda:1``. The result has the trace
    (``result.trace``), ``theorem``, ``bound``, ``quantities()``, ``frame`` (tidy data) and
    ``figure()``.

    Raises:
        ValueError: an unknown or planned row, an unknown problem, a number out of range, or a
            device that this machine lacks.
        Diverged: the run left the range of its number type; carries its trace.
    """
    from algorithms.catalogue import problem as problem_called
    from algorithms.catalogue import row as row_called
    from experiments.compare.single import run_single
    from experiments.compare.tuned_rows import Tuning, chosen, positive, usual

    mine = row_called(row)
    objective = problem_called(problem or mine.ready().problems[0], n)
    by = usual(mine) if tuning is None else Tuning(tuning)
    if gamma is not None:
        positive(gamma, tuning)
    both = tuning is None and gamma is None and by is Tuning.GRID
    ready = chosen(mine, objective, by, seed=seed, gamma=gamma, settings=settings, steps=steps)
    return run_single(
        ready.row, objective, steps=steps, replicas=replicas, seed=seed, step=ready.step,
        proven=mine if both else None, device=device,
    )  # fmt: skip


@_checked
def compare(
    rows: Sequence[str],
    problem: str,
    *,
    axis: Axis = "bits",
    tuning: Tuned = "grid",
    n: Count = 16,
    steps: Count = 1000,
    **options: Any,
) -> Comparison:
    """Several rows on one problem at an equal amount of ``axis``: bits, seconds, gradients, steps.

    Every row may spend what the first spends in ``steps`` steps, or ``budget``; further ``options``
    as of ``experiments.compare.comparing.compare_rows``. The result has ``standings``, ``frame``
    (tidy data) and ``figure()``.

    Raises:
        ValueError, Diverged: as ``compare_rows``.
    """
    from algorithms.catalogue import problem as problem_called
    from algorithms.catalogue import row as row_called
    from experiments.compare.comparing import compare_rows
    from experiments.compare.tuned_rows import Tuning
    from experiments.notebooks.arguments import options_for

    return compare_rows(
        [row_called(key) for key in rows], problem_called(problem, n),
        axis=axis, tuning=Tuning(tuning), steps=steps, **options_for(compare_rows, options),
    )  # fmt: skip


@_checked
def rate(
    row: str,
    problem: str,
    vary: str,
    *,
    n: Count = 16,
    error: Chance = 0.01,
    gamma: Positive | None = None,
    **options: Any,
) -> Rated:
    """A row's error along T, n, H, gap, delta, omega, tau or batch, and its exponent as a verdict.

    ``points, verdict = rateproof.rate(...)`` unpacks it; whole, it has ``frame`` and ``figure()``.

    ``error`` is the chance that the interval misses, ``gamma`` one stepsize at all points; further
    ``options`` as of ``proofs_check.methods.sweep.sweep``.

    Raises:
        ValueError: an unknown name, or a row that has nothing that moves the variable.
    """
    from algorithms.catalogue import problem as problem_called
    from algorithms.catalogue import row as row_called
    from algorithms.core.names import look_up
    from experiments.compare.tuned_rows import Tuning, sweeping_step
    from experiments.notebooks.arguments import options_for
    from experiments.notebooks.rated import Rated as Made
    from proofs_check.methods.sweep import VARIABLES, sweep, sweep_verdict

    if "values" in options and not len(options_for(sweep, options)["values"]):
        raise ValueError(
            "values should be three or more, got values=[]; without them a ladder is taken"
        )
    chosen, objective = row_called(row), problem_called(problem, n)
    variable = look_up("variable", vary, {name: name for name in VARIABLES})
    chosen.require_fit(objective)
    step = sweeping_step(chosen, objective, options.get("steps", 1000), Tuning.THEOREM, gamma)
    found = sweep(
        chosen, lambda size: problem_called(problem, size), variable, n=n, step=step,
        **options_for(sweep, options, without=("step",)),
    )  # fmt: skip
    return Made(found, sweep_verdict(chosen, found, problem, alpha=error))


@_checked
def table(
    name: str, report: str | Path = "report", *, measure: bool = False
) -> list[dict[str, Any]]:
    """A survey's table as records, one a cell or line, with what the survey in ``report`` measured.

    ``name`` is I, II, III or IV of survey 002, or 000-2 for Table 2 of survey 000; ``measure``
    computes what the folder lacks (of Table IV the exponents of T) and keeps it there.

    Raises:
        ValueError: there is no such table.
    """
    from experiments.commands.tables import table_data

    return table_data(name, Path(report), measure=measure)


@_checked
def errata(
    name: str | None = None, report: str | Path = "report", *, run: bool = False
) -> list[dict[str, Any]]:
    """Errata of the surveys, as records: place, printed, correct, demonstration.

    ``name`` is one of them, as ``"E7"``. ``found`` is what its demonstration gave when the survey
    in ``report`` was made, or now if ``run`` (all of them take minutes).

    Raises:
        ValueError: there is no such erratum.
    """
    from experiments.commands.errata import errata_data

    return errata_data(name, Path(report), run=run)


@_checked
def theorem(name: str, *, T: Count = 1000, **constants: Any) -> dict[str, Any]:
    """Statement of a result, and at ``constants`` its stepsize, violations and bound after T steps.

    ``constants`` are those of ``theory.constants``, as in ``L=1.0, mu=0.1``, and ``gamma`` for a
    stepsize of one's own; without any the theorem's own example is taken.

    Raises:
        ValueError: there is no such result or constant, or constants are given to an order.
    """
    from experiments.commands.theorem import known_constants, theorem_record

    return theorem_record(name, known_constants(constants), T)


@_checked
def claim(name: str, **stated: Any) -> Claim:
    """A theorem of one's own, for :func:`refute`: method, bound, limit, metric, assumptions.

    ``stated`` as of ``proofs_check.refute.stated.claim``; docs/refute.md has a template.

    Raises:
        ValueError: neither or both of limit and stepsize, an unknown row or metric, or a formula
            that cannot be read.
    """
    from experiments.notebooks.arguments import called
    from proofs_check.refute.stated import claim as made

    return called(made, name, **stated)


@_checked
def refute(
    theorem: str | Claim,
    *,
    budget: Positive = 60.0,
    attackers: Sequence[str] = (),
    seed: int = 0,
    workers: Count = 1,
    **options: Any,
) -> Attack:
    """Look for an instance that breaks a theorem's bound, for ``budget`` seconds.

    ``theorem`` is a name of ours, ``"MODULE:ATTRIBUTE"`` or what :func:`claim` made. The result has
    ``standing``, ``counterexamples``, ``best``, ``slack``, ``untried`` and ``record()``; further
    ``options`` as of ``proofs_check.refute.attack.attack``.

    Raises:
        ValueError: an unknown theorem or attacker, or a budget that is not positive.
    """
    from experiments.notebooks.arguments import options_for
    from proofs_check.refute.attack import attack
    from proofs_check.refute.ours import claims_called

    claims = claims_called(theorem) if isinstance(theorem, str) else (theorem,)
    name = theorem if isinstance(theorem, str) else theorem.name
    return attack(
        name, claims, budget=budget, attackers=attackers, seed=seed, workers=workers,
        **options_for(attack, options),
    )  # fmt: skip


@_checked
def assumptions(problem: Any, *, n: Count = 8, steps: Count = 200, seed: int = 0) -> dict[str, Any]:
    """A problem's constants as stated and as found along runs, and which theorems apply.

    ``problem`` is a name of the catalogue (for n workers), ``"MODULE:ATTRIBUTE"``, or a problem.

    Raises:
        ValueError: there is no such problem.
    """
    from algorithms.problems.base import Problem
    from experiments.commands.assumptions import assumptions_record, record_of
    from theory.fields import shown_short

    if not isinstance(problem, (str, Problem)):
        raise ValueError(
            "problem should be a name of the catalogue, MODULE:ATTRIBUTE or a Problem, "
            f"got problem={shown_short(problem)}"
        )
    if isinstance(problem, str):
        return assumptions_record(problem, n=n, steps=steps, seed=seed)
    return record_of(problem, steps, seed)


@_checked
def cite(*names: str) -> Citations:
    """The literature of rows, theorems and problems: ``str`` of it is BibTeX.

    Raises:
        ValueError: no name is given, or one that nothing has.
    """
    from experiments.reporting.citing import cite as cited

    return cited(names)


@_checked
def module_problem(
    module: Module, loss: Callable[[Tensor, Tensor], Tensor], features: Tensor, labels: Tensor,
    *, n: Count, **options: Any,
) -> ModuleProblem:  # fmt: skip
    """A torch module with its loss and samples as a problem of ``n`` workers.

    ``options`` (batch, name, seed, stated) as of ``algorithms.problems.module_problem``, whose
    class takes samples that are dealt already.

    Raises:
        ValueError: sizes that do not fit, or a loss that is not the mean over its samples.
    """
    from algorithms.problems.module_problem import ModuleProblem as Made
    from experiments.notebooks.arguments import options_for

    return Made.from_data(
        module, loss, features, labels, n=n, **options_for(Made.from_data, options)
    )


@_checked
def sweep(
    study: str | Path | Mapping[str, Any],
    out: str | Path = "report/sweeps",
    *,
    executor: str = "",
    workers: Count = 2,
    console: Console | None = None,
) -> Swept:
    """A grid of runs, from a TOML file or a table like one (docs/sweeps.md), to one data set.

    What lies in ``out`` already is not run again; ``executor`` is ``"dask://HOST:PORT"`` or
    ``"MODULE:FUNCTION"``, else ``workers`` processes of this machine. The result has ``folder``
    (parquet, for pandas and duckdb) and ``frame``, the last record of every replica.

    Raises:
        ValueError: the study, or the executor, is none.
        ExecutorLost: the executor broke and did not open again; what was finished is kept.
    """
    from rich.console import Console

    from experiments.sweeps.study_file import read_study, study_of
    from experiments.sweeps.sweeping import run_sweep

    grid = read_study(Path(study)) if isinstance(study, (str, Path)) else study_of(study)
    told = console or Console()
    return run_sweep(grid, Path(out), told, executor=executor, workers=workers)


@_checked
def study(
    rows: Sequence[str],
    problem: str | None = None,
    *,
    against: Sequence[str] | None = None,
    quick: bool = False,
    out: str | Path = "study",
    tell: Callable[[str], object] = print,
    **options: Any,
) -> FinishedStudy:
    """Evidence for a paper on rows, built in or ``"MODULE:ATTRIBUTE"``, in the folder ``out``.

    All rows, ``against`` among them (default: synchronous SGD, for gossip D-PSGD too), are tuned by
    one grid and compared at an equal budget; each of ``rows`` is held to its bound, its rates are
    measured, its effect, its theorem attacked, its code run on ranks. Pictures, tables for LaTeX,
    the setting in words, BibTeX, a script and a page are written. What ``out`` has is not computed
    again; ``tell`` hears what is done. Further ``options`` (n, steps, replicas, seed, axis, vary,
    rate_steps, sizes, attack_seconds, column) as of ``experiments.study.plan.planned``. Runs are
    made on processes too: a script calls it below ``if __name__ == "__main__"``.

    Raises:
        ValueError: an unknown row, problem or option, or a number out of range.
        UserCodeError: code of one's own raised (``experiments.ranks.user_objects``).
    """
    from experiments.notebooks.arguments import options_for
    from experiments.study.plan import planned
    from experiments.study.studying import studied

    plan = planned(
        rows, problem_name=problem, against=against, quick=quick,
        **options_for(planned, options, without=("problem_name",)),
    )  # fmt: skip
    return studied(plan, Path(out), tell)


@_checked
def check(thing: Any, *, d: Count = 16) -> VerdictList:
    """Verdicts on a compressor, topology, push topology, problem or method of one's own: a tuple.

    Or on what a name says: a row's key or an operator's name of the catalogue. Claims of
    compressors are checked on R^d.

    Raises:
        ValueError: an unknown name, or a field of another kind than its class states.
        TypeError: ``thing`` is none of these.
        SubjectFault: a method's step raised.
    """
    from algorithms.compressors.base import Compressor
    from algorithms.problems.base import Problem
    from algorithms.topologies.base import PushTopology, Topology
    from experiments.notebooks.arguments import require_fields
    from experiments.notebooks.verdict_list import VerdictList as Made
    from proofs_check.method_audit.subject import MethodSubject as Subject

    require_fields(thing)
    match thing:
        case str():
            from experiments.commands.check import check_named

            return Made(check_named(thing, d, lambda _: None))
        case Compressor():
            from proofs_check.compressors.check import check_compressor

            return Made(check_compressor(thing, d=d))
        case Topology():
            from proofs_check.topologies.mixing import check_topology

            return Made(check_topology(thing))
        case PushTopology():
            from proofs_check.topologies.push import check_push

            return Made(check_push(thing))
        case Problem():
            from proofs_check.problems.check import check_problem

            return Made(check_problem(thing, seed=1))
        case Subject():
            from proofs_check.method_audit.audit import audit_method

            return Made(audit_method(thing))
    raise TypeError(
        "thing must be a Compressor, Topology, PushTopology, Problem, method, or the name of a "
        f"row or operator, got {type(thing).__name__}; audit() takes any function of a vector"
    )


@_checked
def method(name: str, step: Callable[..., dict[str, Any]], **claims: Any) -> MethodSubject:
    """A method of one's own for ``rateproof audit`` and :func:`check` (docs/audit-methods.md).

    ``step(state, gradients, **parameters)`` gives the next state; ``claims`` (start, parameters,
    models, exact, conserves, equals, limit, stepsize, reports) as of
    ``proofs_check.method_audit.subject.method``.

    Raises:
        ValueError: the stepsize is no parameter.
    """
    from experiments.notebooks.arguments import called
    from proofs_check.method_audit.subject import method as made

    return called(made, name, step, **claims)


@_checked
def torch_method(
    name: str, optimizer: Callable[..., Any], loop: Callable[..., None], **claims: Any
) -> MethodSubject:
    """The same of a subclass of torch's optimizers: ``optimizer(params, **parameters)`` of each
    worker, and ``loop(workers, **parameters)``, which takes one round with them.

    Raises:
        ValueError: as :func:`method`.
    """
    from experiments.notebooks.arguments import called
    from proofs_check.method_audit.torch_loops import torch_method as made

    return called(made, name, optimizer, loop, **claims)


@_checked
def audit(
    compressor: Any,
    *,
    unbiased: bool = False,
    omega: str | None = None,
    delta: str | None = None,
    bits: str | None = None,
    d: Count = 1000,
    seed: int = 0,
    samples: Samples | None = None,
    ranks: Count | None = None,
    matrix: bool = False,
    tell: Callable[[str], None] = lambda _: None,
    **names: float,
) -> Audited:
    """The checks pointed at anybody's compressor: a callable x -> x_hat, a pair, or a class.

    Or at a DDP communication hook; or at what a name says, ``"MODULE:ATTRIBUTE"`` or
    ``"torch:fp16"``, as the command takes it. Hooks run on ``ranks`` processes of this machine,
    which import them by name; ``matrix`` gives x as the most nearly square matrix.

    ``omega``, ``delta`` and ``bits`` (the length of a message) are formulas in d and ``names``,
    as in ``omega="d/k - 1", k=10``. ``samples`` are calls at each vector; ``tell`` is told what is
    done next, in a few words (not inside ranks).

    Raises:
        ValueError: a formula cannot be read, or this is nothing that compresses vectors, or it is
            a hook that other processes cannot import.
        SubjectFault: the compressor raised (``proofs_check.audit.faults``).
        Interrupted: Ctrl-C; ``found`` is what was finished (``proofs_check.audit.audit``).
    """
    from experiments.notebooks.audited import Audited as Made
    from proofs_check.audit.claims import Stated
    from proofs_check.audit.named import audit_named, audit_object
    from proofs_check.audit.plan import SAMPLES, Plan

    stated = Stated(unbiased, omega, delta, names, bits)
    plan = Plan(d=d, seed=seed, samples=SAMPLES if samples is None else samples)
    if isinstance(compressor, str):
        return Made(audit_named(compressor, stated, plan, ranks, matrix, tell))
    return Made(audit_object(compressor, stated, plan, ranks, matrix, tell))


@_checked
def register_hook(
    model: Module,
    compressor: Compressor,
    memory: Memory[Any] | None = None,
    **options: Any,
) -> DDPHook:
    """Make a model, a DistributedDataParallel, send compressed gradients; ``options`` as of
    ``algorithms.ddp.hook.register_hook``.

    Raises:
        TypeError, ValueError: the model, or what ranks were given, does not suit.
    """
    from algorithms.ddp.hook import register_hook as registered
    from experiments.notebooks.arguments import options_for

    given = cast("DistributedDataParallel", model)  # or compiled of one; what is neither is refused
    return registered(given, compressor, memory, **options_for(registered, options))


def main() -> None:
    """The command ``rateproof``."""
    from experiments.cli.main import main as command

    command()


def clashes(path: Sequence[str], home: Path) -> list[Path]:
    """Packages and modules on an import path that have the names of ours and are not ours.

    Another copy of this project is no clash.
    """
    found = []
    for entry in dict.fromkeys(Path(part or ".").resolve() for part in path):
        if entry != home and not (entry / "proofs_check" / "verdict.py").exists():
            beside = (entry / name for name in PACKAGES)
            found += [here for here in beside if here.is_dir() or here.with_suffix(".py").exists()]
    return found


def _settle(tell: Callable[[str], None]) -> None:
    """Put our folder ahead of every folder with packages of the same names.

    Raises:
        ImportError: a package of such a name is imported already.
    """
    for name in PACKAGES:
        loaded = getattr(sys.modules.get(name), "__file__", None)
        if loaded and Path(loaded).resolve().parent.parent != _HOME:
            raise ImportError(
                f"rateproof has a package called {name}, and {Path(loaded).parent} is imported "
                "under that name already; `import rateproof` ahead of it would do, in a process "
                "that needs only one of the two"
            )
    hidden = [str(place) for place in clashes(sys.path, _HOME)]
    if hidden:
        sys.path[:] = [str(_HOME), *(entry for entry in sys.path if entry != str(_HOME))]
        tell(
            f"in this process rateproof's own packages hide {', '.join(hidden)} from all modules "
            "but those that are given to it as MODULE:ATTRIBUTE"
        )


_settle(lambda sentence: warnings.warn(sentence, stacklevel=2))

if __name__ == "__main__":
    main()
