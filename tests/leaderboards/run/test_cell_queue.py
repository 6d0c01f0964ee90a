"""The queue of cells: which cell a free worker gets. Faults of workers are in `test_runner.py`."""

from concurrent.futures import Executor, Future
from dataclasses import replace

import pytest
from numba.core import event

from leaderboards.processes.watchdog import Watchdog, running
from leaderboards.run.cell import Played
from leaderboards.run.cell_queue import play_cells
from leaderboards.run.entrants import entrants
from leaderboards.run.plan import cells_of
from leaderboards.suites.suite import load

SUITE = """
title = "two families"
seeds = 1
[[task]]
name = "coins"
env = "ArmedBandit-v0"
horizon = 60
[[task]]
name = "features"
env = "LinearBandit-v0"
horizon = 60
"""


class Told(Executor):
    """Workers whose cells end when the test says so."""

    def __init__(self):
        self.futures = {}  # in the order in which the cells were handed out, by number

    def submit(self, fn, cell, *args):
        self.futures[cell.number] = Future()
        return self.futures[cell.number]

    def shutdown(self, wait=True, *, cancel_futures=False):
        pass


@pytest.fixture
def players():
    """Four agents for one family, then two for another."""
    return ["UniformRandom", "UCB1", "KLUCB", "EpsilonGreedy"], ["Greedy", "LinUCB"]


@pytest.fixture
def cells(tmp_path, players):
    """A cell for each name among the players, in their order."""
    (tmp_path / "two.toml").write_text(SUITE)
    suite = load(tmp_path / "two.toml")
    found = [
        cell
        for task, agents in zip(suite.tasks, players, strict=True)
        for seed, agent in enumerate(agents)
        for cell in cells_of(suite, task, *entrants([agent]), [seed])
    ]
    return [replace(cell, number=i) for i, cell in enumerate(found)]


@pytest.fixture
def handed_out_after(cells, tmp_path):
    """A function that ends cells by their numbers, and returns those that two workers get then."""
    pool = Told()
    (tmp_path / "marks").mkdir()
    played = play_cells(cells, lambda: pool, 2, Watchdog(tmp_path / "marks", 60.0))

    def after(*ended):
        for number in ended:
            rows = cells[number].failed("the test ended it")
            pool.futures[number].set_result(Played(rows=rows))
        before = len(pool.futures)
        for _ in range(2):  # the rows come first, and then others are handed out
            while next(played, None):
                pass
        return [*pool.futures][before:]

    yield after
    played.close()


def test_a_worker_gets_no_cell_of_a_family_for_which_another_compiles(
    cells, tmp_path, handed_out_after
):
    assert handed_out_after() == [0, 1]
    with running(tmp_path / "marks", cells[1].name):
        event.start_event("numba:compile")
        assert handed_out_after(0) == [4]
        event.end_event("numba:compile")  # it may compile more
        assert handed_out_after(4) == [5]
        assert handed_out_after(5) == [2]  # no other family is left
    assert handed_out_after(1, 2) == [3]


@pytest.mark.parametrize("players", [(["UCB1", "UCB1", "UCB1", "KLUCB"], ["UniformRandom"])])
def test_a_worker_gets_no_cell_of_an_agent_that_another_plays(handed_out_after):
    assert handed_out_after() == [0, 3]
    assert handed_out_after(0) == [1]
    assert handed_out_after(3) == [4]
    assert handed_out_after(4) == [2]  # no other agent is left


@pytest.mark.parametrize("players", [(["UCB1", "KLUCB", "KLUCB"], ["UCB1"])])
def test_another_family_matters_more_than_another_agent(cells, tmp_path, handed_out_after):
    assert handed_out_after() == [0, 1]
    with running(tmp_path / "marks", cells[0].name):
        event.start_event("numba:compile")
        assert handed_out_after(1) == [3]
        event.end_event("numba:compile")


def test_cells_of_different_agents_come_in_their_order_if_nothing_is_compiled(
    cells, tmp_path, handed_out_after
):
    assert handed_out_after() == [0, 1]
    with running(tmp_path / "marks", cells[1].name):
        assert [handed_out_after(number) for number in (0, 2, 3)] == [[2], [3], [4]]
