"""The task that a log is, and what its rounds show."""

import numpy as np
import pytest

from banditgym.logs import made_log, open_log
from banditgym.logs.log_tasks import features_shown, shape_shown, task_of_log
from banditgym.tasks import LoggedArmsTask, LoggedContextsTask
from tests.banditgym.logs.log_examples import D, K, as_arrow, as_frame, rows


def test_a_log_with_a_context():
    frame = made_log(50)
    norm = np.linalg.norm(np.array([*frame["context"]]), axis=1).max()
    task = task_of_log(open_log(frame), horizon=9, param_norm=2.0)
    facts = {"n_arms": 4, "horizon": 9, "noise_std": None, "subgaussian": 0.5}
    own = {"dim": 3, "context_dim": 3, "param_norm": 2.0, "feature_norm": task.feature_norm}
    assert task == LoggedContextsTask(**facts, **own)
    assert task.feature_norm == pytest.approx(norm, rel=1e-15)
    assert task.regret is None


def test_a_log_with_features_of_arms_and_positions():
    given = rows(arms=True) | {"position": np.arange(7) % 2}
    log = open_log(as_frame(given))
    assert shape_shown(log) == (K, D + 2)
    [chunk] = log.chunks()
    where = np.repeat(np.eye(2)[given["position"]][:, None], K, axis=1)
    expected = np.concatenate([given["context"], where], axis=2)
    np.testing.assert_array_equal(features_shown(log, chunk), expected)
    task = task_of_log(log)
    assert (task.dim, task.context_dim, task.arms_vary) == (D + 2, None, None)
    norms = np.linalg.norm(expected, axis=2)
    assert task.feature_norm == pytest.approx(norms.max(), rel=1e-15)
    spread = np.ptp(given["reward"])
    assert task.subgaussian == spread / 2


def test_a_log_without_features():
    given = {"action": np.array([0, 1]), "reward": np.array([0.0, 3.0])}
    given["action_mask"] = np.ones((2, 2), int)
    task = task_of_log(open_log(as_frame(given)))
    assert isinstance(task, LoggedArmsTask)
    assert (task.bernoulli, task.bounds, task.subgaussian) == (False, (0.0, 3.0), 1.5)
    assert task.arms_vary
    given["reward"] = np.array([1.0, 1.0])
    task = task_of_log(open_log(as_frame(given)))
    assert (task.bernoulli, task.bounds, task.subgaussian) == (True, None, 0.5)


def test_features_of_the_arm_played_would_tell_it():
    log = open_log(as_arrow(rows(), {"context": "played"}))
    with pytest.raises(
        ValueError, match="features of the arm played alone, which would tell agents"
    ):
        task_of_log(log)
