"""The file beside a suite with the measures that score 0 and 1."""

import json

import numpy as np
import pytest

from leaderboards.suites.baselines_file import Baselines, as_text, path_of
from leaderboards.suites.suite import load

SUITE = """title = "two"
seeds = 3
[[task]]
name = "one"
env = "LinearBandit-v0"
horizon = 100
settings = { contexts = "rows.npy", dim = 3 }
[[task]]
name = "two"
env = "ArmedBandit-v0"
horizon = 100
measure = "reward"
reference = "UCB1"
"""
ENDS = {
    "one": Baselines({0: 0.1 + 0.2, 1: 1e-300, 2: 3.0}),
    "two": Baselines({0: 1.0, 1: 2.0, 2: 3.0}, {0: 5.0, 1: 2.0 / 3.0, 2: 7.0}),
}


@pytest.fixture
def path(tmp_path):
    np.save(tmp_path / "rows.npy", np.eye(3))
    path = tmp_path / "two.toml"
    path.write_text(SUITE)
    path_of(path).write_text(as_text(load(path), ENDS))
    return path


def test_numbers_come_back_bit_for_bit(path):
    assert load(path).baselines == ENDS
    text = path_of(path).read_text()
    assert as_text(load(path), load(path).baselines) == text
    assert len(text.splitlines()) == 2 + len(ENDS)  # a line for each task


def test_a_changed_suite_has_no_ends_yet(path):
    for old, new in (("horizon = 100", "horizon = 101"), ("seeds = 3", "seeds = 4")):
        path.write_text(SUITE.replace(old, new))
        assert load(path).baselines == {}


def test_what_a_task_depends_on_beside_the_hash_counts(path):
    path.write_text(SUITE.replace("UCB1", "KLUCB"))
    assert load(path).baselines == {"one": ENDS["one"]}
    path.write_text(SUITE)
    assert load(path).baselines == ENDS


def test_so_does_the_content_of_data_files(path, tmp_path):
    from leaderboards.suites import baselines_file

    np.save(tmp_path / "rows.npy", 2 * np.eye(3))
    baselines_file.of_file.cache_clear()  # a process takes a file to stay as it is
    assert load(path).baselines == {"two": ENDS["two"]}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"suite": 3', "null"])
def test_a_file_of_something_else_is_refused(path, text):
    path_of(path).write_text(text)
    with pytest.raises(ValueError, match=r"two.baselines.json is not a file of baselines"):
        load(path)


def test_what_is_lacking_is_told(path):
    one, two = load(path).tasks
    known = Baselines({0: 1.0, 2: 1.0}, {0: 1.0})
    assert known.lacking(one, range(3)) == ((1,), ())
    assert known.lacking(two, range(3)) == ((1,), (1, 2))


@pytest.mark.parametrize(
    "values",
    [[1.0, 2.0], [1.0] * 4, [1.0, 2.0, float("nan")], [1, 2, "3"], [1, 2, None], [], "123"],
)
@pytest.mark.parametrize("end", ["uniform", "best"])
def test_a_finite_number_for_each_seed_is_needed(path, end, values):
    found = json.loads(path_of(path).read_text())
    found["tasks"]["two"][end] = values
    path_of(path).write_text(json.dumps(found))
    with pytest.raises(ValueError, match="is not a file of baselines"):
        load(path)


def test_a_hash_of_this_suite_with_missing_tasks_is_refused(path):
    found = json.loads(path_of(path).read_text())
    del found["tasks"]["two"]
    path_of(path).write_text(json.dumps(found))
    with pytest.raises(ValueError, match="is not a file of baselines"):
        load(path)
