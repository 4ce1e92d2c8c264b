"""Faults of processes, drawn: killed, stopped, starved, restarted and duplicated at any moment.

``python -m tests.faults --moments 20 --seed 1 --kind survey`` disturbs small jobs at moments of a
seed and holds what comes to an undisturbed run: nothing finished is lost or computed twice, the
final results are equal, one clear line within 60 s, an exit code, and no process is left.
"""
