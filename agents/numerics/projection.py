"""Products of features with rows, read along the arms."""

from banditgym.compiled import compiled
from banditgym.linalg.product import row_product


@compiled
def project(rows, features, projected):
    """Write the coordinates (n, m, K) of features (n, d, K) along rows (n, m, d)."""
    for i in range(features.shape[0]):
        for r in range(rows.shape[1]):
            row_product(rows[i, r], features[i], projected[i, r])
