"""Collectives as programs of messages: rounds of source, target and slice, run on tensors."""
