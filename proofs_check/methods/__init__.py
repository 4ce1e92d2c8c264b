"""Checks of methods: tuned runs, equal bits, two worlds, influences."""
