"""Both forms of RCV1: scikit-learn's cache as it would be written, and the token files."""

from pathlib import Path

import joblib
import numpy as np
import pytest
from scipy import sparse

from banditgym.data import rcv1, rcv1_tokens
from banditgym.data.lyrl2004 import FILES
from banditgym.data.rcv1_tokens import write_fixture

NAMES = np.array(["C15", "CCAT", "E11", "ECAT", "GCAT", "M11", "MCAT"], dtype=object)
# Topics of seven stories; kept are those with exactly one of the four.
TOPICS = [["CCAT", "C15"], ["MCAT"], ["ECAT", "GCAT"], ["GCAT"], ["C15"], ["MCAT", "M11"], ["ECAT"]]
IDS = np.array([2290, 2286, 2287, 2288, 2289, 2300, 2299], dtype=np.uint32)
KEPT = [1, 3, 0, 6, 5]  # by increasing ids
LABELS = [3, 2, 0, 1, 3]
FEATURES = np.array(
    [
        [0.6, 0.0, 0.8, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.5, 0.5, 0.5, 0.5],
        [0.0, 0.0, 0.0, 1.0],
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 0.6, 0.0, 0.8],
        [0.0, 0.0, 0.0, 0.0],
    ]
)


def cached(folder, **changes):
    """Write what ``fetch_rcv1`` leaves behind."""
    target = np.array([[name in topics for name in NAMES] for topics in TOPICS], dtype=np.uint8)
    parts = {
        "samples": sparse.csr_array(FEATURES),
        "sample_id": IDS,
        "sample_topics": sparse.csr_array(target),
        "topics_names": NAMES,
        **changes,
    }
    (folder / "RCV1").mkdir(exist_ok=True)
    for name, part in parts.items():
        joblib.dump(part, folder / "RCV1" / f"{name}_py3.pkl", compress=9)
    return folder


def dense(rows):
    shape = (len(rows), rows.dim)
    return sparse.csr_array((rows.values, rows.indices, rows.indptr), shape=shape).toarray()


def test_a_cache_is_read_by_increasing_ids(tmp_path):
    cached(tmp_path)
    assert rcv1.form_of(tmp_path) == "cache"
    rows = rcv1.load(tmp_path)
    np.testing.assert_array_equal(dense(rows), FEATURES[KEPT])
    assert rows.labels.tolist() == LABELS
    assert (rows.dim, rows.n_labels, rows.width) == (4, 4, 2)
    np.testing.assert_allclose(rows.feature_norm, 1.0, rtol=1e-15)
    assert rows.limits == (0.0, 1.0)
    dtypes = [a.dtype for a in (rows.indptr, rows.indices, rows.values, rows.labels)]
    assert dtypes == [np.int64, np.int32, np.float64, np.int64]


def test_topics_are_found_by_name(tmp_path):
    order = np.array([6, 2, 4, 0, 3, 5, 1])
    target = np.array([[name in topics for name in NAMES] for topics in TOPICS], dtype=np.uint8)
    cached(tmp_path, sample_topics=sparse.csr_array(target[:, order]), topics_names=NAMES[order])
    rows = rcv1.load(tmp_path)
    assert rows.labels.tolist() == LABELS
    np.testing.assert_array_equal(dense(rows), FEATURES[KEPT])


def test_tokens_are_read_where_both_are(tmp_path):
    cached(tmp_path)
    write_fixture(tmp_path, 60)
    assert rcv1.form_of(str(tmp_path)) == "tokens"
    rows, expected = rcv1.load(str(tmp_path)), rcv1_tokens.load(tmp_path)
    np.testing.assert_array_equal(dense(rows), dense(expected))
    np.testing.assert_array_equal(rows.labels, expected.labels)


def test_the_default_folder_is_scikit_learns(tmp_path, monkeypatch):
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(cached(tmp_path)))
    assert rcv1.folder_of() == tmp_path
    assert rcv1.load().labels.tolist() == LABELS
    monkeypatch.delenv("SCIKIT_LEARN_DATA")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert rcv1.folder_of() == tmp_path / "home" / "scikit_learn_data"
    assert rcv1.folder_of("~/rcv1") == tmp_path / "home" / "rcv1"


