"""Runs on the workers of a dask cluster: the executor, and what must be equal on every worker.

``forecast`` says how long a run on so many cores takes. dask is imported by ``executor`` alone.
"""
