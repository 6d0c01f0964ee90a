"""Simulated files in the svmlight format."""

from pathlib import Path

import numpy as np

from banditgym.data.files import opened


def write_fixture(
    path: str | Path,
    n_rows: int = 200,
    *,
    seed: int = 0,
    dim: int = 50,
    n_labels: int = 3,
    width: int = 10,
    zero_based: bool = False,
) -> None:
    """Write simulated rows: label j is drawn uniformly and favours every k-th feature from j.

    A row has 1 to ``width`` entries, uniform on [0, 1] to six digits, of which those at indices
    equal to j modulo k are one larger. A file may have millions of rows: 1000 are written at once.
    """
    draw = np.random.default_rng(seed)
    with opened(Path(path), "wb") as file:
        for start in range(0, n_rows, 1000):
            lines = []
            for _ in range(start, min(start + 1000, n_rows)):
                label = int(draw.integers(n_labels))
                size = int(draw.integers(1, width + 1))
                indices = np.sort(draw.choice(dim, size=size, replace=False))
                values = draw.random(size) + (indices % n_labels == label)
                pairs = zip(indices + (not zero_based), values, strict=True)
                lines.append(f"{label} " + " ".join(f"{j}:{value:.6f}" for j, value in pairs))
            file.write(("\n".join(lines) + "\n").encode())
