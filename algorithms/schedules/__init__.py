"""Schedules: when the tasks of a training step run, and on what.

:data:`SCHEDULES` has those of one data-parallel step by the name that commands use; pipelines
(``pipeline``) and jobs that share a network (``contention``) have timelines of their own.
"""

from __future__ import annotations

from algorithms.schedules.base import CommunicationSchedule
from theory.members import declared

SCHEDULES: dict[str, CommunicationSchedule] = dict(declared(__name__, "SCHEDULES_BY_NAME"))

__all__ = ["SCHEDULES", "CommunicationSchedule"]
