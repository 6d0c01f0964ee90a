"""Products of features with rows, read along the arms."""

from banditgym.compiled import compiled, inlined


@inlined
def row_product(row, x, out):
    """Write ``row @ x`` (K,) of a row (d,) and features (d, K), four features per pass."""
    dim, n_arms = x.shape
    for k in range(n_arms):
        out[k] = 0.0
    j = 0
    while j + 3 < dim:
        a0, a1, a2, a3 = row[j], row[j + 1], row[j + 2], row[j + 3]
        for k in range(n_arms):
            out[k] += (a0 * x[j, k] + a1 * x[j + 1, k]) + (a2 * x[j + 2, k] + a3 * x[j + 3, k])
        j += 4
    while j < dim:
        a0 = row[j]
        for k in range(n_arms):
            out[k] += a0 * x[j, k]
        j += 1


@compiled
def project(rows, features, projected):
    """Write the coordinates (n, m, K) of features (n, d, K) along rows (n, m, d)."""
    for i in range(features.shape[0]):
        for r in range(rows.shape[1]):
            row_product(rows[i, r], features[i], projected[i, r])
