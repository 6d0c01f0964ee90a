"""Feature vectors against the law that their setting names."""

import math

import numpy as np
import pytest
from scipy import stats

from banditgym.envs.contexts import Contexts, linear_means, read_rows
from banditgym.streams import ENVIRONMENT, Stream

KEYS = Stream(range(200), ENVIRONMENT, 2, 0).keys


def draw(source, n_arms=50, t=0):
    """200 replicates of 50 arms: features (10 000, d)."""
    features = np.empty((200, source.dim, n_arms))
    source.fill(KEYS, t, features)
    return features.transpose(0, 2, 1).reshape(-1, source.dim)


def is_uniform(values, low=0.0, high=1.0):
    # A correct sampler has p below 1e-4 once in 10 000 seeds, and the seed is fixed.
    return stats.kstest(values, stats.uniform(low, high - low).cdf).pvalue > 1e-4


@pytest.mark.parametrize("dim", [1, 2, 3, 8])
@pytest.mark.parametrize("norm", [1.0, 2.5])
def test_sphere(dim, norm):
    points = draw(Contexts.of("sphere", dim, norm))
    np.testing.assert_allclose(np.linalg.norm(points, axis=1), norm, rtol=1e-14)
    assert np.abs(points).max() <= norm
    for j in range(dim):
        # One coordinate of a uniform direction: its square is Beta(1/2, (d - 1)/2).
        if dim > 1:
            law = stats.beta(0.5, (dim - 1) / 2)
            assert stats.kstest((points[:, j] / norm) ** 2, law.cdf).pvalue > 1e-4
        signs = (points[:, j] > 0).sum()
        assert abs(signs - 5000) < 5 * 50  # five deviations of 10 000 fair coins
    # E x x^T = norm² / d I; entries off the diagonal are below norm² in size.
    second = points.T @ points / 10_000
    np.testing.assert_allclose(second, norm**2 / dim * np.eye(dim), atol=5 * norm**2 / 100)


@pytest.mark.parametrize("dim", [1, 2, 3, 8])
@pytest.mark.parametrize("norm", [1.0, 2.5])
def test_ball(dim, norm):
    points = draw(Contexts.of("ball", dim, norm))
    radius = np.linalg.norm(points, axis=1) / norm
    assert radius.max() <= 1.0
    assert is_uniform(radius**dim)
    if dim > 1:
        direction = points[:, 0] / np.linalg.norm(points, axis=1)
        assert stats.kstest(direction**2, stats.beta(0.5, (dim - 1) / 2).cdf).pvalue > 1e-4
        assert abs(np.corrcoef(radius, points[:, 0])[0, 1]) < 5 / 100


@pytest.mark.parametrize("dim", [1, 4])
def test_cube(dim):
    side = 3.0 / math.sqrt(dim)
    points = draw(Contexts.of("cube", dim, 3.0))
    assert points.min() >= 0.0
    assert points.max() < side
    for j in range(dim):
        assert is_uniform(points[:, j], 0.0, side)
    assert np.linalg.norm(points, axis=1).max() <= 3.0


@pytest.mark.parametrize("dim", [1, 4])
def test_gaussian(dim):
    points = draw(Contexts.of("gaussian", dim, 3.0))
    for j in range(dim):
        assert stats.kstest(points[:, j], stats.norm(scale=3 / dim**0.5).cdf).pvalue > 1e-4
    # The mean of ‖x‖² is norm², with deviation norm² sqrt(2 / (d N)).
    assert abs((points**2).sum(axis=1).mean() - 9.0) < 5 * 9 * (2 / (dim * 10_000)) ** 0.5
    correlation = np.corrcoef(points.T) if dim > 1 else np.eye(1)
    np.testing.assert_allclose(correlation, np.eye(dim), atol=5 / 100)


def test_rows_are_drawn_uniformly_with_replacement():
    rows = np.arange(14.0).reshape(7, 2)
    source = Contexts.of(rows, None, None)
    points = draw(source)
    index = points[:, 0] / 2
    np.testing.assert_array_equal(points, rows[index.astype(int)])
    counts = np.bincount(index.astype(int), minlength=7)
    assert stats.chisquare(counts).pvalue > 1e-4
    # Within a round, pairs of arms share a row once in 7 times.
    pairs = index.reshape(200, 50)
    repeated = (pairs[:, ::2] == pairs[:, 1::2]).sum()
    assert abs(repeated - 5000 / 7) < 5 * (5000 * 6 / 49) ** 0.5
    rows[:] = np.nan  # the environment has rows of its own
    assert np.isfinite(draw(source)).all()


