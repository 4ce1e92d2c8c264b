"""Table II of survey 002: influences of architectures and synchronisation schemes, as printed.

"Different levels only represent a relative description" (its note); "-" stands where the survey
says nothing.
"""

from __future__ import annotations

from typing import NamedTuple, final


@final
class SurveyInfluence(NamedTuple):
    """One line of the table, the survey's words.

    Attributes:
        architecture: parameter server, all-reduce or gossip.
        synchronisation: synchronous, stale-synchronous, asynchronous or local.
        consistency: how alike the workers' models are.
        frequency: how often messages are sent.
        congestion: how much traffic meets at one node.
        convergence: how hard convergence is.
    """

    architecture: str
    synchronisation: str
    consistency: str
    frequency: str
    congestion: str
    convergence: str


INFLUENCES: tuple[SurveyInfluence, ...] = (
    SurveyInfluence("PS", "BSP", "high", "high", "high", "easy"),
    SurveyInfluence("PS", "SSP", "normal", "high", "normal", "normal"),
    SurveyInfluence("PS", "ASP", "low", "high", "low", "difficult"),
    SurveyInfluence("PS", "Local SGD", "normal", "low", "high", "difficult"),
    SurveyInfluence("All-Reduce", "BSP", "high", "high", "low", "easy"),
    SurveyInfluence("All-Reduce", "SSP", "-", "-", "-", "-"),
    SurveyInfluence("All-Reduce", "ASP", "-", "-", "-", "-"),
    SurveyInfluence("All-Reduce", "Local SGD", "normal", "low", "low", "difficult"),
    SurveyInfluence("Gossip", "BSP", "low", "high", "low", "normal"),
    SurveyInfluence("Gossip", "SSP", "-", "-", "-", "-"),
    SurveyInfluence("Gossip", "ASP", "low", "high", "low", "difficult"),
    SurveyInfluence("Gossip", "Local SGD", "low", "low", "low", "difficult"),
)
