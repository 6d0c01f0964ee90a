"""Tables with a named target, and the environments that read them."""

import datetime
from decimal import Decimal

import gymnasium
import numpy as np
import pandas
import pytest

import agents
import banditgym  # noqa: F401 (registers the environments)
from banditgym.data import target_tables
from banditgym.data.table_encoding import encoded
from leaderboards.suites.suite import load


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


def test_doubtful_columns_are_warnings_of_environments():
    table = frame().assign(sales=["1,234", "5,678"] * 20, day=pandas.Timestamp("2024-01-05"))
    for name, target in (("MulticlassBandit-v0", "kind"), ("KernelBandit-v0", "price")):
        with pytest.warns(UserWarning, match="the frame: the column") as told:
            gymnasium.make_vec(name, num_envs=1, data=(table, target))
        said = [str(one.message) for one in told]
        assert [text.split("'")[1] for text in said] == ["sales", "day"]
        assert "'1,234' may be 1234 or 1.234" in said[0]


def test_decimals_and_times_are_read_alike_from_all_files(tmp_path):
    table = frame().drop(columns="town")
    table["cents"] = [Decimal(f"{price:.2f}") for price in table["price"]]
    table["truth"] = np.resize(np.array([True, None, False, False], object), 40)
    table["day"] = [datetime.date(2024, 1, 1 + i % 9) for i in range(40)]
    table["hour"] = [datetime.time(i % 24) for i in range(40)]
    table["since"] = pandas.to_timedelta(range(40), unit="h")
    table.to_csv(tmp_path / "rows.csv", index=False)
    table.to_parquet(tmp_path / "rows.parquet")
    found = []
    for data in (table, tmp_path / "rows.csv", tmp_path / "rows.parquet"):
        with pytest.warns(UserWarning, match="it holds times") as told:
            found.append(target_tables.labelled_table(data, "kind"))
        assert [str(one.message).split("'")[1] for one in told] == ["day", "hour", "since"]
    assert found[0][0].shape == (40, 4 + 2)  # x and truth have gaps
    for rows, labels in found[1:]:
        np.testing.assert_array_equal(rows, found[0][0])
        np.testing.assert_array_equal(labels, found[0][1])


WORDS = ("NA", "None", "null", "nan", "N/A", "NULL", "n/a", "<NA>", "OC")


@pytest.mark.parametrize("word", WORDS)
def test_every_text_of_a_target_is_a_class(word, tmp_path):
    kinds = ["EU", word, "AS"] * 8
    table = pandas.DataFrame({"x": range(24), "kind": kinds})
    table.to_csv(tmp_path / "rows.csv", index=False)
    for data in (table, tmp_path / "rows.csv"):
        assert target_tables.labelled_table(data, "kind")[1].tolist() == kinds
    # Also beside numbers; a feature's words still are missing values.
    lines = "".join(f"{word},{x},{x % 2}\n" for x in range(3))
    (tmp_path / "rows.csv").write_text(f"kind,x,z\n1,7,0\n{lines}")
    rows, labels = target_tables.labelled_table(tmp_path / "rows.csv", "kind")
    assert labels.tolist() == ["1", word, word, word]
    if word != "OC":
        (tmp_path / "rows.csv").write_text(f"x,kind\n1,a\n{word},b\n2,c\n")
        rows, _ = target_tables.labelled_table(tmp_path / "rows.csv", "kind")
        assert rows[:, 1].argmax() == 1


def test_only_empty_cells_of_a_target_are_missing(tmp_path):
    (tmp_path / "rows.csv").write_text("x,kind\n1,NA\n2,\n3\n4, \n5,a\n")
    table = pandas.DataFrame({"x": range(5), "kind": ["NA", "", None, " ", "a"]})
    for data in (tmp_path / "rows.csv", table):
        with pytest.raises(ValueError, match="lacks 'kind' in 3 of 5 rows, first in row 2"):
            target_tables.labelled_table(data, "kind")


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([Decimal("0.5"), Decimal(2)] * 2, [0.5, 2.0] * 2),
        (np.array([0, 2, 1, 2], object), [0, 2, 1, 2]),
        (np.array([0.5, 2, True, 2], object), [0.5, 2, 1, 2]),
        (pandas.array([0, 2, 1, 2], dtype="Int64"), [0, 2, 1, 2]),
        (np.array([True, False] * 2, object), ["True", "False"] * 2),
        (["1", "02", "1", "02"], ["1", "02", "1", "02"]),
    ],
)
def test_targets_of_any_container_are_numbers_by_their_cells(cells, expected):
    table = pandas.DataFrame({"x": range(4), "y": cells})
    labels = target_tables.labelled_table(table, "y")[1]
    assert labels.tolist() == expected
    if labels.dtype.kind != "U":
        np.testing.assert_array_equal(target_tables.numbered_table(table, "y")[1], expected)


