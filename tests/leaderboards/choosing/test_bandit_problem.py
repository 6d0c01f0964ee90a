"""A table as two tasks: what their environments show is the encoded rows of each part alone."""

import math

import numpy as np
import pytest

from banditgym.data.regression_data import to_unit_cube
from banditgym.data.svmlight import load
from banditgym.data.table_encoding import encoded
from banditgym.functions.covariances import RBF
from leaderboards.choosing.bandit_problem import bandit_problem, fitted_length_scale, svmlight_lines
from leaderboards.choosing.labelled_table import labelled_table
from leaderboards.choosing.split import halves
from leaderboards.run.outcomes import make

from .small_tables import separable


def both(problem):
    """The tasks, with the rows of each."""
    (tuning,) = problem.tasks.on(range(500_000, 500_001)).tasks
    return ((problem.task, problem.split.reporting), (tuning, problem.split.tuning))


def test_classes_are_shown_as_the_rows_of_their_part(tmp_path):
    table = labelled_table(separable(), "label")
    problem = bandit_problem(table, tmp_path, 3)
    rows = encoded(table.features, halves(table).tuning).rows
    shown = np.hstack([rows, np.ones((60, 1))]) / math.sqrt(rows.shape[1] + 1)
    seen = []
    for task, part in both(problem):
        envs = make(task, 1)
        assert envs.unwrapped.task.horizon == min(map(len, vars(problem.split).values()))
        observation, _ = envs.reset(seed=4)
        played = []
        for _ in range(envs.unwrapped.task.horizon):
            row = observation[0].copy()
            observation, reward, _, _, info = envs.step(np.array([1]))
            played.append((*row, info["label"][0]))
            assert reward[0] == (info["label"][0] == 1)
        expected = {(*shown[i], table.labels[i]) for i in part}
        assert set(played) <= expected
        seen.append(set(played))
    assert not seen[0] & seen[1]
    assert problem.suite.seeds == (0, 1, 2)
    assert problem.tasks.on_same_data(["rows"]) == ()


def test_numbers_are_arms_and_their_kernel_is_the_most_likely_one(tmp_path):
    table = labelled_table(separable().drop(columns="town"), "z")
    problem = bandit_problem(table, tmp_path, 2)
    rows = encoded(table.features, halves(table).tuning).rows
    for task, part in both(problem):
        envs = make(task, 1)
        known = envs.unwrapped.task
        np.testing.assert_array_equal(known.arms, to_unit_cube(rows[part]))
        assert (known.horizon, known.noise_std) == (30, 0.1)
        assert known.covariance == RBF(length_scale=fitted_length_scale(*of_tuning(table, rows)))
        numbers = table.labels[part]
        envs.reset(seed=0)
        regret = envs.step(np.array([3]))[4]["regret"][0]
        assert regret == pytest.approx((numbers.max() - numbers[3]) / numbers.std())
    assert any("length-scale" in line for line in problem.said)


def test_numbers_that_are_predicted_are_shown_as_the_rows_of_their_part(tmp_path):
    frame = separable().drop(columns="label").assign(z=lambda f: 150 + 20 * f["z"])
    table = labelled_table(frame, "z", "predicted")
    problem = bandit_problem(table, tmp_path, 3)
    assert problem.task.family == "regression"
    tuning = halves(table).tuning
    rows = encoded(table.features, tuning).rows
    shown = np.hstack([rows, np.ones((60, 1))]) / math.sqrt(rows.shape[1] + 1)
    outcomes = (table.labels - table.labels[tuning].mean()) / table.labels[tuning].std()
    for task, part in both(problem):
        envs = make(task, 1)
        observation, _ = envs.reset(seed=4)
        played = []
        for _ in range(30):
            row = observation[0].copy()
            observation, *_, info = envs.step(np.zeros(1))
            played.append((*row, info["feedback"][0]))
        np.testing.assert_allclose(
            sorted(played), sorted((*shown[i], outcomes[i]) for i in part), rtol=1e-9
        )
    np.testing.assert_array_equal(problem.rows, shown)
    np.testing.assert_array_equal(problem.encoder(frame), shown)
    with pytest.raises(ValueError, match=r"horizon must be in 1\.\.30, the rows of a part, got 31"):
        bandit_problem(table, tmp_path, 3, 31)


