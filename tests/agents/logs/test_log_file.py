"""A Parquet file with the rounds that agents play."""

import json
import sys

import gymnasium
import numpy as np
import pyarrow.parquet as parquet
import pytest

import agents
import banditgym
from agents.logs import log_file
from banditgym.logs import open_log


def envs(n=3, name="LinearBandit-v0", **settings):
    settings = {"n_arms": 4, "dim": 2, "horizon": 20} | settings
    return gymnasium.make_vec(name, num_envs=n, **settings)


def table(path):
    return parquet.read_table(path)


def test_several_plays_are_one_file(tmp_path):
    path = tmp_path / "log.parquet"
    players = [agents.UniformRandom(), agents.EpsilonGreedy(epsilon=0.5), agents.UniformRandom()]
    with agents.LogFile(path) as log:
        for agent in players:
            agents.play(envs(), agent, seed=4, log=log)
            assert not path.exists()
    rows = table(path).to_pandas()
    labels = ["UniformRandom", "EpsilonGreedy(epsilon=0.5)", "UniformRandom"]
    assert rows["agent"].tolist() == np.repeat(labels, 60).tolist()
    assert rows["episode"].tolist() == [0] * 120 + [1] * 60
    assert rows["round"].tolist() == np.tile(np.repeat(np.arange(20), 3), 3).tolist()
    assert rows["replicate"].tolist() == [0, 1, 2] * 60
    assert rows["seed"].tolist() == [4, 5, 6] * 60
    log = open_log(path)
    assert log.n_rows == 180
    assert log.metadata == {
        "version": banditgym.__version__,
        "env": "LinearBandit-v0",
        "settings": {"n_arms": 4, "dim": 2, "horizon": 20},
        "n_arms": 4,
        "context": "arms",
        "agents": [
            {"agent": label, "exact_propensities": True, "learns": learns}
            for label, learns in zip(labels, [False, True, False], strict=True)
        ],
    }
    schema = table(path).schema.metadata  # which a table that was read keeps
    assert json.loads(schema[b"banditgym"])["env"] == "LinearBandit-v0"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("most", [1, 7, 64])
def test_rows_are_written_in_groups(tmp_path, monkeypatch, most):
    agents.play(envs(), agents.UniformRandom(), log=tmp_path / "whole.parquet")
    monkeypatch.setattr(log_file, "_ROWS", most)
    agents.play(envs(), agents.UniformRandom(), log=tmp_path / "parts.parquet")
    file = parquet.ParquetFile(tmp_path / "parts.parquet")
    groups = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
    at_once = max(3, most // 3 * 3)
    assert groups[:-1] == [at_once] * (60 // at_once - (60 % at_once == 0))
    assert file.read().equals(table(tmp_path / "whole.parquet"))


def test_rows_of_many_features_are_few_in_a_group(tmp_path, monkeypatch):
    monkeypatch.setattr(log_file, "_BYTES", 3000)
    agents.play(envs(1, dim=10), agents.UniformRandom(), log=tmp_path / "x.parquet")
    # 40 features, 4 propensities, 4 means, and 8 other columns
    assert parquet.ParquetFile(tmp_path / "x.parquet").metadata.row_group(0).num_rows == 6


class Fails(agents.UniformRandom):
    def _learn(self, contexts, actions, outcome, observed):
        if self.decisions[0] == 3:
            raise ValueError("no more")


def test_an_error_leaves_no_file(tmp_path):
    path = tmp_path / "log.parquet"
    with pytest.raises(ValueError, match="no more"):
        agents.play(envs(), Fails(), log=path)
    with pytest.raises(ValueError, match="no more"), agents.LogFile(path) as log:
        [agents.play(envs(), agent, log=log) for agent in (agents.UniformRandom(), Fails())]
    with agents.LogFile(path):
        pass  # nothing was played
    assert list(tmp_path.iterdir()) == []


def test_a_play_that_did_not_end_is_not_logged(tmp_path):
    path = tmp_path / "log.parquet"
    log = agents.LogFile(path)
    for agent, message in [
        (Fails(), "no more"),
        (agents.UniformRandom(), "takes one play at a ti"),
    ]:
        with pytest.raises(ValueError, match=message):
            agents.play(envs(), agent, log=log)
    with pytest.raises(ValueError, match="is not written, because a play did not end"), log:
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_log_has_one_environment(tmp_path):
    with agents.LogFile(tmp_path / "log.parquet") as log:
        agents.play(envs(), agents.UniformRandom(), log=log)
        with pytest.raises(ValueError, match="a log has one environment, got"):
            agents.play(envs(dim=3), agents.UniformRandom(), log=log)
    assert open_log(tmp_path / "log.parquet").n_rows == 60


def test_what_cannot_be_written_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "log.parquet"
    for given, message in [
        (tmp_path / "log.csv", "a log must end in .parquet, got"),
        (tmp_path / "none" / "log.parquet", "cannot be written: there is no"),
        (3, "log must be a file's name or an agents.LogFile, got 3"),
    ]:
        with pytest.raises(ValueError, match=message):
            agents.play(envs(), agents.UniformRandom(), log=given)
    path.write_text("mine")
    with pytest.raises(ValueError, match="exists: name another file, or remove it"):
        agents.play(envs(), agents.UniformRandom(), log=path)
    assert path.read_text() == "mine"
    with pytest.raises(ValueError, match="context must be one of all, played, none, got 'al'"):
        agents.LogFile(tmp_path / "x.parquet", "al")
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(
        ValueError, match=r"Parquet needs pyarrow: pip install 'banditgym\[parquet\]"
    ):
        agents.LogFile(tmp_path / "x.parquet")
