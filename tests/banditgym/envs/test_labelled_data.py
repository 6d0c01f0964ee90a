"""Data as environments: every row in its place, orders, horizons, constant memory, refusals."""

import gzip
import itertools
import tracemalloc

import gymnasium
import numpy as np
import pandas
import pytest
from scipy import sparse, stats
from sklearn import datasets

import banditgym  # noqa: F401 (registers the environments)
from banditgym.check import check_env
from banditgym.data import files, rcv1, rcv1_tokens
from banditgym.streams import ENVIRONMENT, Stream
from banditgym.vector_env import CONTEXTS
from tests.banditgym.data.svmlight_fixture import write_fixture

X = np.random.default_rng(0).integers(-2, 3, (13, 5)).astype(float)  # with zeros
X[4] = 0.0
Y = np.array(list("abcabcabcabca"))


def make(n=3, name="MulticlassBandit-v0", **settings):
    return gymnasium.make_vec(name, num_envs=n, **settings)


def dense(observation, dim):
    """Rows (n, d) of an observation of pairs or of rows."""
    if isinstance(observation, np.ndarray):
        return observation.copy()
    rows = np.zeros((len(observation["indices"]), dim))
    for i, (indices, values) in enumerate(
        zip(observation["indices"], observation["values"], strict=True)
    ):
        used = np.count_nonzero(values)
        assert (values[used:] == 0).all()
        assert (indices[used:] == 0).all()
        assert (np.diff(indices[:used]) > 0).all()
        rows[i, indices[:used]] = values[:used]
    return rows


def shown(envs, seed=0):
    """Rows (T + 1, n, d) and labels (T, n) of an episode, the row after the last one included."""
    task = envs.unwrapped.task
    rows, labels = [dense(envs.reset(seed=seed)[0], task.dim)], []
    for t in range(task.horizon):
        played = 0 if task.slots is None else np.arange(task.slots)
        observation, _, _, truncated, info = envs.step(np.array([played] * envs.num_envs))
        assert truncated.all() == (t == task.horizon - 1)
        rows.append(dense(observation, task.dim))
        labels.append(info["label"])
    return np.array(rows), np.array(labels)


@pytest.mark.parametrize("as_sparse", [None, True, False])
@pytest.mark.parametrize("form", ["arrays", "scipy", "svmlight", "gz"])
def test_chronological_rows_are_those_of_the_data(form, as_sparse, tmp_path):
    data = (X, Y)
    if form == "scipy":
        data = (sparse.coo_matrix(X), Y)
    elif form != "arrays":
        data = str(tmp_path / "made.svm")
        datasets.dump_svmlight_file(X, np.unique(Y, return_inverse=True)[1], data)
        if form == "gz":
            data += ".gz"
            with gzip.open(data, "wb") as file:
                file.write((tmp_path / "made.svm").read_bytes())
    envs = make(data=data, order="chronological", sparse=as_sparse, slots=2)
    assert envs.unwrapped.task.sparse == (form != "arrays" if as_sparse is None else as_sparse)
    rows, labels = shown(envs)
    for i in range(3):
        np.testing.assert_array_equal(rows[:-1, i], X)
        assert not rows[-1].any()
        assert labels[:, i].tolist() == ["abc".index(y) for y in Y]
    task = envs.unwrapped.task
    assert (task.n_labels, task.dim, task.horizon) == (3, 5, 13)
    assert task.feature_norm == np.sqrt((X * X).sum(axis=1)).max()
    assert task.width == ((X != 0).sum(axis=1).max() if task.sparse else 5)