def test_it_is_said_where_rows_suffice_for_more_rounds(tmp_path):
    table = labelled_table(separable(), "label")
    fewest = min(map(len, vars(bandit_problem(table, tmp_path, 3).split).values()))
    said = " ".join(bandit_problem(table, tmp_path, 3, 20).said)
    assert f"the rows suffice for {fewest} rounds, and agents are tuned and compared on 20" in said
    assert f"--horizon {fewest}" in said
    assert "suffice" not in " ".join(bandit_problem(table, tmp_path, 3).said)
    arms = bandit_problem(labelled_table(separable(), "z"), tmp_path, 3, 20)
    assert "suffice" not in " ".join(arms.said)


def of_tuning(table, rows):
    part = halves(table).tuning
    return rows[part], table.labels[part]


def test_a_smooth_function_has_a_longer_scale_than_a_rough_one():
    points = np.linspace(0, 1, 60)[:, None]
    smooth, rough = np.sin(2 * points[:, 0]), np.sin(60 * points[:, 0])
    assert fitted_length_scale(points, smooth) > 3 * fitted_length_scale(points, rough)
    # What differs from row to row is no reason for a short one.
    spread = np.sin(4 * points[:, 0]) + 0.3 * np.random.default_rng(0).standard_normal(60)
    assert fitted_length_scale(points, spread) > 3 * fitted_length_scale(points, rough)


def test_a_problem_has_a_folder_of_its_own_by_its_data(tmp_path):
    table = labelled_table(separable(), "label")
    first = bandit_problem(table, tmp_path, 3)
    assert bandit_problem(table, tmp_path, 5).folder == first.folder  # more seeds go on there
    assert bandit_problem(table, tmp_path, 3, 20).folder != first.folder
    frame = separable()
    frame.loc[0, "z"] += 1e-9
    other = bandit_problem(labelled_table(frame, "label"), tmp_path, 3)
    assert other.folder != first.folder
    assert sorted(path.suffix for path in first.folder.iterdir()) == [".svmlight"] * 2


def test_rounds_and_seeds_that_there_are_not_are_one_line(tmp_path):
    table = labelled_table(separable(), "label")
    for seeds, horizon, message in (
        (0, None, r"seeds is a number in 1\.\.500000, got 0"),
        (3, 0, r"horizon must be in 1\.\.2\d, the rows of a part, got 0"),
        (3, 40, r"horizon must be in 1\.\.2\d, the rows of a part, got 40"),
    ):
        with pytest.raises(ValueError, match=message):
            bandit_problem(table, tmp_path, seeds, horizon)
    numbers = labelled_table(separable(), "z")
    assert bandit_problem(numbers, tmp_path, 3, 40).task.horizon == 40  # an arm is played again
    assert not list(tmp_path.glob("*.partial"))


def test_copies_of_rows_are_told(tmp_path):
    frame = separable()
    frame.loc[30:] = frame.loc[:29].to_numpy()
    frame = frame.astype({"x": float, "z": float})
    problem = bandit_problem(labelled_table(frame, "label"), tmp_path, 3)
    assert "of the reporting rows are equal to a tuning row" in problem.said[-1]


def test_the_file_that_is_written_is_read_as_it_was(tmp_path):
    """Also where the first and the last feature are 0 in all rows of a part."""
    rows = np.array([[0.0, 1 / 3, 0.0, 0.0], [0.0, -1e-300, 2e22, 0.0]])
    (tmp_path / "rows.svmlight").write_bytes(svmlight_lines(rows, np.array([0, 1])))
    data = load(tmp_path / "rows.svmlight")
    assert (data.dim, data.labels.tolist()) == (4, [0, 1])
    dense = np.zeros((2, 4))
    for i in range(2):
        own = slice(data.indptr[i], data.indptr[i + 1])
        dense[i, data.indices[own]] = data.values[own]
    np.testing.assert_array_equal(dense, rows)
