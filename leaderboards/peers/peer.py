"""Shared parts of the adapters: their base class, the import of a library, and draws."""

import importlib
import warnings
from importlib.metadata import version
from typing import Any, ClassVar

import numpy as np

from agents.open_decisions import MOST
from agents.scalar import ScalarAgent

# PyTorch first: by default pip chooses a build of several GB.
_INSTALL = "pip install torch --index-url https://download.pytorch.org/whl/cpu, then pip install "
_MOST_SEEDS = 2**31 - 1
ALONE = "plays one replicate at a time: every replicate has a model of its own"
UNSAVED = "cannot be saved: its state consists of the library's objects"


class Peer(ScalarAgent):
    """An agent of another library: n models, one for each replicate, called in turn.

    Attributes
    ----------
    library : str
        Name of the library's distribution.
    limits : tuple of str
        What the agent cannot do, as phrases for a page.
    """

    saveable: ClassVar[bool] = False
    seconds_per_round: ClassVar[float] = 0.005
    library: ClassVar[str] = ""
    limits: ClassVar[tuple[str, ...]] = (ALONE, UNSAVED)

    @classmethod
    def library_version(cls) -> str:
        """The version of the library that is installed."""
        return version(cls.library)

    def refusal(self, task: Any) -> str | None:
        several = getattr(task, "slots", None) is not None
        return "it plays one label per round" if several else super().refusal(task)


def library(module: str, extra: str = "peers") -> Any:
    """Import a module of another library.

    Parameters
    ----------
    module : str
    extra : str
        The extra of this package that installs it.

    Raises
    ------
    ImportError
        In one line that says what to install.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its deprecations concern its authors
            return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{module.partition('.')[0]} is missing ({error}): {_INSTALL}'banditgym[{extra}]'"
        ) from None


def seed_of(rng: np.random.Generator) -> int:
    """A seed for a library: below 2³¹, and at least 1, because some libraries refuse 0."""
    return int(rng.integers(1, _MOST_SEEDS))


def draw(probabilities: np.ndarray, rng: np.random.Generator) -> int:
    """An index drawn with these probabilities (K,), which add up to 1 except for rounding."""
    ends = np.cumsum(probabilities)
    return min(int(np.searchsorted(ends, ends[-1] * rng.random(), side="right")), len(ends) - 1)


class Kept:
    """Stores values for each of an agent's last decisions until the reward is learned."""

    def __init__(self) -> None:
        self._of: dict[int, np.ndarray] = {}

    def keep(self, decision: int, values: np.ndarray) -> None:
        """Store the values of a decision, and drop the oldest beyond ``MOST``."""
        self._of[decision] = values
        if len(self._of) > MOST:
            del self._of[next(iter(self._of))]

    def take(self, decision: int) -> np.ndarray:
        """Return and drop the values of a decision.

        Raises
        ------
        ValueError
            If there are none.
        """
        if decision not in self._of:
            raise ValueError(
                f"there is no open decision {decision}: a reward must answer an act, and only "
                f"once; only the last {MOST} acts without a reward are kept"
            )
        return self._of.pop(decision)
