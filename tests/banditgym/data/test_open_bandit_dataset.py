"""The Open Bandit Dataset, in a small made file of its form."""

import gymnasium
import numpy as np
import pandas
import pytest

from banditgym.data import open_bandit
from banditgym.logs import open_log

K = 4
TIMES = ["2019-11-24 00:00:17.5+00:00", "2019-11-24 00:00:16+00:00", "2019-11-24 00:00:17.5+00:00"]


def write(folder, name="men.csv", n=30, **columns):
    folder.mkdir(exist_ok=True)
    rng = np.random.default_rng(0)
    rows = {"timestamp": [*TIMES, *(f"2019-11-25 00:{i:02}:00+00:00" for i in range(n - 3))]}
    rows |= {"item_id": rng.integers(0, K - 1, n), "position": rng.integers(1, 4, n)}
    rows |= {"click": rng.integers(0, 2, n), "propensity_score": np.full(n, 1 / K)}
    rows |= {"user_feature_0": ["b", "a", "b"] * (n // 3), "user_feature_1": ["x"] * n}
    rows |= {f"user-item_affinity_{k}": np.zeros(n) for k in range(K)}
    frame = pandas.DataFrame(rows | columns)
    frame.to_csv(folder / name)  # with the number of each row, as there
    pandas.DataFrame({"item_id": range(K)}).to_csv(folder / "item_context.csv")
    return frame


def test_rows_are_sorted_by_time_and_users_are_columns(tmp_path):
    frame = write(tmp_path / "men")
    for path in (tmp_path / "men", str(tmp_path / "men" / "men.csv")):
        log = open_log(**open_bandit(path))
        [chunk] = log.chunks()
        order = [1, 0, 2, *range(3, 30)]
        assert (log.n_arms, log.context_shape, log.positions) == (K, (3,), (1, 2, 3))
        user = frame["user_feature_0"][order]
        expected = np.stack([user == "a", user == "b", user == user], axis=1)
        np.testing.assert_array_equal(chunk.context, expected)
        for name, column in [
            ("action", "item_id"), ("position", "position"), ("reward", "click"),
            ("propensity", "propensity_score"),
        ]:  # fmt: skip
            np.testing.assert_array_equal(getattr(chunk, name), frame[column][order])
        assert (np.diff(chunk.time) >= 0).all()


def test_it_is_replayed(tmp_path):
    write(tmp_path / "men")
    env = gymnasium.make_vec("LoggedBandit-v0", num_envs=2, **open_bandit(tmp_path / "men"))
    seen, _ = env.reset(seed=0)
    assert seen.shape == (2, 3 + 3)
    assert env.unwrapped.acceptance == 1 / K


def test_what_cannot_be_read(tmp_path):
    frame = write(tmp_path / "men")
    write(tmp_path / "two")
    write(tmp_path / "two", "other.csv")
    frame.rename(columns={"click": "clicks"}).to_csv(tmp_path / "x.csv")
    for path, message in [
        (tmp_path / "none", "no such file or folder: "),
        (tmp_path / "two", "must have one file of rows, such as men.csv, got 2: name the file"),
        (tmp_path / "x.csv", "has no column 'click'; did you mean clicks?"),
    ]:
        with pytest.raises(ValueError, match=message):
            open_bandit(path)
