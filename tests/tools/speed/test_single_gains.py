"""Single environments beside those of another checkout: both are played, in turns."""

import shutil
from pathlib import Path

import gymnasium
import pytest

import agents
from banditgym.registration import ENVIRONMENTS
from tools.speed import single_gains as measured
from tools.speed import single_plays as plays

TREE = Path(measured.__file__).parents[2]


def test_every_family_is_measured():
    families = {ENVIRONMENTS[case.env].family for case in measured.CASES}
    assert families == {entry.family for entry in ENVIRONMENTS.values()}


@pytest.mark.parametrize("case", measured.CASES)
def test_the_actions_are_legal_and_each_way_plays_them(case, monkeypatch):
    env, played = gymnasium.make(case.env, horizon=30), []
    own = type(env.unwrapped).step

    def step(self, action):
        played.append(action)
        return own(self, action)

    monkeypatch.setattr(type(env.unwrapped), "step", step)
    wrapped, of_wrapper = [], type(env).step
    monkeypatch.setattr(
        type(env), "step", lambda self, action: (wrapped.append(0), of_wrapper(self, action))[1]
    )
    actions = plays.actions_of(env, 30)
    for way in plays.WAYS:
        played.clear(), wrapped.clear()
        agent = agents.resolve(case.agent)
        assert plays.spent(env, agent, actions, way) >= 0
        assert len(played) == 30
        assert len(wrapped) == (0 if way == plays.BARE else 30)
        if way == plays.LOOP:
            assert agent.decisions.tolist() == [30]
        else:
            assert all(mine is theirs for mine, theirs in zip(played, actions, strict=True))


def test_a_line_has_both_checkouts_in_turns(monkeypatch, capsys):
    asked = []

    class Timed:
        def __init__(self, tree):
            self.here = tree == TREE

        def spent(self, case, way):
            asked.append((case.name, way, self.here))
            return plays.ROUNDS * (1e-6 if self.here else 2.5e-6 + 1e-7 * len(asked))

        def end(self):
            asked.append("ended")

    monkeypatch.setattr(measured, "Player", Timed)
    monkeypatch.setattr(measured.sys, "argv", ["single_gains", "elsewhere", "lab", "arms"])
    measured.main()
    turns = [(name, way, here) for name in ("arms", "labels") for way in plays.WAYS
             for _ in range(5) for here in (False, True)]  # fmt: skip
    assert asked == [*turns, "ended", "ended"]
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 6
    assert lines[0] == (
        "arms               step, unwrapped       2.60 us there,    1.00 us here:  2.60"
    )
    monkeypatch.setattr(measured.sys, "argv", ["single_gains"])
    with pytest.raises(SystemExit, match="name the folder"):
        measured.main()
    monkeypatch.setattr(measured.sys, "argv", ["single_gains", "elsewhere", "labl"])
    with pytest.raises(SystemExit, match="no case begins with 'labl'; there are arms, features"):
        measured.main()


def test_a_process_plays_the_packages_of_its_folder(tmp_path, capfd):
    for name in ("agents", "banditgym"):
        shutil.copytree(TREE / name, tmp_path / name, ignore=shutil.ignore_patterns("*.pyc"))
    player = measured.Player(tmp_path)
    try:
        assert player.spent(measured.CASES[0], plays.BARE) > 0
        with pytest.raises(RuntimeError, match="its error is above"):
            player.spent(measured.Case("none", "UCB1", "Nothing-v0"), plays.BARE)
    finally:
        player.end()
    assert "Nothing" in capfd.readouterr().err
    with pytest.raises(ValueError, match=r"elsewhere is no checkout of this project: agents is "):
        measured.Player(tmp_path / "elsewhere")