@pytest.mark.parametrize("kind", ["sphere", "ball", "cube", "gaussian"])
def test_arms_rounds_and_replicates_are_independent(kind):
    source = Contexts.of(kind, 3, 1.0)
    now, later = draw(source, t=0), draw(source, t=1)
    arms = now.reshape(200, 50, 3)
    pairs = [
        (now, later),
        (arms[:, :-1].reshape(-1, 3), arms[:, 1:].reshape(-1, 3)),
        (arms[:-1].reshape(-1, 3), arms[1:].reshape(-1, 3)),
    ]
    for one, two in pairs:
        for i in range(3):
            for j in range(3):
                # Five deviations, 1 / sqrt(N), of the correlation of independent draws.
                assert abs(np.corrcoef(one[:, i], two[:, j])[0, 1]) < 5 / len(one) ** 0.5


@pytest.mark.parametrize(
    ("contexts", "bound", "limits"),
    [
        ("sphere", 2.0, (-2.0, 2.0)),
        ("ball", 2.0, (-2.0, 2.0)),
        ("cube", 2.0, (0.0, 1.0)),
        ("gaussian", None, (-math.inf, math.inf)),
    ],
)
def test_bounds_and_limits(contexts, bound, limits):
    source = Contexts.of(contexts, 4, 2.0)
    assert (source.bound, source.limits) == (bound, limits)


def test_bounds_and_limits_of_rows():
    source = Contexts.of([[3, 4], [-1, 0]], None, None)
    assert (source.dim, source.bound, source.limits) == (2, 5.0, (-1.0, 4.0))


def test_linear_means_are_inner_products():
    rng = np.random.default_rng(0)
    features, theta = rng.normal(size=(4, 6, 3, 5)), rng.normal(size=(4, 6, 3))
    for of_arms, of_theta in ((features, theta), (features[:1], theta), (features, theta[:1])):
        means, best = np.empty((4, 6, 5)), np.empty((4, 6))
        linear_means(of_arms, of_theta, means, best)
        every = np.broadcast_to(of_arms, features.shape), np.broadcast_to(of_theta, theta.shape)
        plain = np.einsum("sndk,snd->snk", *every)
        np.testing.assert_allclose(means, plain, rtol=1e-13, atol=1e-14)
        np.testing.assert_array_equal(best, means.max(axis=2))


ROWS = np.array([[1.0, -2.0], [0.5, 1e-3], [3.0, 4.0]])


def test_rows_from_arrays_and_files(tmp_path):
    np.save(tmp_path / "rows.npy", ROWS)
    np.save(tmp_path / "fortran.npy", np.asfortranarray(ROWS.astype(np.float32)))
    np.savetxt(tmp_path / "rows.csv", ROWS, delimiter=",")
    for given in (ROWS, ROWS.tolist(), ROWS.T.copy().T, tmp_path / "rows.npy"):
        np.testing.assert_array_equal(read_rows("arms", given), ROWS)
    np.testing.assert_array_equal(read_rows("arms", str(tmp_path / "rows.csv")), ROWS)
    read = read_rows("arms", tmp_path / "fortran.npy")
    assert read.flags.c_contiguous
    assert read.dtype == np.float64


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("1,2,3\n", [[1, 2, 3]]),
        ("1\n2\n", [[1], [2]]),
        ("# a, b\n1\n2\n", [[1], [2]]),
        ("7", [[7]]),
        ("1, 2\n\n3, 4", [[1, 2], [3, 4]]),
    ],
)
def test_csv_of_one_row_or_column(tmp_path, text, rows):
    (tmp_path / "rows.csv").write_text(text)
    np.testing.assert_array_equal(read_rows("contexts", tmp_path / "rows.csv"), rows)


def _npy(shape):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()


def _archive(path):
    with path.open("wb") as file:
        np.savez(file, a=ROWS)


