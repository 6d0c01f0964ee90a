"""The data sets that come with scikit-learn, by name."""

from banditgym.data.labelled_rows import LabelledRows
from banditgym.validation import brief, nearest

BUNDLED = ("breast_cancer", "digits", "iris", "wine")


def load(name: str) -> LabelledRows:
    """The rows of a data set in scikit-learn's order, without entries that are 0.

    ============= ==== == ==
    name          rows d  k
    ============= ==== == ==
    breast_cancer  569 30  2
    digits        1797 64 10
    iris           150  4  3
    wine           178 13  3
    ============= ==== == ==

    Rows of iris and wine are sorted by label: shuffle them where order matters.

    Raises
    ------
    ValueError
        For another name.
    """
    if name not in BUNDLED:
        known = ", ".join(BUNDLED)
        raise ValueError(
            f"bundled data sets are {known}, got {brief(name)}{nearest(str(name), BUNDLED)}"
        )
    from sklearn import datasets  # takes half a second to import

    features, labels = getattr(datasets, f"load_{name}")(return_X_y=True)
    return LabelledRows.from_dense(features, labels)
