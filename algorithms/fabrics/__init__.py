"""Fabrics: which messages share which link, and how long a program of messages takes there."""
