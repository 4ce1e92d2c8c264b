"""Workloads: are they the published models, and does survey 001's performance model follow?"""
