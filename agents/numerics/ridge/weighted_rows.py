"""Weighted sums of rows of a matrix, four rows at a time."""

from banditgym.compiled import inlined


@inlined
def sum_rows(rows, chosen, weights, count, out):
    """``out = sum over j < count of weights[j] rows[chosen[j]]``, of the length of out."""
    width, whole = out.shape[0], count // 4 * 4
    for k in range(width):
        out[k] = 0.0
    for j in range(0, whole, 4):
        w0, w1, w2, w3 = weights[j], weights[j + 1], weights[j + 2], weights[j + 3]
        row0, row1 = rows[chosen[j]], rows[chosen[j + 1]]
        row2, row3 = rows[chosen[j + 2]], rows[chosen[j + 3]]
        for k in range(width):
            out[k] += (w0 * row0[k] + w1 * row1[k]) + (w2 * row2[k] + w3 * row3[k])
    for j in range(whole, count):
        w0, row0 = weights[j], rows[chosen[j]]
        for k in range(width):
            out[k] += w0 * row0[k]
