"""Environments that show a row and reveal only whether the label played was right."""

import functools
from typing import Annotated, Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike

from banditgym.action_sets import DistinctLabels, FiniteArms, first_bad_label
from banditgym.compiled import compiled
from banditgym.rounds.blocks import PairsBlock
from banditgym.rounds.prepared_rounds import Ahead, play_from_table
from banditgym.rounds.read_only import Alternating, read_only
from banditgym.settings import Settings, setting, within
from banditgym.spaces import Ranking
from banditgym.streams import each_pair
from banditgym.tasks import MulticlassTask
from banditgym.validation import flag, whole
from banditgym.vector_env import NOISE, BanditVectorEnv


class MulticlassSettings(Settings):
    """The settings that all environments of labels have."""

    label_noise: Annotated[float, "Probability of a false label."] = setting(
        within(0.0, 1.0, "be a probability in [0, 1]"), 0.0
    )
    slots: Annotated[
        int | None,
        "Number r <= k of distinct labels per action; if not given, an action is one label.",
    ] = setting(whole)
    sparse: Annotated[bool | None, "Show rows as pairs of index and value."] = setting(flag, True)


class Extent(NamedTuple):
    """Sizes and bounds of labelled rows.

    Attributes
    ----------
    n_labels, dim, width : int
        Number of labels k and of features d, and the largest number w of pairs of a row.
    limits : (float, float)
        Least and greatest value of a feature, with 0 between them.
    feature_norm : float
        Bound on the norm of a row.
    """

    n_labels: int
    dim: int
    width: int
    limits: tuple[float, float]
    feature_norm: float


