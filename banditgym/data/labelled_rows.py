"""Labelled rows in memory, each as pairs of index and value."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from banditgym.rounds.read_only import read_only
from banditgym.validation import brief, reals, refuse_masked, whole

_SLICE = 65_536  # rows whose squares are held at once
Entries = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # indptr, indices, values, labels


@dataclass(frozen=True, kw_only=True)
class Summary:
    r"""A summary of the rows of a file, from one pass.

    Parameters
    ----------
    n_rows : int
        Number of rows.
    labels : tuple
        The distinct labels as written in the file; label j of a row is ``labels[j]``.
    dim : int
        Number of features d; indices are 0..d-1.
    width : int
        The most entries that a row has, and 1 where no row has any.
    feature_norm : float
        The largest :math:`\lVert x\rVert`.
    limits : (float, float)
        The least and the greatest value of a feature, 0 among them.
    """

    n_rows: int
    labels: tuple
    dim: int
    width: int
    feature_norm: float
    limits: tuple[float, float]


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelledRows:
    r"""Rows :math:`x_t \in \mathbb{R}^d` with a label each, in compressed sparse rows (CSR).

    Row t has the entries ``indptr[t] : indptr[t + 1]`` of ``indices`` and ``values``; indices of a
    row increase. The arrays are read-only. A chunk of a longer stream has its own rows, but the
    dim, labels, width, norm and limits of the whole.

    Parameters
    ----------
    indptr : int64 ndarray of shape (T + 1,)
        Where a row's entries start.
    indices : int32 ndarray of shape (number of entries,)
        Features, in 0..d-1.
    values : float64 ndarray of shape (number of entries,)
        Their values, finite.
    labels : int64 ndarray of shape (T,)
        Labels, in 0..k-1.
    dim, n_labels : int
        Number of features d and of labels k.
    width : int
        The most entries that a row has, at least 1.
    feature_norm : float
        The largest :math:`\lVert x_t\rVert`.
    limits : (float, float)
        The least and the greatest value of a feature, 0 among them.
    names : tuple of str or None
        The names of the labels 0, .., k-1, where these were given as strings.

    Examples
    --------
    >>> rows = LabelledRows.from_dense([[0, 3.0], [4.0, 0], [0, 0]], ["b", "a", "b"])
    >>> rows.indices, rows.labels, rows.names, rows.feature_norm
    (array([1, 0], dtype=int32), array([1, 0, 1]), ('a', 'b'), 4.0)
    """

    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    labels: np.ndarray
    dim: int
    n_labels: int
    width: int
    feature_norm: float
    limits: tuple[float, float]
    names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for array in (self.indptr, self.indices, self.values, self.labels):
            read_only(array)

    def __len__(self) -> int:
        return len(self.labels)

    def cut(self, start: int, stop: int) -> "LabelledRows":
        """Rows ``start`` to ``stop`` as a chunk, without copying entries."""
        ends = self.indptr[start : stop + 1]
        entries = slice(ends[0], ends[-1])
        return replace(
            self,
            indptr=ends - ends[0],
            indices=self.indices[entries],
            values=self.values[entries],
            labels=self.labels[start:stop],
        )

    def take(self, order: np.ndarray) -> "LabelledRows":
        """The rows ``order``, integers (m,), as a copy."""
        matrix = self._sparse[order]
        return replace(
            self,
            indptr=matrix.indptr.astype(np.int64),
            indices=matrix.indices.astype(np.int32),
            values=matrix.data,
            labels=self.labels[order],
        )

    def standardized(self) -> "LabelledRows":
        """Features at mean 0 and standard deviation 1 over all rows, as a copy.

        Features that are the same in every row become 0. The rows are no longer sparse.
        """
        matrix = within_range(self._sparse.toarray())
        # The computed deviation of equal rows may be a rounding error.
        varies = np.ptp(matrix, axis=0) > 0
        deviation = np.where(varies, matrix.std(axis=0), 1.0)
        scaled = np.where(varies, (matrix - matrix.mean(axis=0)) / deviation, 0.0)
        return replace(self.from_dense(scaled, self.labels, self.n_labels), names=self.names)

    @property
    def _sparse(self) -> Any:
        shape = (len(self), self.dim)
        return sparse.csr_array((self.values, self.indices, self.indptr), shape=shape)

    @classmethod
    def summarised(cls, summary: Summary, entries: Entries) -> "LabelledRows":
        """Rows of a file with this summary."""
        indptr, indices, values, labels = entries
        return cls(
            indptr=indptr,
            indices=indices,
            values=values,
            labels=labels,
            dim=summary.dim,
            n_labels=len(summary.labels),
            width=summary.width,
            feature_norm=summary.feature_norm,
            limits=summary.limits,
        )

    @classmethod
    def from_dense(
        cls, features: Any, labels: ArrayLike, n_labels: int | None = None
    ) -> "LabelledRows":
        """The rows of an array, entries that are 0 left out; the arrays given are copied.

        Parameters
        ----------
        features : array_like or scipy sparse array of shape (T, d)
            Finite real numbers.
        labels : array_like of shape (T,)
            Numbers or strings, at least two distinct ones; the j-th smallest becomes label j.
        n_labels : int, optional
            If given, labels are taken as they are: integers in 0..n_labels-1, some of which may
            not occur.

        Raises
        ------
        ValueError
            For anything else, with the value and its place.
        """
        matrix = _matrix(features)
        n_rows, dim = matrix.shape
        codes, k, names = read_labels(labels, n_labels)
        if len(codes) != n_rows:
            raise ValueError(f"labels must be as many as rows, {n_rows}, got {len(codes)}")
        rows = cls.from_csr(matrix.indptr, matrix.indices, matrix.data, codes, dim, k)
        return rows if names is None else replace(rows, names=names)

    @classmethod
    def from_csr(
        cls,
        indptr: np.ndarray,
        indices: np.ndarray,
        values: np.ndarray,
        labels: np.ndarray,
        dim: int,
        n_labels: int,
    ) -> "LabelledRows":
        """Rows from arrays that are known to be legal; those of the right dtype are not copied."""
        norms = row_norms(indptr, values)
        long = np.flatnonzero(norms == np.inf)
        if len(long):
            raise ValueError(f"features must be of finite norm, row {long[0]} has one above 1e154")
        return cls(
            indptr=np.ascontiguousarray(indptr, dtype=np.int64),
            indices=np.ascontiguousarray(indices, dtype=np.int32),
            values=np.ascontiguousarray(values, dtype=np.float64),
            labels=np.ascontiguousarray(labels, dtype=np.int64),
            dim=int(dim),
            n_labels=int(n_labels),
            width=max(1, int(np.diff(indptr).max())),
            feature_norm=float(norms.max()),
            limits=limits_of(values),
        )


@dataclass
class Tally:
    """The numbers of a `Summary`, of the rows so far."""

    n_rows: int = 0
    labels: set[float] = field(default_factory=set)
    width: int = 1
    feature_norm: float = 0.0
    limits: tuple[float, float] = (0.0, 0.0)

    def add(self, indptr: np.ndarray, values: np.ndarray, labels: np.ndarray) -> None:
        """Count one or more rows."""
        self.n_rows += len(labels)
        self.labels.update(np.unique(labels).tolist())
        self.width = max(self.width, int(np.diff(indptr).max()))
        self.feature_norm = max(self.feature_norm, float(row_norms(indptr, values).max()))
        self.limits = limits_of(values, self.limits)

    def numbers(self) -> dict[str, Any]:
        """The numbers by the names that `Summary` gives them, without the labels."""
        return {name: value for name, value in vars(self).items() if name != "labels"}


def joined(parts: Sequence[Entries]) -> Entries:
    """The entries of rows in several parts, one after the other; each indptr begins at 0."""
    lengths = np.concatenate([np.diff(indptr) for indptr, *_ in parts])
    indices, values, labels = (np.concatenate([part[j] for part in parts]) for j in (1, 2, 3))
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]), indices, values, labels


def within_range(columns: np.ndarray) -> np.ndarray:
    """Columns (N, d), those of huge or tiny numbers divided by a power of two.

    The squares of all are then numbers, and mean 0 and deviation 1 are the same.

    Examples
    --------
    >>> within_range(np.array([[2.0, 2.0**900], [1.0, np.nan]]))
    array([[2. , 0.5],
           [1. , nan]])
    """
    powers = powers_of(columns)
    return np.ldexp(columns, -powers) if powers.any() else columns


def powers_of(columns: np.ndarray) -> np.ndarray:
    """The powers (d,) of two by which `within_range` divides columns (N, d)."""
    powers = np.frexp(np.fmax.reduce(np.abs(columns), axis=0))[1]
    powers[abs(powers) < 400] = 0
    return powers


def limits_of(values: np.ndarray, beside: tuple[float, float] = (0.0, 0.0)) -> tuple[float, float]:
    """The least and the greatest of entries and of the pair ``beside``; 0 if there are none."""
    low, high = beside
    return float(values.min(initial=low)), float(values.max(initial=high))


def row_norms(indptr: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The norm (T,) of every row; infinite where its square overflows.

    Squares are summed in the order of the entries, so that a norm does not depend on other rows.
    """
    norms = np.empty(len(indptr) - 1)
    with np.errstate(over="ignore", under="ignore"):
        for start in range(0, len(norms), _SLICE):
            ends = indptr[start : start + _SLICE + 1]
            entries = values[ends[0] : ends[-1]]
            owner = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
            sums = np.bincount(owner, weights=entries * entries, minlength=len(ends) - 1)
            norms[start : start + _SLICE] = np.sqrt(sums)
    return norms


