"""Which rows of a store are shown: of one state of sources, and of the data that lies there now."""

import dataclasses

import numpy as np

from leaderboards import ends
from leaderboards.sources import current, of_learner
from leaderboards.store import Row
from leaderboards.suite import load

SUITE = """
title = "small"
seeds = 2
[[task]]
name = "rows"
env = "LinearBandit-v0"
horizon = 30
settings = { contexts = "rows.npy" }
"""
ROW = Row(
    suite="-", task="rows", agent="LinUCB", spec="LinUCB", hyperparameters={"alpha": 1.0}, seed=0,
    sources="", data={}, error=None, rounds=[30], measures={"regret": [1.0]}, seconds=[1e-7, 1e-7],
    bytes=8, facts=[], paper=None,
)  # fmt: skip


def suite_of(folder, values):
    np.save(folder / "rows.npy", np.asarray(values, float))
    (folder / "small.toml").write_text(SUITE)
    ends.of_file.cache_clear()
    return load(folder / "small.toml")


def test_rows_of_other_data_are_left_out(tmp_path):
    suite = suite_of(tmp_path, [[1, 2], [3, 4], [5, 7]])
    (path,) = [path for _, path in suite.tasks[0].files]
    rows = [
        dataclasses.replace(ROW, sources=of_learner("LinUCB"), data={"rows.npy": digest}, seed=seed)
        for seed, digest in enumerate([ends.of_file(path), "0" * 16])
    ]
    assert current(suite, rows) == (rows[:1], [])
    # The file changes, and with it what belongs to it.
    suite = suite_of(tmp_path, [[1, 2], [3, 4], [5, 8]])
    assert current(suite, rows) == ([], [])
    ends.of_file.cache_clear()


def test_rows_of_the_present_sources_are_shown_though_others_are_newer(tmp_path):
    suite = suite_of(tmp_path, [[1, 2], [3, 4], [5, 7]])
    data = {"rows.npy": ends.of_file(suite.tasks[0].files[0][1])}
    here, older, newer = (
        dataclasses.replace(ROW, sources=sources, data=data)
        for sources in (of_learner("LinUCB"), "1" * 16, "2" * 16)
    )
    assert current(suite, [older, here, newer]) == ([here], [])
    # Where there are none of the present sources, the newest are shown, and it is said.
    assert current(suite, [older, newer]) == ([newer], ["LinUCB"])
    assert current(suite, [newer, older]) == ([older], ["LinUCB"])
    assert current(suite, [dataclasses.replace(here, seed=2)]) == ([], [])  # beyond the suite's
    ends.of_file.cache_clear()
