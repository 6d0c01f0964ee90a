"""Tables of a few dozen rows, and agents that are tuned on them in a second."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas

from agents import Agent
from agents.search import Choice
from banditgym.tasks import MulticlassTask

PLACE = f"{Path(__file__)}:"


def separable(n_rows=60, seed=0):
    """Two numbers that tell three classes apart, text that does not, and gaps in both."""
    rng = np.random.default_rng(seed)
    x, z = rng.standard_normal((2, n_rows))
    frame = pandas.DataFrame(
        {
            "x": np.where(np.arange(n_rows) % 7 == 3, np.nan, x),
            "z": z,
            "town": rng.choice(["Bonn", "Ulm", "Jena"], n_rows),
            "label": np.where(x > 0.4, "high", np.where(x < -0.4, "low", "mid")),
        }
    )
    frame.loc[5, "town"] = None
    return frame


def noise(n_rows=48, seed=1):
    """Two classes, drawn without regard to the features."""
    rng = np.random.default_rng(seed)
    frame = pandas.DataFrame({"x": rng.standard_normal(n_rows)})
    return frame.assign(label=rng.choice(["no", "yes"], n_rows))


@dataclass(kw_only=True, eq=False)
class Guess(Agent):
    """Guesses a label from the digits of a row: all that tuning finds is chance on its rows."""

    accepts: ClassVar = (MulticlassTask,)
    search: ClassVar = {"salt": Choice(tuple(range(60)))}

    salt: int = 0

    def _start(self):
        pass

    def _choose(self, contexts):
        _, values = contexts  # pairs of index and value
        digits = np.abs(values[:, 0] * 1e6).astype(np.int64)
        return (digits * (2 * self.salt + 1) // 64 + self.salt) % self.task.n_labels

    def _learn(self, contexts, actions, reward, observed):
        pass


@dataclass(kw_only=True, eq=False)
class Broken(Guess):
    """Raises in its first round."""

    def _choose(self, contexts):
        raise ArithmeticError("broken")
