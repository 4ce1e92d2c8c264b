"""Dependencies of a result: the definitions that its code reaches, and nothing else.

Results of the survey are kept under a hash of it, so that an edit re-runs what it can change.
"""
