"""Calibration: links, computing and compression of the present machines, as a cluster's file."""
