"""K-armed bandits whose means change during an episode."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Annotated, Any, NamedTuple

import numpy as np

from banditgym.compiled import compiled, inlined
from banditgym.elementary import exp
from banditgym.envs.armed import ArmedBandit, ArmedSettings
from banditgym.envs.besson_problems import HORIZON, PROBLEMS
from banditgym.envs.changes import read_changes
from banditgym.envs.noise import Noise
from banditgym.rounds.blocks import MeansBlock
from banditgym.settings import configured, one_of, setting, within
from banditgym.streams import fill_normal, fill_uniform
from banditgym.validation import reals
from banditgym.vector_env import ARMS, CHANGES, THETA


class DriftingArmedSettings(ArmedSettings):
    """The settings of ``DriftingArmedBandit``."""

    changes: Annotated[
        int | Sequence[int] | np.ndarray | None,
        "int or sequence of ints, optional",
        "The rounds after which the means jump, counted from 1 and the same for all replicates; "
        "or a number S, which draws a set of S rounds for each instance, uniformly among all sets. "
        "By default one fewer than ``means`` has rows; without it 1, or 0 if means walk or decay.",
    ] = setting()
    walk_std: Annotated[
        float, "Standard deviation of the step that each mean takes from a round to the next."
    ] = setting(within(0.0, 1e150, "lie within 0 .. 1e150 for means to be finite"), 0.0)
    rotting: Annotated[
        Any,
        "float or array (K,), optional",
        r"Rates of decay :math:`\rho_a \ge 0` of the arms, shuffled with their means. A number is "
        "the largest rate: each instance draws the rate of each arm uniformly between 0 and it.",
    ] = setting()
    means: Annotated[
        np.ndarray | None,
        "array (S + 1, K) or (K,), optional",
        "The means at the beginning of each segment; if not given, drawn uniformly on [0, 1].",
    ] = setting(reals)
    noise: Annotated[
        str,
        "Distribution of the rewards: ``bernoulli``, or the noise of "
        "``banditgym.envs.noise.Noise`` that is added to the means.",
    ] = setting(one_of(("bernoulli", *Noise.additive)), "bernoulli")
    problem: Annotated[
        str | None,
        "A problem of Besson et al. in place of ``means`` and ``changes``. The horizon is then "
        "20,000 unless it is given; the rounds of the jumps do not depend on it.",
    ] = setting(one_of(tuple(PROBLEMS)))

    @property
    def rounds(self) -> int:
        """Rounds per episode, T."""
        if self.problem is not None and not self.has_horizon:
            return HORIZON
        return super().rounds

    def resolve(self) -> None:
        """Set the means and changes of ``problem``, and make given means an array (S + 1, K)."""
        self.refuse_given(("samples",), "have means that cannot drift")
        if self.problem is not None:
            self.refuse_given(("means", "changes"), "is a part of the problem; leave it out")
            breaks, rows = PROBLEMS[self.problem]
            self.changes = [first - 1 for first in breaks if first <= self.rounds]
            self.means = np.array(rows[: len(self.changes) + 1])
        if (means := self.means) is not None:
            if means.ndim not in (1, 2) or means.size == 0:
                raise ValueError(f"means must be of shape (S + 1, K) or (K,), got {means.shape}")
            illegal = (means < 0) | (means > 1)
            if self.noise == "bernoulli" and illegal.any():
                raise ValueError(f"means must be probabilities in [0, 1], got {means[illegal][0]}")
            self.means = np.atleast_2d(means)

    def rates(self, n_arms: int) -> np.ndarray:
        """The rates of decay (K,), or () for the largest of drawn ones."""
        rates = reals("rotting", 0.0 if self.rotting is None else self.rotting)
        if rates.shape not in ((), (n_arms,)):
            raise ValueError(f"rotting must be a number or of shape ({n_arms},), got {rates.shape}")
        if (rates < 0).any():
            raise ValueError(f"rotting must be >= 0, got {rates.min()}")
        return rates


class Drift(NamedTuple):
    """How the means of an episode move."""

    mean_keys: np.ndarray  # (n, 2), of the drawn means of segments
    step_keys: np.ndarray  # (n, 2), of the steps of walks
    starts: np.ndarray  # (n, S + 1), the first round of each segment
    given: np.ndarray  # (S + 1, n, K), the means of segments; no rows where they are drawn
    walk_std: float
    reflects: bool
    rates: np.ndarray  # (n, K)


@configured(DriftingArmedSettings)
class DriftingArmedBandit(ArmedBandit):
    r"""A K-armed bandit whose means jump at some rounds, walk, decay, or all of it.

    S changes divide an episode into S + 1 segments. In segment :math:`s`, whose first round is
    :math:`t_s`, arm :math:`a` has in round :math:`t` the mean

    .. math:: \mu_{t,a} = e^{-\rho_a (t - t_s)} w_{t,a}, \qquad
        w_{t+1,a} = w_{t,a} + \sigma_w z_{t+1,a},

    with independent standard normal :math:`z` and :math:`\sigma_w` = ``walk_std``. The walk begins
    anew at :math:`t_s`: from a row of ``means``, or uniform on [0, 1]. For Bernoulli rewards it is
    reflected at 0 and 1, where a clipped walk would stay; reflection keeps the uniform
    distribution, so drawn means are uniform on [0, 1] in every round unless they decay. Means of
    Gaussian rewards walk without bounds.

    Decay (``rotting``) goes by rounds, not by plays of the arm: restless, not rested, rotting.
    The reward of a round and an arm is then the same number whatever was played before, so that
    agents are compared on paired rewards, and the best arm of a round is the same for all. A mean
    below 0 rises to 0.

    The first means and the noise are those of ``ArmedBandit`` with the same seed and settings.
    Environments that differ only in their drift are therefore paired. Without drift (``changes=0``,
    and no ``walk_std`` or ``rotting``) the environment is ``ArmedBandit`` bit for bit. The
    comparator of ``info["regret"]`` is the best arm of the round; its sum is the dynamic regret.

    Agents know the same facts as in ``ArmedBandit``. They do not know that means may drift.

    Notes
    -----
    Hidden: the means of every round, when they change and by how much.

    References
    ----------
    L. Besson, E. Kaufmann, O.-A. Maillard, J. Seznec. Efficient Change-Point Detection for Tackling
    Piecewise-Stationary Bandits. Journal of Machine Learning Research 23, 2022.

    A. Slivkins, E. Upfal. Adapting to a Changing Environment: the Brownian Restless Bandits. COLT
    2008: reflected walks.

    J. Seznec, P. Ménard, A. Lazaric, M. Valko. A Single Algorithm for Both Restless and Rested
    Rotting Bandits. AISTATS 2020.

    Examples
    --------
    >>> import gymnasium, banditgym
    >>> settings = {"means": [[0.9, 0.8], [0.1, 0.8]], "changes": [2]}
    >>> envs = gymnasium.make_vec("DriftingArmedBandit-v0", num_envs=2, **settings)
    >>> _ = envs.reset(seed=0)
    >>> [envs.step([0, 1])[4]["regret"].round(6).tolist() for _ in range(3)]
    [[0.0, 0.1], [0.0, 0.1], [0.7, 0.0]]
    """

    # Called by its own constructor alone.
    def _set_up(self, num_envs: int, given: DriftingArmedSettings) -> None:  # type: ignore[override]
        given.resolve()
        rows = given.means
        given.means = None if rows is None else rows[0]
        super()._set_up(num_envs, given)
        self._walk_std, self._rates = given.walk_std, given.rates(self.task.n_arms)
        moves = bool(self._walk_std > 0 or self._rates.any())
        self._changes = read_changes(given.changes, self.task.horizon, "means", rows, moves)
        self._drifts = moves or self._changes.number > 0
        self._rows = np.empty((0, self.task.n_arms)) if rows is None else rows

    def _begin(self) -> None:
        super()._begin()
        arms, changes = self._stream(ARMS), self._stream(CHANGES)
        places = np.tile(np.arange(self.task.n_arms), (self.num_envs, 1))
        if self._shuffled and len(self._rows):  # as ArmedBandit shuffles
            places = np.argsort(arms.uniform(0, places.shape[1:]), axis=1, kind="stable")
        if self._rates.ndim == 0:
            rates = self._rates * self._stream(THETA).uniform(0, places.shape[1:])
        else:
            rates = self._rates[places]
        self._drift = Drift(
            mean_keys=arms.keys,
            step_keys=changes.keys,  # of rounds 1, 2, ..: round 0 has the rounds of change
            starts=self._changes.starts(changes),
            given=self._rows[:, places],
            walk_std=self._walk_std,
            reflects=self.task.bernoulli,
            rates=rates,
        )
        # The walks (n, K) at the beginning, and at both ends of the last rounds that were made.
        self._walks = {0: self._means}

    def _rounds(self, t: int, rounds: int) -> MeansBlock:
        block = super()._rounds(t, rounds)
        if not self._drifts:
            return block
        means = np.empty((rounds, self.num_envs, self.task.n_arms))
        best = np.empty((rounds, self.num_envs))
        known = max(s for s in self._walks if s <= t)
        segments = (self._drift.starts <= known).sum(axis=1) - 1
        walks, first = self._walks[known].copy(), np.empty_like(self._means)
        _fill_means(self._drift, segments, known, t, walks, first, means, best)
        self._walks = {0: self._means, t: first, t + rounds - 1: walks}
        return replace(block, means=means, best=best)

    @cached_property
    def _round_bytes(self) -> int:
        means = 8 * self.num_envs * self.task.n_arms if self._drifts else 0
        return super()._round_bytes + means


@compiled
def _fill_means(drift, segments, known, t, walks, first, means, best):
    """Write the means (m, n, K) of rounds t, t + 1, .. and the best (m, n) of them.

    ``walks`` (n, K) are those of round ``known``, at most t, which is in ``segments`` (n,), and
    become those of the last round; ``first`` becomes those of round t.
    """
    steps = np.empty(walks.shape[1])
    for i in range(walks.shape[0]):
        segment = segments[i]
        for s in range(known, t + means.shape[0]):
            if s > known:
                segment = _move(drift, i, s, segment, steps, walks[i])
            if s == t:
                for k in range(steps.size):
                    first[i, k] = walks[i, k]
            if s >= t:
                age = s - drift.starts[i, segment]
                best[s - t, i] = _decay(drift.rates[i], age, walks[i], means[s - t, i])


@inlined
def _move(drift, i, s, segment, steps, walk):
    """Move the walk (K,) of replicate i from a round of ``segment`` to the next, s.

    Returns the segment of round s.
    """
    begun = segment + 1
    if begun < drift.starts.shape[1] and drift.starts[i, begun] == s:
        if drift.given.shape[0] == 0:
            fill_uniform(drift.mean_keys[i, 0], drift.mean_keys[i, 1], begun, walk)
        else:
            for k in range(walk.size):
                walk[k] = drift.given[begun, i, k]
        return begun
    if drift.walk_std > 0:
        fill_normal(drift.step_keys[i, 0], drift.step_keys[i, 1], s, steps)
        for k in range(walk.size):
            moved = walk[k] + drift.walk_std * steps[k]
            if drift.reflects:
                moved -= 2.0 * np.floor(0.5 * moved)  # within 0 .. 2, where the walk is unfolded
                moved = min(moved, 2.0 - moved)
            walk[k] = moved
    return segment


@inlined
def _decay(rates, age, walk, means):
    """Write the means (K,), ``age`` rounds after the first of a segment; returns the largest."""
    best = -np.inf
    for k in range(walk.size):
        means[k] = walk[k]
        if rates[k] > 0:
            means[k] *= exp(-rates[k] * age)
        best = max(best, means[k])
    return best
