"""Lines of the svmlight format: a group of them as arrays, or the fault of the first bad one.

``svmlight`` states the rules. scikit-learn parses groups of lines. Its errors name no line, and it
takes numbers that are not finite and any word that begins with qid; so a group with a fault is read
again, line by line, in plain Python.
"""

import re
from dataclasses import dataclass
from io import BytesIO
from math import inf, isfinite
from pathlib import Path
from typing import Any

import numpy as np

from banditgym.data.labelled_rows import Entries, Summary, row_norms
from banditgym.validation import brief

LARGEST = 2**31 - 2  # the largest index; with one more, d would not fit an int32
_AS_WRITTEN: dict[str, Any] = {"zero_based": True}  # takes nothing off the indices
_ODD_QID = re.compile(rb"\sqid(?!:)")


@dataclass(frozen=True, kw_only=True)
class LineLimits:
    """The limits of a line.

    Parameters
    ----------
    lowest, highest : int
        The indices that may be written.
    summary : Summary, optional
        The summary of an earlier pass: other labels, and rows with more entries, are faults.
    """

    lowest: int
    highest: int
    summary: Summary | None = None


def parse(path: Path, number: int, lines: list[bytes], limits: LineLimits) -> Entries:
    """The rows of a group whose first line is ``number``, indices and labels as written.

    Raises
    ------
    ValueError
        If a line breaks a rule or a limit: the file, the first such line and its fault.
    """
    from sklearn.datasets import load_svmlight_file  # takes half a second to import

    text = b"".join(lines)
    try:
        matrix, labels = load_svmlight_file(BytesIO(text), **_AS_WRITTEN)
    except (ValueError, OverflowError) as error:
        raise ValueError(_first_fault(path, number, lines, limits) or str(error)) from error
    indptr, indices, values = matrix.indptr, matrix.indices.astype(np.int32), matrix.data
    good = np.isfinite(labels).all() and np.isfinite(row_norms(indptr, values)).all()
    if len(indices):
        good = good and indices.min() >= limits.lowest and indices.max() <= limits.highest
    if limits.summary is not None and len(labels):
        good = good and np.isin(labels, limits.summary.labels).all()
        good = good and np.diff(indptr).max() <= limits.summary.width
    # scikit-learn ignores anything that begins with qid; in a comment it is legal.
    if not good or (b"qid" in text and _ODD_QID.search(text)):
        fault = _first_fault(path, number, lines, limits)
        if fault or not good:
            raise ValueError(fault)
    return indptr, indices, values, labels


def _first_fault(path: Path, number: int, lines: list[bytes], limits: LineLimits) -> str:
    """The first malformed line of a group and its fault, or nothing."""
    faults = (_fault(line, limits) for line in lines)
    return next(
        (f"{path}, line {j}: {fault}" for j, fault in enumerate(faults, number) if fault), ""
    )


def _fault(line: bytes, limits: LineLimits) -> str:
    """The fault of a line, or nothing: the format's rules in plain Python."""
    words = line.split(b"#", 1)[0].split()
    if not words:
        return ""
    label, *pairs = words
    if b"," in label:
        return f"a row must have one label, got {_shown(label)}"
    if b":" in label:
        return f"a row must begin with its label, got {_shown(label)}"
    if not isfinite(_number(label)):
        return f"the label must be a finite number, got {_shown(label)}"
    summary = limits.summary
    if summary is not None and _number(label) not in summary.labels:
        return f"the label {_shown(label)} is none of those scanned"
    if pairs and pairs[0].startswith(b"qid:"):
        del pairs[0]
    previous, squares = -1, 0.0
    for pair in pairs:
        index, colon, value = pair.partition(b":")
        try:
            j = int(index)
        except ValueError:
            j = None
        if j is None or not colon:
            return f"expected index:value, got {_shown(pair)}"
        if not limits.lowest <= j <= limits.highest:
            return f"an index must be in {limits.lowest}..{limits.highest}, got {_shown(pair)}"
        if j <= previous:
            return f"indices must increase, got {j} after {previous}"
        x = _number(value)
        if not isfinite(x):
            return f"a value must be a finite number, got {_shown(pair)}"
        previous, squares = j, squares + x * x
    if squares == inf:
        return "the row must be of finite norm, got one above 1e154"
    if summary is not None and len(pairs) > summary.width:
        return f"the row has {len(pairs)} entries, the most scanned were {summary.width}"
    return ""


def _number(word: bytes) -> float:
    try:
        return float(word)
    except ValueError:
        return inf


def _shown(word: bytes) -> str:
    return brief(word.decode(errors="backslashreplace"))
