"""Runs on the workers of a dask cluster: the executor, and the checks that workers are alike.

``forecast`` estimates how long a run takes on a number of cores. Only ``executor`` and
``connecting`` import dask.
"""
