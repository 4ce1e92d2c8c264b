"""What commands print with ``--json``: a type for each, of which its schema is derived.

A file declares ``OUTPUTS``, pairs of a command and the type of what it prints; whatever lies in
this room is found. Types are dataclasses that name the fields, or :func:`fields_of` a result that
the command prints field by field.
"""
