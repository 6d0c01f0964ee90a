"""Random numbers of one replicate, in a library that draws from global generators.

The states of torch's and numpy's global generators are set before each call of the library and put
back after it, so that no draw affects another replicate or the user's process. The library seeds
Python's generator and never draws from it.
"""

import contextlib
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from agents.parts.deep.library import module


class Generators:
    """The states of torch's and numpy's global generators that belong to one replicate.

    Attributes
    ----------
    torch : torch.Tensor
        The state of its CPU generator, uint8.
    numpy : dict
        The state of its ``RandomState``: a Mersenne Twister, and the normal number it has in store.
    """

    torch: Any
    numpy: dict[str, Any]

    @contextlib.contextmanager
    def seeding(self) -> Iterator[None]:
        """Keep the states that the library seeds inside this block."""
        users = random.getstate()
        try:
            with _kept(numpy=True):
                yield
                self.torch = module("torch").get_rng_state()
                self.numpy = np.random.get_state(legacy=False)  # type: ignore[assignment]  # noqa: NPY002
        finally:
            random.setstate(users)

    @contextlib.contextmanager
    def swapped_in(self, numpy: bool) -> Iterator[None]:
        """Draw from these states inside this block; ``numpy`` says whether from numpy's too.

        Torch runs on one thread inside, because sums on several threads depend on their number.
        """
        torch = module("torch")
        with _kept(numpy):
            torch.set_rng_state(self.torch)
            if numpy:
                np.random.set_state(self.numpy)  # noqa: NPY002
            try:
                yield
            finally:
                self.torch = torch.get_rng_state()
                if numpy:
                    self.numpy = np.random.get_state(legacy=False)  # type: ignore[assignment]  # noqa: NPY002


@contextlib.contextmanager
def _kept(numpy: bool) -> Iterator[None]:
    """Leave the user's generators, and the number of torch's threads, as they are."""
    torch = module("torch")
    state, threads = torch.get_rng_state(), torch.get_num_threads()
    numpys = np.random.get_state(legacy=False) if numpy else None  # noqa: NPY002
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        torch.set_rng_state(state)
        if numpys is not None:
            np.random.set_state(numpys)  # noqa: NPY002
