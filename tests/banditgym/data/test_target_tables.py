"""Tables with a named target, and the environments that read them."""

import gymnasium
import numpy as np
import pandas
import pytest

import agents
import banditgym  # noqa: F401 (registers the environments)
from banditgym.data import target_tables
from banditgym.data.table_encoding import encoded
from leaderboards.suite import load


def frame(n=40):
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    return pandas.DataFrame(
        {
            "x": np.where(np.arange(n) % 7 == 3, np.nan, x),
            "kind": np.where(x > 0, "warm", "cold"),
            "town": np.resize(["Ulm", "Bonn", None], n),
            "price": 10.0 + x,
        }
    )


def test_features_are_encoded_by_all_rows_and_the_target_is_left_out():
    rows, labels = target_tables.labelled_table(frame(), "kind")
    features = encoded(frame().drop(columns="kind"), np.arange(40)).rows
    np.testing.assert_array_equal(rows, features)
    assert labels.tolist() == frame()["kind"].tolist()
    rows, numbers = target_tables.numbered_table(frame(), "price")
    assert rows.shape == (40, 2 + 2 + 3)  # x and where it is missing; two kinds; three towns
    np.testing.assert_array_equal(numbers, frame()["price"])


def test_numbers_of_a_csv_file_are_the_nearest(tmp_path):
    numbers = np.random.default_rng(0).standard_normal(1000)
    pandas.DataFrame({"x": numbers, "y": numbers}).to_csv(tmp_path / "rows.csv", index=False)
    _, read = target_tables.numbered_table(tmp_path / "rows.csv", "y")
    np.testing.assert_array_equal(read, numbers)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ([2, 1, 2], [2, 1, 2]),
        ([True, False, True], ["True", "False", "True"]),
        (pandas.Categorical(["u", "v", "u"]), ["u", "v", "u"]),
    ],
)
def test_labels_are_numbers_or_strings(column, expected):
    _, labels = target_tables.labelled_table(pandas.DataFrame({"x": [0, 1, 2], "y": column}), "y")
    assert labels.tolist() == expected


def ways(folder):
    """The table as a frame and as each kind of file."""
    frame().to_csv(folder / "rows.csv", index=False)
    frame().to_csv(folder / "rows.csv.gz", index=False)
    found = [frame(), folder / "rows.csv", str(folder / "rows.csv.gz")]
    try:
        frame().to_parquet(folder / "rows.parquet")
    except ImportError:
        return found
    return [*found, folder / "rows.parquet"]


@pytest.mark.parametrize(
    ("name", "target", "read", "settings"),
    [
        ("MulticlassBandit-v0", "kind", target_tables.labelled_table, {"sparse": False}),
        ("KernelBandit-v0", "price", target_tables.numbered_table, {}),
    ],
)
def test_environments_read_tables_as_the_arrays_that_they_encode(
    name, target, read, settings, tmp_path
):
    def rewards(data):
        envs = gymnasium.make_vec(name, num_envs=3, data=data, horizon=30, **settings)
        return agents.play(envs, agents.UniformRandom()).measures["reward"]

    expected = rewards(read(frame(), target))
    for table in ways(tmp_path):
        np.testing.assert_array_equal(rewards((table, target)), expected)


def test_a_suite_finds_the_table_beside_it(tmp_path, monkeypatch):
    ways(tmp_path)
    (tmp_path / "mine.toml").write_text(
        'title = "mine"\nseeds = 2\n[[task]]\nname = "one"\nenv = "MulticlassBandit-v0"\n'
        'horizon = 20\nsettings = { data = ["rows.csv", "kind"], sparse = false }\n'
    )
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    (task,) = load(tmp_path / "mine.toml").tasks
    assert task.files == (("rows.csv", str(tmp_path / "rows.csv")),)
    assert task.settings["data"] == [str(tmp_path / "rows.csv"), "kind"]


def test_threads_do_not_read_a_file_again(tmp_path):
    ways(tmp_path)
    envs = gymnasium.make_vec(
        "MulticlassBandit-v0", num_envs=4, data=(str(tmp_path / "rows.csv"), "kind"), horizon=20
    )
    assert envs.unwrapped.resized(2) is None
    held = gymnasium.make_vec("MulticlassBandit-v0", num_envs=4, data=(frame(), "kind"), horizon=20)
    assert held.unwrapped.resized(2).num_envs == 2


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("MulticlassBandit-v0", (frame(), "knd"), "the frame has no column 'knd'; did you mean"),
        ("KernelBandit-v0", (frame().rename(columns={"x": " x"}), "x"), "did you mean ' x'"),
        ("KernelBandit-v0", (frame().rename(columns={"x": " x"}), "@@"), "there are .*' x'"),
        ("MulticlassBandit-v0", ("gone.csv", "kind"), "no such file: gone.csv"),
        (
            "MulticlassBandit-v0",
            (3, "kind"),
            "data must be a CSV or Parquet file or a DataFrame, got",
        ),
        ("KernelBandit-v0", (frame(), "kind"), "the target 'kind' has text, which is not a number"),
        ("KernelBandit-v0", (frame(), "x"), "lacks 'x' in 6 of 40 rows, first in row 4"),
        ("KernelBandit-v0", (frame()[["x"]], "x"), "only one column, and so no features"),
    ],
)
def test_faults_are_one_line(name, data, message):
    with pytest.raises(ValueError, match=message) as raised:
        gymnasium.make(name, data=data)
    assert "\n" not in str(raised.value)


def test_a_file_of_a_table_alone_is_told_how_to_name_its_labels(tmp_path):
    path = tmp_path / "rows.csv"
    frame().to_csv(path, index=False)
    with pytest.raises(ValueError, match=r"data must name the column .*rows\.csv', 'label'"):
        gymnasium.make("MulticlassBandit-v0", data=str(path))
    gymnasium.make("MulticlassBandit-v0", data=(str(path), "kind")).close()
