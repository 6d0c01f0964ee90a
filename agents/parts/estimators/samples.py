"""The samples that estimators by gradient steps keep, and the keys to draw them by."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agents.agent import reject
from agents.numerics.steps.descent_steps import DescentSteps
from agents.numerics.steps.gradient_steps import learn_round
from agents.numerics.steps.sag_steps import SAGSteps
from agents.numerics.steps.sample_chunks import (
    FIRST,
    KeptSamples,
    initial_chunks,
    make_room,
    predict_linear,
)
from agents.numerics.steps.svrg_steps import SVRGSteps
from agents.storage.loadable import Loadable
from banditgym.streams import AGENT, Stream
from banditgym.tasks import FeatureTask
from banditgym.validation import positive, reals

DRAWS = 9  # purpose of the stream that draws samples


def check_rate(name: str, value: Any) -> None:
    """Refuse a constant rate whose steps would not contract."""
    if not positive(name, value) <= 1:
        raise ValueError(f"{name} must be at most 1 for steps to contract, got {value}")


@dataclass(eq=False)
class Samples:
    """The samples of n replicates, in chunks of memory that are never moved.

    If rows repeat, as fixed arms do, each is kept once, and samples are kept as numbers of rows.
    The draws made with sample n depend only on the seed and n, so a round that was not observed has
    no effect.

    Attributes
    ----------
    chunks, table, count, longest, keys
        As in ``agents.numerics.steps.sample_chunks.KeptSamples``. The table has no rows where every
        sample has a row of its own, or the fixed arms are not known yet.
    repeated : bool
        Whether there is a table, or will be one.
    """

    loadable: ClassVar = {
        "chunks": Loadable("_ any _"),
        "table": Loadable("any rows _"),
        "repeated": Loadable(fixed=True),
        "count": Loadable(most=lambda self: sum(chunk.shape[1] for chunk in self.chunks) - 1),
    }

    chunks: list[np.ndarray]
    table: np.ndarray
    repeated: bool
    count: np.ndarray
    longest: np.ndarray
    keys: np.ndarray

    @classmethod
    def initial(
        cls, task: FeatureTask, n: int, seeds: Any, rows: Any, beside: int = 0
    ) -> "Samples":
        """No samples, with room for ``beside`` more numbers in each; ``rows`` (r, d) or None."""
        bound = getattr(task, "feature_norm", None)
        if bound is not None and not math.isfinite(bound * bound):
            raise ValueError(f"features may be as long as {bound:g}, which is too long: scale them")
        repeated = rows is not None or getattr(task, "fixed_arms", False)
        samples = cls(
            chunks=initial_chunks(n, (1 if repeated else task.dim) + 1 + beside),
            table=np.zeros((1, 0, task.dim)),
            repeated=repeated,
            count=np.zeros(n, np.int64),
            longest=np.zeros(n),
            keys=Stream(seeds, AGENT, DRAWS, 0).keys,
        )
        if rows is not None:
            given = reals("rows", rows)
            if given.ndim != 2 or given.shape[1] != task.dim or not len(given):
                raise ValueError(f"rows must be of shape (r, {task.dim}), got {given.shape}")
            samples.set_table(given.T[None])
        return samples

    def consistent(self) -> bool:
        """Whether chunks and table have possible lengths, and samples are rows of the table."""
        lengths = [chunk.shape[1] for chunk in self.chunks]
        used, tables, rows = np.count_nonzero(lengths), *self.table.shape[:2]
        if lengths != [FIRST << k if k < max(used, 1) else 0 for k in range(len(lengths))]:
            return False
        if rows == 0 or not self.repeated:
            return (tables, rows) == (1, 0) and not (self.repeated and self.count.any())
        numbers = np.concatenate([chunk[:, :, 0] for chunk in self.chunks], axis=1)
        numbers = numbers[np.arange(numbers.shape[1]) < self.count[:, None]]
        whole = (numbers >= 0) & (numbers < rows) & (numbers == np.floor(numbers))
        return tables in (1, len(self.count)) and bool(whole.all())

    def set_table(self, features: np.ndarray) -> None:
        """Make the features (m, d, r), m = n or 1, the table of rows that all samples come from."""
        with np.errstate(over="ignore", invalid="ignore"):
            square = (features * features).sum(axis=1).max(axis=1)
        finite = np.isfinite(square)
        check_lengths(-1 if finite.all() else int(np.argmin(finite)))
        # Always copied, because kernels are compiled for one mutability.
        self.table = np.array(features.transpose(0, 2, 1), order="C")
        self.longest[:] = square

    @property
    def kept(self) -> KeptSamples:
        """The samples as kernels take them."""
        return KeptSamples(tuple(self.chunks), self.table, self.count, self.longest, self.keys)


@dataclass(eq=False)
class Descending:
    """An estimate of a parameter by gradient steps on samples, for n replicates.

    Attributes
    ----------
    samples : Samples
        The samples learned from.
    steps : DescentSteps, SAGSteps or SVRGSteps, of ``agents.numerics``
        The estimate, and what its steps need.
    """

    samples: Samples
    steps: DescentSteps | SAGSteps | SVRGSteps

    @property
    def theta(self) -> np.ndarray:
        """The estimate (n, d); not to be written."""
        return self.steps.theta

    @property
    def count(self) -> np.ndarray:
        """How many samples were learned, (n,); not to be written."""
        return self.samples.count

    def predict(self, contexts: np.ndarray) -> tuple[np.ndarray, None]:
        """Means (n, K) of the arms with features (n, d, K), and None for variances."""
        mean = np.empty((contexts.shape[0], contexts.shape[2]))
        reject(predict_linear(self.theta, contexts, mean), "a feature")
        return mean, None

    def update(
        self, contexts: np.ndarray, arms: np.ndarray, reward: np.ndarray, observed: np.ndarray
    ) -> None:
        """Learn the rewards (n,) of the arms (n,) with features (n, d, K) where observed (n,)."""
        if self.samples.repeated and not self.samples.table.size:
            self.samples.set_table(contexts)
        check_lengths(learn_round(self.steps, self.samples.kept, contexts, arms, reward, observed))
        make_room(self.samples.chunks, int(self.count.max()))

    def learn(self, rows: np.ndarray, outcome: np.ndarray, observed: np.ndarray) -> None:
        """Learn the outcomes (n,) of the rows (n, d) where observed (n,).

        Where ``reset`` was given ``rows``, these are the numbers (n,) of rows.
        """
        if self.samples.repeated:
            features = np.zeros((len(rows), 0, 0))  # the table has them
            arms = np.ascontiguousarray(rows, np.int64)
            most = self.samples.table.shape[1] - 1
            unknown = observed & ((arms < 0) | (arms > most))
            if unknown.any():
                raise ValueError(
                    f"numbers of rows must lie within 0 .. {most}, got {arms[unknown][0]}"
                )
        else:
            features = np.ascontiguousarray(rows, np.float64).view()[:, :, None]
            arms = np.zeros(len(features), np.int64)
        features.flags.writeable = False  # kernels are compiled for one mutability
        self.update(features, arms, outcome, observed)


def check_lengths(bad: int) -> None:
    """Raise for the replicate that a kernel returned as bad."""
    if bad >= 0:
        raise ValueError(
            f"the features of replicate {bad} are not finite, or too long to be squared: scale them"
        )