def test_the_error_without_a_home_says_how_to_name_the_folder(monkeypatch):
    def nowhere(self):
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "expanduser", nowhere)
    with pytest.raises(FileNotFoundError, match=r"which this user does not have: .* path= or "):
        rcv1.folder_of("~/rcv1")


def test_absence_says_where_to_get_it_and_makes_no_folder(tmp_path):
    folder = tmp_path / "none"
    for read in (rcv1.form_of, rcv1.load):
        with pytest.raises(FileNotFoundError) as caught:
            read(folder)
        message = str(caught.value)
        assert f"RCV1 is not complete in {folder}" in message
        assert f"fetch_rcv1(data_home='{folder}')" in message
        assert "http://www.ai.mit.edu/projects/jmlr/papers/volume5/lewis04a/" in message
        assert "banditgym/data/README.md" in message
        assert "\n" not in message
    assert not folder.exists()


@pytest.mark.parametrize("name", ["samples", "sample_id", "sample_topics", "topics_names"])
def test_what_a_cache_lacks_is_named(tmp_path, name):
    (cached(tmp_path) / "RCV1" / f"{name}_py3.pkl").unlink()
    with pytest.raises(FileNotFoundError, match=f"which lacks RCV1/{name}_py3.pkl: run"):
        rcv1.load(tmp_path)


@pytest.mark.parametrize("name", FILES)
def test_what_the_token_files_lack_is_named(tmp_path, name):
    write_fixture(tmp_path, 20, packed=True)
    (tmp_path / f"{name}.gz").unlink()
    with pytest.raises(FileNotFoundError, match=f"which lacks {name}: run"):
        rcv1.load(tmp_path)


def test_the_place_that_messages_name_tells_how():
    readme = (rcv1_tokens.Path(rcv1.__file__).parent / "README.md").read_text()
    assert "fetch_rcv1" in readme
    for name in ("lyrl2004_tokens_train.dat", "rcv1-v2.topics.qrels"):
        assert name in readme


TARGET = sparse.csr_array(np.ones((7, 7), dtype=np.uint8))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"topics_names": np.where(NAMES == "GCAT", "X", np.where(NAMES == "MCAT", "Y", NAMES))},
            "RCV1 lacks the topics GCAT, MCAT",
        ),
        ({"sample_id": IDS[:6]}, r"RCV1 has 6 ids and 7 topics, but features \(7, 4\) and topics"),
        ({"samples": sparse.csr_array(FEATURES[:6])}, r"but features \(6, 4\) and topics \(7, 7\)"),
        ({"sample_topics": TARGET[:, :6]}, r"but features \(7, 4\) and topics \(7, 6\)"),
        ({"sample_id": np.where(IDS == 2290, 2286, IDS)}, "RCV1 has an id twice"),
        (
            {"samples": sparse.csr_array(np.where(FEATURES == 1, np.nan, FEATURES))},
            "RCV1 has features that are not finite",
        ),
        ({"sample_topics": TARGET}, "of 7 stories 0 have exactly one of CCAT, ECAT, GCAT, MCAT"),
    ],
)
def test_parts_that_do_not_go_together_are_refused(tmp_path, changes, message):
    with pytest.raises(ValueError, match=message):
        rcv1.load(cached(tmp_path, **changes))


def test_the_whole_collection_has_a_known_number_of_rows(tmp_path, monkeypatch):
    cached(tmp_path)
    monkeypatch.setattr(rcv1_tokens, "STORIES", 7)
    with pytest.raises(ValueError, match="of the 7 stories of RCV1-v2 673768 have .*, got 5"):
        rcv1.load(tmp_path)
    monkeypatch.setattr(rcv1_tokens, "KEPT", 5)
    assert len(rcv1.load(tmp_path)) == 5
