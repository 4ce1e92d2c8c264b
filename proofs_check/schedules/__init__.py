"""Schedules: is the order of the DAG kept, and do timelines have the stated closed forms?"""