BAD_FILES = {
    "empty.csv": (lambda path: path.touch(), "must be of shape"),
    "empty.npy": (lambda path: path.touch(), "holds no matrix of numbers"),
    "header.csv": (lambda path: path.write_text("a,b\n1,2\n"), "could not convert string 'a'"),
    "short.csv": (
        lambda path: path.write_text("# a\n1,2\n\n3\n"),
        "line 4: expected 2 fields, got 1",
    ),
    "long.csv": (lambda path: path.write_text("1,2\n3,4,\n"), "line 2: expected 2 fields, got 3"),
    "latin.csv": (lambda path: path.write_bytes(b"\xff\xfe1,2\n"), "holds no matrix of numbers"),
    "nan.csv": (lambda path: path.write_text("1,2\n3,nan\n"), r"finite, got nan at \(1, 1\)"),
    "inf.npy": (lambda path: np.save(path, [[1, np.inf]]), r"finite, got inf at \(0, 1\)"),
    "text.npy": (lambda path: path.write_text("1,2\n"), "holds no matrix of numbers"),
    "header.npy": (lambda path: path.write_bytes(_npy("(3, 2), '''")), "holds no matrix"),
    "size.npy": (lambda path: path.write_bytes(_npy(f"({10**30}, 2)")), "holds no matrix"),
    "keys.npy": (lambda path: path.write_bytes(_npy("(3, 2), b'x': 1")), "holds no matrix"),
    "torn.npy": (
        lambda path: (np.save(path, ROWS), path.write_bytes(path.read_bytes()[:-8])),
        "holds no matrix of numbers",
    ),
    "archive.npy": (_archive, "holds no matrix of numbers"),
    "objects.npy": (
        lambda path: np.save(path, np.array([[1, "a"]], object), allow_pickle=True),
        "holds no matrix of numbers",
    ),
    "words.npy": (lambda path: np.save(path, [["a", "b"]]), "real numbers, got <U1"),
    "complex.npy": (lambda path: np.save(path, ROWS + 1j), "real numbers, got complex128"),
    "vector.npy": (lambda path: np.save(path, [1.0, 2.0]), r"shape \(N, d\).*got \(2,\)"),
    "rows.txt": (lambda path: path.write_text("1,2\n"), ".npy or .csv file, got"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_are_refused_in_one_line(tmp_path, name):
    write, message = BAD_FILES[name]
    write(tmp_path / name)
    with pytest.raises(ValueError, match=message) as caught:
        read_rows("contexts", tmp_path / name)
    assert "contexts" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["missing.npy", "missing.csv", "folder.npy"])
def test_missing_files_are_named(tmp_path, name):
    (tmp_path / "folder.npy").mkdir()
    with pytest.raises(FileNotFoundError, match=f"arms: no such file: .*{name}"):
        read_rows("arms", str(tmp_path / name))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("sphre", None, None), "contexts must be one of sphere, ball, .*got 'sphre'"),
        (("rows", None, None), "contexts must be one of .*got 'rows'"),
        ((None, None, None), "contexts must be an array of real numbers, got object"),
        ((3.0, None, None), r"contexts must be of shape \(N, d\) .*got \(\)"),
        (([[]], None, None), r"contexts must be of shape \(N, d\) .*got \(1, 0\)"),
        (([[1, 2], [3]], None, None), "contexts must be an array of numbers: .*inhomogeneous"),
        (([[True]], None, None), "contexts must be an array of real numbers, got bool"),
        ((np.full((1, 4), 1e200), None, None), "contexts must have rows of finite norm"),
        ((ROWS, 3, None), "dim is 3, but contexts has rows of 2 features"),
        ((ROWS, None, 1.0), "feature_norm is that of the rows where contexts is data"),
        (("sphere", 2, 0.0), "feature_norm must be finite and > 0, got 0.0"),
        (("ball", 2, -1.0), "feature_norm must be finite and > 0, got -1.0"),
        (("cube", 2, math.nan), "feature_norm must be finite and > 0, got nan"),
        (("gaussian", 2, math.inf), "feature_norm must be finite and > 0, got inf"),
        (("sphere", 2, "1"), "feature_norm must be a number, got '1'"),
        (("sphere", 2, True), "feature_norm must be a number, got True"),
        (("sphere", 2, [1.0]), r"feature_norm must be a number, got \[1.0\]"),
    ],
)
def test_contexts_that_mean_nothing_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Contexts.of(*arguments)


@pytest.mark.parametrize("kind", ["sphere", "ball", "cube", "gaussian"])
@pytest.mark.parametrize("dim", [1, 2, 3, 10, 13, 14, 15, 16, 17])
def test_single_rows_are_the_same_among_any_number(kind, dim):
    # Short rows of many replicates are worked on across replicates, of few along the row.
    source = Contexts.of(kind, dim, 2.5)
    alone = np.empty((1, dim, 1))
    for n in (7, 8, 9, 100):
        features = np.empty((n, dim, 1))
        source.fill(KEYS[:n], 5, features)
        for i in range(n):
            source.fill(KEYS[i : i + 1], 5, alone)
            assert alone.tobytes() == features[i : i + 1].tobytes()


def test_features_of_given_rounds_are_only_read_where_they_have_a_meaning():
    rows = np.random.default_rng(0).standard_normal((5, 3, 2))
    with pytest.raises(ValueError, match=r"contexts must be of shape \(N, d\)"):
        Contexts.of(rows, None, None)
    source = Contexts.of(rows, None, None, rounds=True)
    assert (source.kind, source.dim) == ("rounds", 2)
    assert source.limits == (rows.min(), rows.max())
    assert source.bound == np.linalg.norm(rows, axis=2).max()
    features = np.empty((4, 200, 2, 3))
    source.fill_rounds(KEYS, 3, features)
    for s, t in enumerate((3, 4, 4, 4)):  # the last ones again
        np.testing.assert_array_equal(features[s], np.tile(rows[t].T, (200, 1, 1)))