def order_of(seed, episode, n_rows):
    """Fisher and Yates, plainly."""
    stream, rows = Stream([seed], ENVIRONMENT, CONTEXTS, episode), list(range(n_rows))
    for j in range(n_rows):
        u = stream.uniform(j // 4096, (4096,))[0, j % 4096]
        other = j + int(u * (n_rows - j))
        rows[j], rows[other] = rows[other], rows[j]
    return rows


@pytest.mark.parametrize("horizon", [None, 6])
def test_shuffled_orders_are_those_of_the_definition(horizon):
    seeds = [3, 2**70, 0]
    envs = make(data=(X, Y), horizon=horizon)
    codes = np.unique(Y, return_inverse=True)[1]
    orders = [np.array([order_of(seed, 0, 13) for seed in seeds]).T]
    rows, labels = shown(envs, seeds)
    length = horizon or 13
    np.testing.assert_array_equal(rows[:length], X[orders[0][:length]])
    np.testing.assert_array_equal(labels, codes[orders[0][:length]])
    np.testing.assert_array_equal(
        rows[length], X[orders[0][length]] if horizon else np.zeros((3, 5))
    )
    orders = np.array([order_of(seed, 1, 13) for seed in seeds])
    np.testing.assert_array_equal(envs.reset()[0], X[orders[:, 0]])


def test_long_orders_are_those_of_the_definition_too():
    n_rows = 4096 + 50
    features = np.arange(n_rows, dtype=float)[:, None]
    rows, _ = shown(make(2, data=(features, np.arange(n_rows) % 2)))
    for i in range(2):
        assert rows[:-1, i, 0].tolist() == order_of(i, 0, n_rows)


def test_orders_are_permutations_uniform_and_the_seeds_own():
    features = np.arange(4.0)[:, None]
    rows, _ = shown(make(4800, data=(features, [0, 1, 0, 1])))
    orders = rows[:-1, :, 0].T.astype(int)
    assert (np.sort(orders, axis=1) == np.arange(4)).all()
    ranks = {order: i for i, order in enumerate(itertools.permutations(range(4)))}
    counts = np.bincount([ranks[tuple(order)] for order in orders], minlength=24)
    # 4800 orders, 200 each; a p-value below 1e-4 has probability 1e-4, and the seed is fixed.
    assert stats.chisquare(counts).pvalue > 1e-4


def test_bundled_data_is_scikit_learns():
    envs = make(data="wine", order="chronological")
    features, labels = datasets.load_wine(return_X_y=True)
    rows, told = shown(envs)
    np.testing.assert_array_equal(rows[:-1, 1], features)
    np.testing.assert_array_equal(told[:, 1], labels)
    assert make().unwrapped.task.dim == 64  # digits, where nothing is said


def test_labels_may_be_given_as_they_are():
    envs = make(data=(X, np.arange(13) % 3 + 2), n_labels=7, order="chronological")
    assert envs.unwrapped.task.n_labels == 7
    assert shown(envs)[1][:, 0].tolist() == (np.arange(13) % 3 + 2).tolist()


def test_files_have_settings_of_their_own(tmp_path):
    path = tmp_path / "made.svm"
    path.write_text("1 2:5\n3 4:7 5:1\n")
    for order in ("shuffled", "chronological"):
        assert make(data=path, order=order).unwrapped.task.dim == 5
        task = make(data=path, dim=9, zero_based=True, order=order).unwrapped.task
        assert (task.dim, task.width, task.n_labels) == (9, 2, 2)
    rows, _ = shown(make(data=path, zero_based=True, order="chronological"))
    assert rows[0, 0].tolist() == [0, 0, 5, 0, 0, 0]


def test_a_file_shuffled_is_its_rows_shuffled(tmp_path):
    path = tmp_path / "made.svm"
    write_fixture(path, 60, seed=3)
    rows, labels = shown(make(data=path, order="chronological"))
    mixed, mixed_labels = shown(make(data=path))
    for i in range(3):
        order = order_of(i, 0, 60)
        np.testing.assert_array_equal(mixed[:-1, i], rows[order, i])
        np.testing.assert_array_equal(mixed_labels[:, i], labels[order, i])


def peak_of(n_rows, path, order):
    """Bytes at the most while a file is read through as an environment."""
    write_fixture(path, n_rows)
    tracemalloc.start()
    try:
        envs = make(1, data=path, order=order)
        envs.reset(seed=0)
        for _ in range(n_rows):
            *_, truncated, _ = envs.step([0])
        assert truncated.all()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_files_in_their_own_order_are_streamed_in_constant_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "GROUP_BYTES", 1 << 14)  # bytes of text held at once
    path = tmp_path / "made.svm"
    peak_of(10, path, "chronological")  # whatever is loaded or compiled once
    # Some 70 bytes a row: 4 blocks and 25.
    short, long = (peak_of(n_rows, path, "chronological") for n_rows in (1000, 6000))
    assert long < 1.5 * short
    assert peak_of(6000, path, "shuffled") > 3 * long


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"data": (X, Y), "horizon": 14}, ValueError, "horizon 14 is above the number of rows, 13"),
        ({"data": (X, Y), "max_episode_steps": 14}, ValueError, "horizon 14 is above"),
        ({"data": (X, Y), "horizon": 3, "max_episode_steps": 4}, ValueError, "two names of one"),
        ({"order": "sorted"}, ValueError, "order must be one of shuffled, chrono.*got 'sorted'"),
        ({"order": 3}, ValueError, "order must be one of shuffled, chronological, got 3"),
        ({"data": 3}, ValueError, r"data must be \(rows, labels\), one of breast_cancer.*got 3"),
        ({"data": (X,)}, ValueError, "data must be"),
        ({"data": None}, ValueError, "data must be"),
        ({"data": "digit"}, FileNotFoundError, "no such file: digit.*did you mean digits"),
        ({"data": "/nowhere/x.svm"}, FileNotFoundError, "no such file: /nowhere/x.svm"),
        ({"data": (X, Y[:-1])}, ValueError, "labels must be as many as rows, 13, got 12"),
        ({"data": (X, ["a"] * 13)}, ValueError, "labels must be of two kinds at least"),
        ({"data": (X, np.arange(13)), "n_labels": 5}, ValueError, r"labels must be in 0\.\.4"),
        ({"data": (np.where(X > 1, np.nan, X), Y)}, ValueError, "features must be finite, got nan"),
        ({"data": (np.where(X > 1, np.inf, X), Y)}, ValueError, "features must be finite, got inf"),
        ({"n_labels": 10}, ValueError, "n_labels is a setting of arrays; leave it out"),
        ({"standardize": 1}, ValueError, "standardize must be true or false, got 1"),
        (
            {"data": (sparse.csr_array(X), Y), "standardize": True},
            ValueError,
            "standardize would make sparse rows dense",
        ),
        ({"data": "/nowhere/x.svm", "n_labels": 3}, ValueError, "n_labels is a setting of arrays"),
        ({"dim": 64}, ValueError, "dim and zero_based are settings of files; leave them out"),
        ({"data": (X, Y), "zero_based": True}, ValueError, "dim and zero_based are settings of fi"),
        ({"slots": 11}, ValueError, "slots must be at most the number of labels, 10, got 11"),
        ({"labels": 3}, ValueError, "MulticlassBandit has no setting 'labels'; did you mean n_lab"),
    ],
)
def test_bad_settings_are_named(settings, error, message):
    with pytest.raises(error, match=message) as caught:
        make(**settings)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("order", ["shuffled", "chronological"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 1:2\n2 x:3\n", "line 2"),
        ("1 1:2\n2 2:nan\n", "line 2"),
        ("", "no rows"),
        ("1 1:2\n1 2:3\n", "two kinds"),
        ("1 1:2\n2 9:3\n", r"an index must be in 0\.\.5, got '9:3'"),
    ],
)
def test_bad_files_are_refused_by_make(text, message, order, tmp_path):
    path = tmp_path / "bad.svm"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        make(data=path, order=order, dim=5)


