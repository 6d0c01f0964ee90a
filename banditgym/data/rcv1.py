r"""REUTERS4: the news stories of RCV1-v2 that have exactly one of four topics.

Of the 804 414 stories of the collection 673 768 have exactly one of the topics CCAT, ECAT, GCAT and
MCAT: labels 0, 1, 2, 3 in this order. Rows are in the order of the stories' ids, which is
chronological. We may not distribute the collection; README.md beside this file says how to get it.
A folder holds it in one of two forms:

``tokens``
    The token files of LYRL2004 (``rcv1_tokens``): counts of words, the paper's bag of words. They
    can be streamed.
``cache``
    The cache of ``sklearn.datasets.fetch_rcv1``: 47 236 logarithmic tf-idf weights of unit norm.
    These features differ from the paper's, so error rates cannot be compared. It is read whole. A
    cache consists of pickles, which may run code when they are read: use none that you do not
    trust.

A part of the collection is accepted; the whole collection must give the known number of rows.

References
----------
S. Kakade, S. Shalev-Shwartz, A. Tewari, Efficient Bandit Algorithms for Online Multiclass
Prediction, ICML 2008, Section 5.
D. Lewis, Y. Yang, T. Rose, F. Li, RCV1: A New Benchmark Collection for Text Categorization
Research, Journal of Machine Learning Research 5, 2004.
"""

import os
from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy import sparse

from banditgym.data import lyrl2004, rcv1_tokens
from banditgym.data.labelled_rows import LabelledRows
from banditgym.data.rcv1_tokens import TOPICS, check_size
from banditgym.validation import brief

_CACHE = ("samples", "sample_id", "sample_topics", "topics_names")


def folder_of(path: str | Path | None = None) -> Path:
    """The folder of the collection: by default that of scikit-learn's data sets.

    That is ``$SCIKIT_LEARN_DATA``, or ``~/scikit_learn_data``.

    Raises
    ------
    FileNotFoundError
        If it lies in a home directory and the user has none.
    ValueError
        If it is not a path.
    """
    if not isinstance(path, str | Path | None):
        raise ValueError(f"path must be that of a folder, got {brief(path)}")
    named = path or os.environ.get("SCIKIT_LEARN_DATA") or "~/scikit_learn_data"
    try:
        return Path(named).expanduser()
    except RuntimeError:  # a user without a home directory, as in some containers
        raise FileNotFoundError(
            f"{named} is in a home directory, which this user does not have: name the folder of "
            "RCV1 with path= or $SCIKIT_LEARN_DATA"
        ) from None


def form_of(path: str | Path | None = None) -> Literal["tokens", "cache"]:
    """The form in which a folder holds the collection; tokens, the paper's form, if it has both.

    Raises
    ------
    FileNotFoundError
        If it is missing or not complete; the message says what is missing, and where to get it.
    """
    folder = folder_of(path)
    tokens = lyrl2004.found(folder)
    if all(tokens.values()):
        return "tokens"
    cache = {f"RCV1/{name}_py3.pkl": folder / "RCV1" / f"{name}_py3.pkl" for name in _CACHE}
    if all(file.is_file() for file in cache.values()):
        return "cache"
    if any(tokens.values()):
        lacking = [name for name, file in tokens.items() if file is None]
    else:
        lacking = [name for name, file in cache.items() if not file.is_file()]
    raise FileNotFoundError(
        f"RCV1 is not complete in {folder}, which lacks {', '.join(lacking)}: run "
        f"sklearn.datasets.fetch_rcv1(data_home={str(folder)!r}), or put there the token files and "
        "topics from http://www.ai.mit.edu/projects/jmlr/papers/volume5/lewis04a/; how is said in "
        "banditgym/data/README.md"
    )


def load(path: str | Path | None = None) -> LabelledRows:
    """REUTERS4 as a whole, in the form that the folder holds.

    At full size its entries take 0.6 to 0.9 GB, and up to three times as much while loading.

    Raises
    ------
    FileNotFoundError
        As ``form_of``.
    ValueError
        As ``rcv1_tokens.scan``; for a cache, if its parts are inconsistent.
    """
    folder = folder_of(path)
    if form_of(folder) == "tokens":
        return rcv1_tokens.load(folder)
    from sklearn.datasets import fetch_rcv1  # takes half a second to import

    # Typed loosely: scikit-learn's stubs know the result only as a Bunch or a pair.
    stored: Any = fetch_rcv1(data_home=str(folder), download_if_missing=False)
    names, ids = list(stored.target_names), np.asarray(stored.sample_id)
    lacking = [topic for topic in TOPICS if topic not in names]
    if lacking:
        raise ValueError(f"{folder}: RCV1 lacks the topics {', '.join(lacking)}")
    n_stories = len(ids)
    if stored.data.shape[0] != n_stories or stored.target.shape != (n_stories, len(names)):
        raise ValueError(
            f"{folder}: RCV1 has {n_stories} ids and {len(names)} topics, but features "
            f"{stored.data.shape} and topics {stored.target.shape}"
        )
    if len(np.unique(ids)) != n_stories:
        raise ValueError(f"{folder}: RCV1 has an id twice")
    columns = [names.index(topic) for topic in TOPICS]
    marks = stored.target.tocsc()[:, columns].toarray() != 0
    kept = np.flatnonzero(marks.sum(axis=1) == 1)
    kept = kept[np.argsort(ids[kept], kind="stable")]
    labels = marks[kept].argmax(axis=1)
    check_size(folder, n_stories, len(kept), len(np.unique(labels)))
    matrix = sparse.csr_array(stored.data)[kept]
    del stored
    if not np.isfinite(matrix.data).all():
        raise ValueError(f"{folder}: RCV1 has features that are not finite")
    matrix.sort_indices()
    return LabelledRows.from_csr(
        matrix.indptr, matrix.indices, matrix.data, labels, matrix.shape[1], len(TOPICS)
    )
