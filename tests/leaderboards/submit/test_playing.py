"""What a game compiles before a submission's process starts. Ends of games: test_scoring.py."""

import time
from concurrent.futures import BrokenExecutor, Future

import pytest

from leaderboards.processes.workers import Here
from leaderboards.run import outcomes
from leaderboards.run.confinement import HERE, Confinement
from leaderboards.submit import playing
from leaderboards.submit.catalogue import opened
from leaderboards.suites.suite import load


@pytest.mark.parametrize(("isolation", "ready"), [("none", []), ("process", [2]), ("full", [2])])
def test_the_judge_compiles_before_a_process_that_keeps_its_own(
    tmp_path, monkeypatch, isolation, ready
):
    (tmp_path / "small.toml").write_text(
        f'title = "small"\nseeds = 1\n[[task]]\nname = "{isolation}"\n'
        'env = "ArmedBandit-v0"\nhorizon = 20\n'
    )
    (task,) = load(tmp_path / "small.toml").tasks
    done = []

    def begun(*_, **__):
        raise ValueError(f"begun after {done}")

    monkeypatch.setattr(outcomes, "warm", lambda envs, spec: done.append(envs.num_envs))
    monkeypatch.setattr(outcomes, "resolve", begun)
    monkeypatch.setattr(Confinement, "agent", begun)
    game = playing.Game(
        task=task, seeds=(0,), spec="agent.py:Mine", folder=str(tmp_path),
        confinement=Confinement(isolation=isolation), recorded=None,
    )  # fmt: skip
    assert playing.played(game) == {"error": f"ValueError: begun after {ready}"}


LONG = """
    def _start(self):
        import time
        time.sleep(600 if self.task.n_arms == 2 else 0)
"""


@pytest.mark.nightly
def test_what_has_not_ended_when_the_time_of_all_is_over_has_failed(mine, root, tmp_path):
    text = (mine / "agent.py").read_text()
    (mine / "agent.py").write_text(text.replace("    def _start(self):\n        pass\n", LONG[1:]))
    (tmp_path / "small.toml").write_text(
        'title = "small"\nseeds = 2\n'
        + "".join(
            f'[[task]]\nname = "{n}"\nenv = "ArmedBandit-v0"\nhorizon = 20\n'
            f"settings = {{ n_arms = {n} }}\n"
            for n in (2, 3)
        )
    )
    submission, suite = opened(mine, root), load(tmp_path / "small.toml")
    confinement = Confinement(isolation="process", total=40.0)
    began = time.monotonic()
    with playing.staged(submission) as folder:
        found = playing.rows(
            submission, folder, suite, {"2": (0, 1), "3": (0, 1)}, confinement, workers=2
        )
        errors = {(row.task, row.seed): row.error for rows in found for row in rows}
    late = "not played to its end: all tasks took longer than they may together"
    assert errors == {("2", 0): late, ("2", 1): late, ("3", 0): None, ("3", 1): None}
    assert time.monotonic() - began < 60.0


class Fragile(Here):
    """Breaks when a game of a task is played, so many times; a pool that broke plays no more."""

    breaks: dict[str, int]
    broken = False

    def submit(self, fn, /, *args, **kwargs):
        """Play a game, or break."""
        (game,) = fn.args
        if self.broken:
            raise BrokenExecutor
        if self.breaks[game.task.name] > 0:
            self.breaks[game.task.name] -= 1
            self.broken = True
            future = Future()
            future.set_exception(BrokenExecutor())
            return future
        return super().submit(fn, *args, **kwargs)


@pytest.mark.parametrize(
    ("times", "error"), [(0, None), (1, None), (2, None), (3, "the judge's process died")]
)
def test_a_process_that_dies_costs_no_game_that_ends_when_it_is_played_again(
    mine, root, small, monkeypatch, times, error
):
    """The first game breaks the pool; the other one, of the same pool, is played in any case."""
    submission, suite = opened(mine, root), load(small)
    monkeypatch.setattr(Fragile, "breaks", {"one": 0, "other": times}, raising=False)
    monkeypatch.setattr(playing, "Processes", lambda workers: Fragile())
    monkeypatch.setattr(
        playing, "played", lambda game: {"error": f"played {game.task.name}"}
    )  # nothing need be played
    told = []
    with playing.staged(submission) as folder:
        found = playing.rows(
            submission, folder, suite, {"one": (0,), "other": (0,)},
            HERE, workers=1, progress=lambda *a: told.append(a[0]),
        )  # fmt: skip
        errors = {row.task: row.error for rows in found for row in rows}
    assert errors == {"one": "played one", "other": error or "played other"}
    assert told == [0.5, 1.0]
