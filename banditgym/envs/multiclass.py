"""Environments that show a row and reveal only whether the label played was right."""

import functools
from typing import Annotated, NamedTuple

import numpy as np
from gymnasium import spaces

from banditgym.compiled import compiled
from banditgym.rounds.blocks import PairsBlock
from banditgym.rounds.read_only import read_only
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
    labels : tuple of str or None
        The names of the labels; None if they are numbers.
    """

    n_labels: int
    dim: int
    width: int
    limits: tuple[float, float]
    feature_norm: float
    labels: tuple[str, ...] | None = None


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
      requested in order; those of a block that is not played are requested again.

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
        n_labels, dim, width, limits, feature_norm, labels = extent
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
            labels=labels,
        )
        if sparse:
            shown = spaces.Dict(
                indices=spaces.Box(0, dim - 1, (width,), np.int32),
                values=spaces.Box(*limits, (width,), np.float64),
            )
        else:
            shown = spaces.Box(*limits, (dim,), np.float64)
        action = spaces.Discrete(n_labels) if slots is None else Ranking(n_labels, slots)
        super().__init__(num_envs, task, shown, action)
        self._width = width

    def _start(self) -> None:
        raise NotImplementedError

    def _fill(self, t: int, indices: np.ndarray, values: np.ndarray, labels: np.ndarray) -> None:
        raise NotImplementedError

    def _begin(self) -> None:
        self._noise_keys = self._stream(NOISE).keys
        self._start()

    def _rounds(self, t: int, rounds: int) -> PairsBlock:
        task, n, width = self.task, self.num_envs, self._width
        indices, values = np.empty((rounds, n, width), np.int32), np.empty((rounds, n, width))
        labels = np.empty((rounds, n), np.int64)
        self._fill(t, indices, values, labels)
        if self._label_noise > 0.0:
            _falsify(task.n_labels, self._label_noise, self._noise_keys, t, labels)
        if not task.sparse:
            rows = np.empty((rounds * n, task.dim))
            _spread(indices.reshape(-1, width), values.reshape(-1, width), rows)
            indices, values = _every_index(rounds, n, task.dim), rows.reshape(rounds, n, task.dim)
        return PairsBlock(
            start=t,
            playable=task.slots is None,
            indices=indices,
            values=values,
            labels=labels,
            sparse=task.sparse,
        )

    def _reward(self, block: PairsBlock, places: np.ndarray, actions: np.ndarray):
        shape = actions.shape[:2]
        reward, regret = np.empty((2, *shape))
        label, click = np.empty((2, *shape), np.int64)
        _reward_labels(
            block.labels, places, actions.reshape(*shape, -1), reward, regret, label, click
        )
        info = {"regret": regret, "label": label}
        if self.task.slots is not None:
            info["feedback"] = click
        return reward, info


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
def _reward_labels(labels, places, played, reward, regret, label, click):
    """Write the rewards of the labels (c, n, r) played in rounds ``places``, and their infos."""
    for j in range(played.shape[0]):
        for i in range(played.shape[1]):
            true, right = labels[places[j], i], False
            for slot in range(played.shape[2]):
                right |= played[j, i, slot] == true
            label[j, i], click[j, i] = true, true if right else -1
            reward[j, i] = 1.0 if right else 0.0
            regret[j, i] = 0.0 if right else 1.0


@compiled
def _spread(indices, values, rows):
    """Write the pairs (n, w) into dense rows (n, d); padding adds nothing."""
    rows[:] = 0.0
    for i in range(indices.shape[0]):
        for j in range(indices.shape[1]):
            rows[i, indices[i, j]] += values[i, j]