def read_labels(
    labels: ArrayLike, n_labels: int | None = None
) -> tuple[np.ndarray, int, tuple[str, ...] | None]:
    """Labels (T,) in 0..k-1, k, and their names if given; see ``LabelledRows.from_dense``."""
    refuse_masked("labels", labels)
    given = np.asarray(labels)
    if given.dtype.kind in "OU":  # a list, or a table's column of strings
        cells = np.asarray(labels, dtype=object)
        given = np.asarray(cells.tolist())
        if given.dtype.kind == "U":  # numpy makes NaN the text "nan"
            for place, cell in enumerate(cells.ravel()):
                if cell != cell:
                    raise ValueError(f"labels must not be missing, got {cell} at {place}")
    if given.ndim != 1:
        raise ValueError(f"labels must be of shape (rows,), got {given.shape}")
    if given.dtype.kind not in "biufUS":
        # Other objects have no order that all Pythons agree on.
        raise ValueError(f"labels must be numbers or strings, got {brief(labels)}")
    if given.dtype.kind == "f" and not np.isfinite(given).all():
        where = int(np.flatnonzero(~np.isfinite(given))[0])
        raise ValueError(f"labels must be finite, got {given[where]} at {where}")
    distinct, codes = np.unique(given, return_inverse=True)
    if n_labels is not None:
        k = whole("n_labels", n_labels, least=2)
        if given.dtype.kind not in "iu":
            raise ValueError(f"labels must be integers where n_labels is given, got {given.dtype}")
        wrong = np.flatnonzero((given < 0) | (given >= k))
        if len(wrong):
            raise ValueError(f"labels must be in 0..{k - 1}, got {given[wrong[0]]} at {wrong[0]}")
        codes = given
    else:
        k = len(distinct)
    if len(distinct) < 2:
        raise ValueError(f"labels must be of two kinds at least, got only {distinct.tolist()}")
    names = tuple(distinct.tolist()) if given.dtype.kind == "U" else None
    return codes.astype(np.int64), k, names


def _matrix(features: Any) -> Any:
    """A sparse copy of the features without zeros, indices of a row increasing."""
    matrix: Any  # scipy's sparse arrays have no types: their shape may be None to pyright
    if sparse.issparse(features):
        if features.dtype.kind not in "iuf":
            raise ValueError(f"features must be an array of real numbers, got {features.dtype}")
        matrix = sparse.csr_array(features, dtype=np.float64, copy=True)
        matrix.sum_duplicates()
        wrong = np.flatnonzero(~np.isfinite(matrix.data))
        if len(wrong):
            row = int(np.searchsorted(matrix.indptr, wrong[0], side="right")) - 1
            where = (row, int(matrix.indices[wrong[0]]))
            raise ValueError(f"features must be finite, got {matrix.data[wrong[0]]} at {where}")
    else:
        array = reals("features", features)
        if array.ndim != 2:
            raise ValueError(f"features must be of shape (rows, features), got {array.shape}")
        matrix = sparse.csr_array(array)
    if 0 in matrix.shape:
        raise ValueError(f"features must have a row and a column at least, got {matrix.shape}")
    matrix.eliminate_zeros()
    return matrix