@pytest.mark.parametrize(
    "settings",
    [
        {"data": (X, Y)},
        {"data": (X, Y), "sparse": True, "slots": 2, "label_noise": 0.3},
        {"data": "iris", "order": "chronological", "label_noise": 0.5},
    ],
)
def test_the_contract_is_kept(settings):
    check_env("MulticlassBandit-v0", **settings)


def test_the_contract_is_kept_by_streams(tmp_path):
    path = tmp_path / "made.svm"
    write_fixture(path, 60)
    check_env("MulticlassBandit-v0", data=path, order="chronological")


@pytest.mark.parametrize("settings", [{}, {"data": (X, Y), "sparse": True, "slots": 1}])
def test_gymnasiums_checker_passes(settings):
    env = gymnasium.make("MulticlassBandit-v0", disable_env_checker=True, **settings)
    gymnasium.utils.env_checker.check_env(env.unwrapped)


@pytest.mark.parametrize("order", ["shuffled", "chronological"])
def test_reuters_rows_are_those_of_the_collection(order, tmp_path):
    rcv1_tokens.write_fixture(tmp_path, 80)
    envs = make(2, "Reuters4-v0", path=tmp_path, order=order)
    data = rcv1.load(tmp_path)
    features = sparse.csr_array((data.values, data.indices, data.indptr)).toarray()
    rows, labels = shown(envs)
    task = envs.unwrapped.task
    assert (task.n_labels, task.sparse, task.horizon) == (4, True, len(data))
    for i in range(2):
        places = order_of(i, 0, len(data)) if order == "shuffled" else range(len(data))
        np.testing.assert_array_equal(rows[:-1, i], features[places])
        np.testing.assert_array_equal(labels[:, i], data.labels[places])


