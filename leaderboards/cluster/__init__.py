"""Runs on the workers of a dask cluster: the executor, and the checks that workers are alike.

Only ``executor`` and ``connecting`` import dask.
"""
