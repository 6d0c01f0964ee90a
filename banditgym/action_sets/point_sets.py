"""Points of the unit cube: uniform, on a grid, or from Sobol's sequence."""

import numpy as np

from banditgym.streams import Stream

POINT_SETS = ("uniform", "grid", "sobol")


def point_set(kind: str, n_points: int, dim: int, stream: Stream) -> np.ndarray:
    """Points (K, d) of :math:`[0, 1]^d`, of one of the ``POINT_SETS``.

    Parameters
    ----------
    kind : str
        ``uniform``: drawn; ``grid``: the d-fold product of K^(1/d) equidistant numbers from 0 to 1
        (of 1/2 where K = 1), the last coordinate changing fastest; ``sobol``: the first K points of
        Sobol's sequence, all shifted by one uniform vector modulo 1.
    n_points, dim : int
        K and d.
    stream : Stream
        Stream of one replicate, whose uniforms of round 0 are used.

    Raises
    ------
    ValueError
        For ``grid``, if K is not the d-th power of an integer; the message has the nearest one.
    """
    if kind == "grid":
        return _grid(n_points, dim)
    if kind == "sobol":
        return (sobol(n_points, dim) + stream.uniform(0, (dim,))) % 1.0
    return stream.uniform(0, (n_points, dim))[0]


def sobol(n_points: int, dim: int) -> np.ndarray:
    """The first K points (K, d) of Sobol's sequence, whose first one is 0; not scrambled."""
    from scipy.stats.qmc import Sobol  # takes long to import

    power = (n_points - 1).bit_length()  # the next power of 2: scipy warns about others
    return Sobol(dim, scramble=False).random_base2(power)[:n_points]


def _grid(n_points: int, dim: int) -> np.ndarray:
    floor = int(n_points ** (1 / dim))
    side = min(range(max(1, floor - 1), floor + 3), key=lambda side: abs(side**dim - n_points))
    if side**dim != n_points:
        raise ValueError(
            f"n_arms of a grid of dim {dim} must be an integer to the power {dim}, the nearest is "
            f"{side**dim}, got {n_points}"
        )
    numbers = np.linspace(0.0, 1.0, side) if side > 1 else np.array([0.5])
    axes = np.meshgrid(*[numbers] * dim, indexing="ij")
    return np.stack([axis.ravel() for axis in axes], axis=1)