def test_reuters_stories_that_are_out_of_order_are_sorted(tmp_path):
    rcv1_tokens.write_fixture(tmp_path, 80)
    train, first = (tmp_path / f"lyrl2004_tokens_{part}.dat" for part in ("train", "test_pt0"))
    texts = train.read_bytes(), first.read_bytes()
    train.write_bytes(texts[1]), first.write_bytes(texts[0])
    data = rcv1.load(tmp_path)
    rows, labels = shown(make(1, "Reuters4-v0", path=tmp_path))
    np.testing.assert_array_equal(labels[:, 0], data.labels)
    features = sparse.csr_array((data.values, data.indices, data.indptr)).toarray()
    np.testing.assert_array_equal(rows[:-1, 0], features)


def test_reuters_says_how_to_get_what_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match="fetch_rcv1"):
        make(1, "Reuters4-v0", path=tmp_path)
    with pytest.raises(ValueError, match="order must be"):
        make(1, "Reuters4-v0", path=tmp_path, order="any")
    with pytest.raises(ValueError, match="Reuters4 has no setting 'data'"):
        make(1, "Reuters4-v0", data="digits")


def test_reuters_keeps_the_contract(tmp_path):
    rcv1_tokens.write_fixture(tmp_path, 40)
    check_env("Reuters4-v0", path=tmp_path, order="chronological")


def test_standardized_features_have_mean_0_and_deviation_1():
    x = np.column_stack([X, np.full(len(X), 0.1)])  # one that never changes
    env = gymnasium.make(
        "MulticlassBandit-v0", data=(x, Y), order="chronological", standardize=True
    )
    row, _ = env.reset(seed=0)
    rows = [row]
    for _ in range(len(x) - 1):
        rows.append(env.step(0)[0])
    rows = np.array(rows)
    varies = np.ptp(x, axis=0) > 0
    expected = np.zeros(x.shape)
    expected[:, varies] = (x - x.mean(axis=0))[:, varies] / x.std(axis=0)[varies]
    np.testing.assert_allclose(rows, expected, atol=1e-14)
    assert env.unwrapped.task.feature_norm == pytest.approx(
        np.linalg.norm(expected, axis=1).max(), rel=1e-14
    )


def test_names_of_labels_are_in_the_task_if_they_are_texts():
    for standardize in (False, True):
        envs = make(data=(X, Y), standardize=standardize)
        assert envs.unwrapped.task.labels == ("a", "b", "c")
    frame = pandas.DataFrame(X, columns=list("vwxyz")).assign(kind=list(Y))
    assert make(data=(frame, "kind")).unwrapped.task.labels == ("a", "b", "c")
    assert make(data=(X, np.arange(13) % 3)).unwrapped.task.labels is None
    assert make(data="wine").unwrapped.task.labels is None
