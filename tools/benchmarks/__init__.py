"""Benchmarks of pytest-benchmark, which ``pytest tools/benchmarks`` runs.

They support rules of the code by figures: each measures several ways to do one thing, which are a
group of pytest-benchmark's table. ``pytest tools/benchmarks/bench_blocks.py`` runs those of a file.
Seconds are CPU time if a file does not say otherwise. To see what a change gained, save the figures
of another checkout, and compare those of this one with them::

    git worktree add ../before COMMIT
    PYTHONPATH=../before pytest tools/benchmarks/bench_single.py --benchmark-save=before
    pytest tools/benchmarks/bench_single.py --benchmark-compare
"""
