"""Advice: which synchronisation, compression, architecture and schedule reach a target first."""
