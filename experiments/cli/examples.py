"""Command lines to type, for the help of each command."""

from __future__ import annotations

import typer

from experiments.cli.command import (
    TABULAR,
    CommandWithOldOptions,
    prints_json,
    with_schema,
    with_tables,
)
from experiments.cli.domains import within_domains

EXAMPLES: dict[str, tuple[str, ...]] = {
    "list": ("list", "list --forms"),
    "run": ("run qsgd -p logreg-breast-cancer -n 16 -T 2000", "run local-sgd --set period=4"),
    "check": ("check top-k", "check mine:THING"),
    "power": ("power top-k", "power asp --mutants 10 --seed 2"),
    "topologies": ("topologies -n 16", "topologies --matrix my_weights.csv"),
    "audit": ("audit torch:fp16", "audit mine:compress --unbiased"),
    "crossval": ("crossval --ranks 2", "crossval --ranks 4 --row choco-sgd"),
    "survey": ("survey --preset quick --out report", "survey --row d2 --out d2"),
    "sweep": ("sweep study.toml", "sweep study.toml --heatmap n,H"),
    "study": ("study mine:ROW --quick", "study choco-sgd --against d-psgd --against qsgd"),
    "compare": ("compare qsgd top-k bsp-sgd -p logreg-breast-cancer",
                "compare local-sgd bsp-sgd -p quadratic-unequal --x seconds"),
    "rate": ("rate local-sgd -p quadratic-unequal --vary H", "rate bsp-sgd --vary n"),
    "tune": ("tune qsgd -p quadratic-unequal", "tune choco-sgd d-psgd"),
    "table": ("table IV", "table IV --measure"),
    "errata": ("errata", "errata E7 --run"),
    "theorem": ("theorem bsp_nonconvex",
                "theorem --for top-k"),
    "refute": ("refute bsp_nonconvex --budget 20", "refute mine:THEOREM --json"),
    "conjecture": ("conjecture --list", "conjecture gossip-local-sparse --budget 300"),
    "worst-case": ("worst-case", "worst-case --out worst"),
    "question": ("question", "question heterogeneity --out answers"),
    "cite": ("cite choco-sgd logreg-breast-cancer", "cite bsp_nonconvex --json"),
    "assumptions": ("assumptions mlp-digits", "assumptions mine:PROBLEM"),
    "figure": ("figure lag --data FOLDER", "figure kempe2003-pushsum"),
    "figures": ("figures --list", "figures --cost quick"),
    "timeline": ("timeline bert-base --schedule mg-wfbp",
                 "timeline alexnet --schedule wfbp -n 4 --out timelines"),
    "predict": ("predict fig4 --data FOLDER", "predict fig4 --data FOLDER --out predictions.csv"),
    "advise": ("advise --model bert-large --cluster survey-001-10gbe",
               "advise --model resnet-50 --cluster my-cluster.toml --target 0.1"),
    "scaling": ("scaling bsp-sgd --cluster survey-001-10gbe",
                "scaling local-sgd --cluster my-cluster.toml"),
    "calibrate": ("calibrate --ranks 2 --out cluster.toml",
                  "calibrate --ranks 2 --model resnet-50=mine:PAIR --out cluster.toml"),
}  # fmt: skip
"""By command, what follows ``rateproof``."""


def shown(name: str) -> str:
    """The end of a command's help; empty where it has no examples."""
    lines = "\n".join(f"  rateproof {line}" for line in EXAMPLES.get(name, ()))
    return f"\b\nExamples:\n{lines}" if lines else ""


def completed(app: typer.Typer) -> None:
    """Give every command, of added groups too, examples in its help and the options of all."""
    for command in app.registered_commands:
        function = command.callback
        name = command.name or (function.__name__ if function else "")
        command.epilog = shown(name)
        command.cls = CommandWithOldOptions
        if function is None:
            continue
        held = within_domains(function)
        if prints_json(function):
            held = with_schema(held)
        command.callback = with_tables(held) if name in TABULAR else held
    for group in app.registered_groups:
        if group.typer_instance is not None:
            completed(group.typer_instance)
