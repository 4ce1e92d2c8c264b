"""Timelines as traces: the JSON of chrome://tracing, which Perfetto opens."""

from __future__ import annotations

import json

from algorithms.schedules.timeline import Timeline


def chrome_trace(line: Timeline) -> bytes:
    """Complete events in microseconds, a thread for each resource, named by metadata events.

    Format: "Trace Event Format" (the Chromium authors, 2016), JSON object form.
    """
    threads = {resource: i for i, resource in enumerate(line.resources)}
    named: list[dict[str, object]] = [
        {"ph": "M", "pid": 0, "tid": i, "name": "thread_name", "args": {"name": resource}}
        for resource, i in threads.items()
    ]
    events = [
        {
            "ph": "X",
            "pid": 0,
            "tid": threads[task.resource],
            "name": task.name,
            "cat": task.kind.value,
            "ts": task.start * 1e6,
            "dur": (task.stop - task.start) * 1e6,
        }
        for task in line.tasks
    ]
    text = json.dumps({"traceEvents": named + events, "otherData": {"title": line.title}})
    return text.encode()
