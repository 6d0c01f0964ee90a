"""Labelled data as environments: your own, scikit-learn's, and the news stories of RCV1."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from scipy import sparse as scipy_sparse

from banditgym.compiled import compiled
from banditgym.data import bundled, rcv1, rcv1_tokens, svmlight, target_tables
from banditgym.data.chunks import Chunks
from banditgym.data.labelled_rows import LabelledRows
from banditgym.envs.multiclass import Extent, Multiclass, MulticlassSettings
from banditgym.rounds.given_rows import ORDERS, shuffle_rows
from banditgym.settings import configured, one_of, setting
from banditgym.validation import brief, flag, nearest
from banditgym.vector_env import CONTEXTS


class DataSettings(MulticlassSettings):
    """The settings that all environments of labelled data have."""

    order: Annotated[
        str,
        "``shuffled``: a uniformly random order for each episode of each seed; ``chronological``: "
        "the order of the data, the same for all replicates.",
    ] = setting(one_of(ORDERS), "shuffled")
    horizon: Annotated[
        int | None,
        "Rounds per episode, T; by default, and at most, the number of rows; "
        "``max_episode_steps`` is Gymnasium's name for it.",
    ] = setting()


class _DataEnv(Multiclass):
    """An environment over labelled rows, in memory or as a stream; see ``MulticlassBandit``.

    Attributes
    ----------
    determined : bool
        Whether the episode is the same for all seeds: rows in the data's order, true labels.
    """

    def __init__(self, num_envs: int, data: LabelledRows | Chunks, given: DataSettings):
        names = None
        if isinstance(data, Chunks):
            n_rows, n_labels, about = data.summary.n_rows, len(data.summary.labels), data.summary
            limits = (-about.feature_norm, about.feature_norm)
        else:
            n_rows, n_labels, about, names = len(data), data.n_labels, data, data.names
            limits = (float(data.values.min(initial=0.0)), float(data.values.max(initial=0.0)))
        self._data: LabelledRows | Chunks = data
        self._n_rows, self._shuffled = n_rows, given.order == "shuffled"
        horizon = given.rounds if given.has_horizon else n_rows
        if horizon > n_rows:
            raise ValueError(f"horizon {horizon} is above the number of rows, {n_rows}")
        extent = Extent(n_labels, about.dim, about.width, limits, about.feature_norm, names)
        super().__init__(num_envs, extent, horizon, given)
        self.determined = not self._shuffled and not self._label_noise
        # Rows 0, .., T: an observation follows the last round too, empty if the data has ended.
        most = min(horizon + 1, n_rows) if self._shuffled else 0
        self._orders = np.empty((most, self.num_envs), np.int32)

    def _start(self) -> None:
        if self._shuffled:
            shuffle_rows(self._stream(CONTEXTS).keys, self._n_rows, self._orders)

    def _fill(self, t: int, indices: np.ndarray, values: np.ndarray, labels: np.ndarray) -> None:
        done, rounds = 0, len(labels)
        while done < rounds:
            if t + done == self._n_rows:  # the data ends
                indices[done:], values[done:] = 0, 0.0
                return
            data, row = self._data, t + done
            if isinstance(data, Chunks):
                data, row = data.at(row)
            ready = min(rounds, done + len(data) - row)
            stored = data.indptr, data.indices, data.values, data.labels
            _copy_rows(stored, self._orders, row, done, ready, indices, values, labels)
            done = ready


class MulticlassBanditSettings(DataSettings):
    """The settings of ``MulticlassBandit``."""

    data: Annotated[
        str | Path | Sequence[Any],
        "(array (T, d), array (T,)), (scipy sparse array, array), (table, str), str, or path",
        "Rows and their labels, numbers or strings, sorted and numbered from 0, of which "
        "``task.labels`` has the names if they are strings; the "
        "name of a data set bundled with scikit-learn (``banditgym.data.bundled``), by default "
        '"digits"; a file in svmlight format (``banditgym.data.svmlight``), which may be packed as '
        ".gz or .bz2; or a table (a CSV or Parquet file or a pandas DataFrame) with the name of "
        "its column of labels, whose other columns are encoded as numbers "
        "(``banditgym.data.target_tables``).",
    ] = setting(default="digits")
    sparse: Annotated[
        bool | None,
        "Show rows as pairs of index and value; by default so for files and scipy's sparse arrays.",
    ] = setting(flag)
    standardize: Annotated[
        bool,
        "Scale every feature to mean 0 and standard deviation 1 over all rows of the data; only "
        "for dense arrays and bundled data sets.",
    ] = setting(flag, False)
    n_labels: Annotated[
        int | None, "k, only for arrays: labels are then used as given, integers in 0..k-1."
    ] = setting()
    dim: Annotated[
        int | None,
        "Number of features d, only for files; by default the number that the largest index needs.",
    ] = setting()
    zero_based: Annotated[
        bool | str,
        'bool or "auto"',
        'Whether a file counts features from 0; "auto" looks for an index 0.',
    ] = setting(default="auto")

    def rows(self) -> tuple[LabelledRows | Chunks, bool]:
        """The data, and whether they were given as pairs of index and value."""
        data = self.data
        named = isinstance(data, str) and data in bundled.BUNDLED
        if isinstance(data, str | Path) and not named:
            if self.n_labels is not None:
                raise ValueError("n_labels is a setting of arrays; leave it out")
            return _read_file(Path(data), self.order, self.dim, self.zero_based), True
        # zero_based may be an array, for which == gives an array.
        auto = isinstance(self.zero_based, str) and self.zero_based == "auto"
        if self.dim is not None or not auto:
            raise ValueError("dim and zero_based are settings of files; leave them out")
        return _in_memory(data, self.n_labels)


@configured(MulticlassBanditSettings)
class MulticlassBandit(_DataEnv):
    r"""Labelled data as a stream of rows; only whether the label played is right is revealed.

    Round :math:`t` shows row :math:`t` of the data, or of a shuffled order of it, and each row is
    shown once per episode. The environment reads one row ahead. The step after which no row is left
    truncates the episode, and its observation is a row of zeros.

    Actions are labels (n,) in 0..k-1, or (n, r) with ``slots``; see ``Multiclass`` for rewards and
    infos. Observations are rows (n, d), or with ``sparse`` a mapping of ``indices`` (n, w) and
    ``values`` (n, w), where w is the largest number of entries of any row. Each row's pairs are in
    ascending order of the index, padded with index 0 and value 0.0.

    Memory: the rows in sparse form, and 4 bytes per replicate and round for shuffled orders. A file
    in chronological order is read through once when the environment is made, then streamed chunk by
    chunk, once per episode.

    Raises
    ------
    FileNotFoundError
        If ``data`` is a path, and there is no such file.
    ValueError
        For malformed data; the message names the place. See ``banditgym.data``.

    Notes
    -----
    Hidden: the true label. After a wrong label, an agent learns that it is wrong, not which label
    is right.

    Examples
    --------
    >>> import gymnasium, banditgym
    >>> envs = gymnasium.make_vec("MulticlassBandit-v0", num_envs=3, data="digits")
    >>> envs.reset(seed=0)[0].shape, envs.unwrapped.task.n_labels
    ((3, 64), 10)
    """

    def _set_up(self, num_envs: int, given: MulticlassBanditSettings) -> None:
        data, by_pairs = given.rows()
        if given.standardize:
            if by_pairs or not isinstance(data, LabelledRows):
                raise ValueError("standardize would make sparse rows dense; leave it out")
            data = data.standardized()
        if given.sparse is None:
            given.sparse = by_pairs
        super().__init__(num_envs, data, given)


class ReutersSettings(DataSettings):
    """The settings of ``Reuters4``."""

    path: Annotated[
        str | Path | None,
        "str or path, optional",
        "The folder of the collection; that of scikit-learn's data sets if not given.",
    ] = setting()
    order: str = setting(one_of(ORDERS), "chronological")


@configured(ReutersSettings)
class Reuters4(_DataEnv):
    r"""REUTERS4: news stories with exactly one of the topics CCAT, ECAT, GCAT and MCAT.

    This package may not distribute the collection RCV1. ``banditgym.data.rcv1``, and README.md
    beside it, describe its forms and how to get it. Each round shows one of its 673,768 stories, as
    counts of words or as scikit-learn's weights; labels are 0, 1, 2, 3 for the four topics. The
    paper's 346,810 features are based on another list of words, so its error rates cannot be
    compared with those here.

    See ``MulticlassBandit`` for observations, actions and memory. Token files in chronological
    order are streamed. They are read once when the environment is made, which takes minutes.

    Raises
    ------
    FileNotFoundError
        If the collection is not there; the message says how to get it.

    Notes
    -----
    Hidden: the true label. After a wrong label, an agent learns that it is wrong, not which label
    is right.

    References
    ----------
    S. Kakade, S. Shalev-Shwartz, A. Tewari. Efficient Bandit Algorithms for Online Multiclass
    Prediction. ICML 2008, section 5.
    """

    _reads_files = True

    def _set_up(self, num_envs: int, given: ReutersSettings) -> None:
        folder = rcv1.folder_of(given.path)
        rows: LabelledRows | Chunks | None = None
        if rcv1.form_of(folder) == "tokens" and given.order == "chronological":
            summary = rcv1_tokens.scan(folder)
            if summary.in_order:
                rows = Chunks(summary, partial(rcv1_tokens.stream, folder, summary))
        if rows is None:
            rows = rcv1.load(folder)
        super().__init__(num_envs, rows, given)


def _in_memory(data: Any, n_labels: int | None) -> tuple[LabelledRows, bool]:
    """The rows of arrays, a table or a bundled data set, and whether they were given sparse."""
    if isinstance(data, str):
        if n_labels is not None:
            raise ValueError("n_labels is a setting of arrays; leave it out")
        return bundled.load(data), False
    if not isinstance(data, tuple | list) or len(data) != 2:
        raise ValueError(
            f"data must be (rows, labels), one of {', '.join(bundled.BUNDLED)}, the path of an "
            f"svmlight file, or (table, target), got {brief(data)}"
        )
    features, labels = target_tables.labelled_table(*data) if target_tables.is_table(data) else data
    return LabelledRows.from_dense(features, labels, n_labels), scipy_sparse.issparse(features)


def _read_file(path: Path, order: str, dim: int | None, zero_based: Any) -> LabelledRows | Chunks:
    if path.is_dir():
        raise ValueError(f"data must be a file in svmlight format, {path} is a folder")
    if not path.is_file():
        known = ", ".join(bundled.BUNDLED)
        raise FileNotFoundError(
            f"data: no such file: {path}, and it is none of {known}"
            f"{nearest(str(path), bundled.BUNDLED)}"
        )
    if path.suffix in (".csv", ".parquet"):
        raise ValueError(
            f"data must name the column of labels of a table, as in ('{path}', 'label'), "
            f"got {brief(str(path))}"
        )
    if order == "shuffled":
        return svmlight.load(path, dim=dim, zero_based=zero_based)
    summary = svmlight.scan(path, dim=dim, zero_based=zero_based)
    return Chunks(summary, partial(svmlight.stream, path, summary))


@compiled
def _copy_rows(stored, orders, row, start, stop, indices, values, labels):
    """Copy rows of data into padded pairs (m, n, w) and labels (m, n).

    Stored are pointers, indices and values of compressed sparse rows, and labels.

    The rows are those of rounds ``start`` to ``stop``: row ``row`` and the following ones, or, if
    orders (T, n) is not empty, the rows that it gives for these rounds.
    """
    indptr, all_indices, all_values, all_labels = stored
    _, n, width = indices.shape
    for s in range(start, stop):
        for i in range(n):
            taken = row + s - start
            if orders.shape[0] > 0:
                taken = np.int64(orders[taken, i])
            first = indptr[taken]
            count = indptr[taken + 1] - first
            for j in range(count):
                indices[s, i, j] = all_indices[first + j]
                values[s, i, j] = all_values[first + j]
            for j in range(count, width):
                indices[s, i, j] = 0
                values[s, i, j] = 0.0
            labels[s, i] = all_labels[taken]