def test_a_row_longer_than_the_header_is_refused_and_shorter_ones_have_missing_values(tmp_path):
    path = tmp_path / "rows.csv"
    rows = ['"a\nb",1,2', "c,3,4", "a,5,6", "c,7,7"]
    for longer in range(4):
        long = [row + "," * (i >= longer) for i, row in enumerate(rows)]
        path.write_text("\n".join(["kind,x,z", *long]))
        line = 2 if longer == 0 else longer + 3
        for name, target in (("MulticlassBandit-v0", "kind"), ("KernelBandit-v0", "x")):
            with pytest.raises(
                ValueError, match=rf"rows\.csv, line {line}: expected 3 fields, got 4"
            ):
                gymnasium.make(name, data=(str(path), target))
    path.write_text("\n".join(["kind,x,z", *rows, "a,9"]))
    features, labels = target_tables.labelled_table(path, "kind")
    assert labels.tolist() == ["a\nb", "c", "a", "c", "a"]
    assert features[:, 2].argmax() == 4  # where z is missing
    np.testing.assert_array_equal(target_tables.numbered_table(path, "x")[1], [1, 3, 5, 7, 9])


def test_columns_of_one_name_are_refused(tmp_path):
    (tmp_path / "rows.csv").write_text("kind,x,kind\na,1,b\n")
    table = frame()[["x", "kind", "kind"]]
    for data in (tmp_path / "rows.csv", table):
        with pytest.raises(ValueError, match="has two columns named 'kind'"):
            target_tables.labelled_table(data, "kind")
    # Names that are blank are not one name.
    (tmp_path / "rows.csv").write_text(",x,kind,\n1,5,a,4\n2,6,b,5\n3,8,a,7\n")
    assert target_tables.labelled_table(tmp_path / "rows.csv", "kind")[0].shape == (3, 3)


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
        (
            "KernelBandit-v0",
            (frame(), "kind"),
            "the target 'kind' has text, which is not a number, such as 'warm' in row 1: read it",
        ),
        (
            "KernelBandit-v0",
            (frame().assign(y=[*["0.5"] * 38, "0,5", "NA"]), "y"),
            "the target 'y' has text, which is not a number, such as '0,5' in row 39",
        ),
        (
            "KernelBandit-v0",
            (frame().assign(y=pandas.period_range("2024", periods=40)), "y"),
            "the target 'y' has text, which is not a number, such as Period",
        ),
        ("KernelBandit-v0", (frame(), "x"), "lacks 'x' in 6 of 40 rows, first in row 4"),
        ("KernelBandit-v0", (frame()[["x"]], "x"), "only one column, and so no features"),
        (
            "KernelBandit-v0",
            (frame().assign(y=pandas.date_range("2024", periods=40)), "y"),
            "the target 'y' has times, which are not numbers",
        ),
        (
            "MulticlassBandit-v0",
            (frame().assign(z=1j), "kind"),
            "the column 'z' of the frame has complex numbers",
        ),
    ],
)
def test_faults_are_one_line(name, data, message):
    with pytest.raises(ValueError, match=message) as raised:
        gymnasium.make(name, data=data)
    assert "\n" not in str(raised.value)


def test_the_error_for_a_table_alone_says_how_to_name_its_labels(tmp_path):
    path = tmp_path / "rows.csv"
    frame().to_csv(path, index=False)
    with pytest.raises(ValueError, match=r"data must name the column .*rows\.csv', 'label'"):
        gymnasium.make("MulticlassBandit-v0", data=str(path))
    gymnasium.make("MulticlassBandit-v0", data=(str(path), "kind")).close()
