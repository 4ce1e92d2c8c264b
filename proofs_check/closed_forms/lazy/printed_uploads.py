"""LAG's two rules on nine workers of rising curvature (S3)."""

from __future__ import annotations

from algorithms.problems.least_squares_data import rising
from proofs_check.closed_forms.erratum import erratum
from proofs_check.figure_runs.uploads import contenders, race
from proofs_check.verdict import Verdict

COVERS = ("lag",)


def s3() -> tuple[Verdict, ...]:
    """The workers' rule sends less than the server's, whose number the survey gives for LAG."""
    problem = rising()
    by = {one.name: one for one in contenders(problem) if one.name.startswith("LAG")}
    server, worker = (race(by[name], problem).total for name in ("LAG-PS", "LAG-WK"))
    return (
        erratum(
            "S3", "lag", "LAG-WK needs fewer uploads than LAG-PS",
            (float(worker < server), 1.0), (float(server), float(worker)),
            f"uploads {server} by the server's rule, {worker} by the workers'; "
            "Table 5 of Chen et al. 2018: 1756 and 412",
        ),
    )  # fmt: skip


CLOSED_FORMS = (s3,)
DEMONSTRATIONS = (("S3", s3),)
