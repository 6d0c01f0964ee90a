"""The bundled data sets as scikit-learn gives them."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import datasets

from banditgym.data.bundled import BUNDLED, load

SIZES = {
    "breast_cancer": (569, 30, 2),
    "digits": (1797, 64, 10),
    "iris": (150, 4, 3),
    "wine": (178, 13, 3),
}


def test_all_are_reported():
    assert set(BUNDLED) == set(SIZES)


@pytest.mark.parametrize("name", BUNDLED)
def test_rows_are_those_of_scikit_learn(name):
    rows = load(name)
    assert (len(rows), rows.dim, rows.n_labels) == SIZES[name]
    assert " ".join(map(str, [name, *SIZES[name]])) in " ".join(load.__doc__.split())
    expected = getattr(datasets, f"load_{name}")()
    shape = (len(rows), rows.dim)
    dense = sparse.csr_array((rows.values, rows.indices, rows.indptr), shape=shape).toarray()
    np.testing.assert_array_equal(dense, expected.data)
    np.testing.assert_array_equal(rows.labels, expected.target)


def test_another_name_is_refused():
    with pytest.raises(ValueError, match="wine, got 'digit'; did you mean digits?"):
        load("digit")