class Multiclass(BanditVectorEnv):
    r"""A row :math:`x_t` is shown, one of k labels is played, and whether it is right is revealed.

    With ``slots`` an action is an array of r distinct labels, and it is right if the true label is
    one of them. ``info["feedback"]`` is then the label clicked: the true label if it is shown, else
    -1. The reward is 1 for right and 0 for wrong, ``info["regret"]`` is 1 minus the reward, and
    ``info["label"]`` is the true label, which agents must not see.

    With probability ``label_noise`` the label of a round is replaced by another label, uniform over
    the k - 1 others. This depends only on the seed and the round.

    A concrete environment calls ``__init__`` and defines

    - ``_start()``: an episode begins; ``self.seeds`` and ``self.episode`` are set;
    - ``_fill(t, indices, values, labels)``: write the rows of rounds t, .., t + m - 1, as pairs of
      index and value in ascending order of the index, padded with (0, 0.0), into indices (m, n, w)
      and values (m, n, w), and their labels before the noise into labels (m, n). Rounds are
      requested in order; those of a block are requested again, one by one, if the block is not
      played.

    Parameters
    ----------
    num_envs : int
        Number of independent replicates, n.
    extent : Extent
        Sizes and bounds of the data.
    horizon : int
        Rounds per episode.
    given : MulticlassSettings
        Noise of labels, slots, and whether rows are shown as pairs.
    """

    def __init__(self, num_envs: int, extent: Extent, horizon: int, given: MulticlassSettings):
        n_labels, dim, width, limits, feature_norm = extent
        self._label_noise, slots, sparse = given.label_noise, given.slots, bool(given.sparse)
        if slots is not None and slots > n_labels:
            raise ValueError(f"slots must be at most the number of labels, {n_labels}, got {slots}")
        task = MulticlassTask(
            n_labels=n_labels,
            dim=dim,
            horizon=horizon,
            slots=slots,
            sparse=sparse,
            width=width if sparse else dim,
            feature_norm=feature_norm,
        )
        if sparse:
            shown = spaces.Dict(
                indices=spaces.Box(0, dim - 1, (width,), np.int32),
                values=spaces.Box(*limits, (width,), np.float64),
            )
        else:
            shown = spaces.Box(*limits, (dim,), np.float64)
        if slots is None:
            self._set, action = FiniteArms(n_labels), spaces.Discrete(n_labels)
        else:
            self._set, action = DistinctLabels(n_labels, slots), Ranking(n_labels, slots)
        super().__init__(num_envs, task, shown, action)
        n = self.num_envs
        self._labels = np.empty((1, n), np.int64)
        self._width = width
        # Pairs of index and value, and the dense rows that they are written to.
        pairs = [(np.zeros((1, n, width), np.int32), np.zeros((1, n, width))) for _ in range(2)]
        if sparse:
            self._buffers = Alternating(_pairs_of, *((*each, None) for each in pairs))
        else:
            self._buffers = Alternating(_rows_of, *((*pairs[0], np.empty((n, dim))) for _ in pairs))

    def _start(self) -> None:
        raise NotImplementedError

    def _fill(self, t: int, indices: np.ndarray, values: np.ndarray, labels: np.ndarray) -> None:
        raise NotImplementedError

    def _begin(self) -> Any:
        self._noise_keys = self._stream(NOISE).keys
        self._start()
        return self._show(0)

    def _play(self, actions: ArrayLike, t: int):
        label = self._labels[0].copy()
        reward, regret, click = self._rewards(self._set.read(actions, self.num_envs), label)
        info = {"regret": regret, "_regret": self._yes, "label": label, "_label": self._yes}
        if self.task.slots is not None:
            info |= {"feedback": click, "_feedback": self._yes}
        return self._show(t + 1), reward, info

    def _rewards(self, played: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, ...]:
        """Reward, regret and click (c,) of ``played`` (c,) or (c, r), given the true ``labels``."""
        count = len(labels)
        reward, regret, click = np.empty(count), np.empty(count), np.empty(count, np.int64)
        rows = played.reshape(count, -1)
        bad = _reward_labels(rows, self.task.n_labels, labels, reward, regret, click)
        if bad >= 0:
            raise self._set.refusal(played, bad)
        return reward, regret, click

    def _draw(self, t: int, indices: np.ndarray, values: np.ndarray, labels: np.ndarray) -> None:
        """What ``_fill`` writes, and then the noise of the labels."""
        self._fill(t, indices, values, labels)
        if self._label_noise > 0.0:
            _falsify(self.task.n_labels, self._label_noise, self._noise_keys, t, labels)

    def _show(self, t: int) -> Any:
        """The observation of round t; also keeps its labels."""
        indices, values, rows = self._buffers.turn()
        self._draw(t, indices, values, self._labels)
        if rows is not None:
            _spread(indices[0], values[0], rows)
        return self._buffers.shown

    def _round_bytes(self) -> int | None:
        if self.task.slots is not None:
            return None
        pairs = self._width + (0 if self.task.sparse else self.task.dim)
        return self.num_envs * (12 * pairs + 8)

    def _block(self, t: int, rounds: int) -> PairsBlock:
        indices, values, labels = self._rounds(t, rounds)
        return PairsBlock(start=t, indices=indices, values=values, labels=labels)

    def _rounds(self, t: int, rounds: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Indices, values and labels, as in ``PairsBlock``, of rounds t, t + 1, .."""
        task, n, width = self.task, self.num_envs, self._width
        indices, values = np.empty((rounds, n, width), np.int32), np.empty((rounds, n, width))
        labels = np.empty((rounds, n), np.int64)
        self._draw(t, indices, values, labels)
        if not task.sparse:
            rows = np.empty((rounds * n, task.dim))
            _spread(indices.reshape(-1, width), values.reshape(-1, width), rows)
            indices, values = _every_index(rounds, n, task.dim), rows.reshape(rounds, n, task.dim)
        return indices, values, labels

    def _ahead_bytes(self) -> int | None:
        held = self._round_bytes()
        return None if held is None else held + 16 * self.task.n_labels

    def _ahead(self, t: int, rounds: int) -> Ahead:
        (indices, values, labels), k = self._rounds(t, rounds), self.task.n_labels
        every = np.tile(np.arange(k), rounds)
        reward, regret, _ = self._rewards(every, np.repeat(labels, k))
        shown: Any = list(values[:, 0])
        if self.task.sparse:
            pairs = zip(indices[:, 0], shown, strict=True)
            shown = [{"indices": indices, "values": values} for indices, values in pairs]
        tables = reward.reshape(rounds, k), regret.reshape(rounds, k), labels[:, 0]
        return Ahead(t, rounds, shown.__getitem__, play_from_table(FiniteArms(k), *tables))

    def _play_block(self, block: PairsBlock, actions: ArrayLike):
        shape = block.labels.shape
        played = FiniteArms(self.task.n_labels).read_rounds(actions, *shape)
        label = block.labels.flatten()  # a copy, which can be written to
        reward, regret, _ = self._rewards(played.ravel(), label)
        info = {"regret": regret.reshape(shape), "label": label.reshape(shape)}
        return reward.reshape(shape), info


def _pairs_of(buffer: tuple[np.ndarray, np.ndarray, None]) -> dict[str, np.ndarray]:
    """Views (n, w) of the pairs."""
    return {"indices": buffer[0][0], "values": buffer[1][0]}


def _rows_of(buffer: tuple[np.ndarray, np.ndarray, np.ndarray]) -> np.ndarray:
    """A view (n, d) of the dense rows."""
    return buffer[2].view()


@functools.lru_cache(maxsize=2)
def _every_index(rounds: int, n: int, dim: int) -> np.ndarray:
    """The indices (m, n, d) of dense rows."""
    return read_only(np.tile(np.arange(dim, dtype=np.int32), (rounds, n, 1)))


@compiled
def _falsify(n_labels, label_noise, keys, t, labels):
    """Apply the noise of rounds t, t + 1, .. to their labels (m, n)."""
    rounds, n = labels.shape
    u, v = np.empty(n), np.empty(n)  # whether a label is false, and which one it is then
    for s in range(rounds):
        each_pair(keys, t + s, u, v)
        for i in range(n):
            if u[i] < label_noise:
                other = np.int64(v[i] * (n_labels - 1))
                labels[s, i] = other + 1 if other >= labels[s, i] else other


@compiled
def _reward_labels(played, n_labels, labels, reward, regret, click):
    """Reward, regret and click (c,) of the labels (c, r) played, given the true ``labels`` (c,).

    Returns the first row whose action is illegal, before anything is written, or -1.
    """
    bad = first_bad_label(played, n_labels)
    if bad >= 0:
        return bad
    for i in range(labels.shape[0]):
        right = False
        for slot in range(played.shape[1]):
            right |= played[i, slot] == labels[i]
        click[i] = labels[i] if right else -1
        reward[i] = 1.0 if right else 0.0
        regret[i] = 0.0 if right else 1.0
    return -1


@compiled
def _spread(indices, values, rows):
    """Write the pairs (n, w) into dense rows (n, d); padding adds nothing."""
    rows[:] = 0.0
    for i in range(indices.shape[0]):
        for j in range(indices.shape[1]):
            rows[i, indices[i, j]] += values[i, j]
