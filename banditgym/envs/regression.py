"""Online regression: predict a number from a row of features, then observe it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from gymnasium import spaces

from banditgym.compiled import compiled, inlined
from banditgym.envs.noise import Noise
from banditgym.envs.parameters import hidden_theta
from banditgym.envs.shared_settings import FeatureSettings, NoiseSettings, ParameterSettings
from banditgym.linalg.triangular import absorb_row, all_span, initial_factor
from banditgym.linalg.triangular_rounds import absorb_rows
from banditgym.rounds.blocks import RowsBlock
from banditgym.settings import configured, one_of, setting
from banditgym.tasks import BEST_FIT, PARAMETER, RegressionTask
from banditgym.validation import positive, real
from banditgym.vector_env import CONTEXTS, NOISE, THETA, BanditVectorEnv, Played

_OUTCOMES = ("linear", "random", "adaptive")
_LINEAR, _RANDOM, _ADAPTIVE = range(len(_OUTCOMES))
# Times d ‖x‖: a component of a row outside the span of earlier rows, up to this length, is
# rounding.
_ROUNDING = 64 * 2.0**-52


@dataclass(frozen=True, kw_only=True, eq=False)
class _DrawnRows(RowsBlock):
    """A block, with what its payment needs.

    Parameters
    ----------
    rows : ndarray of shape (m, d, n)
        The features.
    drawn : ndarray of shape (3, m, n)
        The means of the outcomes, their noise, and the outcomes.
    """

    rows: np.ndarray
    drawn: np.ndarray


class RegressionSettings(NoiseSettings, ParameterSettings, FeatureSettings):
    """The settings of ``OnlineRegression``."""

    outcomes: Annotated[
        str,
        "The outcomes y, as above. The settings of noise and parameter are only for ``linear``.",
    ] = setting(one_of(_OUTCOMES), "linear")
    outcome_bound: Annotated[float | None, "Y > 0, for ``random`` and ``adaptive`` outcomes."] = (
        setting(positive, otherwise=1.0)
    )
    bound: Annotated[
        float | None,
        "Largest absolute value of a prediction, > 0, with a relative tolerance of 1e-9; if not "
        "given, a prediction may be any finite number.",
    ] = setting(positive)
    # None where outcomes have no such noise.
    noise_std: Annotated[  # type: ignore[assignment]
        float | None,
        r"Standard deviation :math:`\sigma \ge 0` of the noise, in units of the outcome.",
    ] = setting(real, otherwise=0.1)
    noise: str | None = setting(  # type: ignore[assignment]
        one_of(Noise.additive), otherwise="gaussian"
    )
    noise_df: float | None = setting(real, otherwise=3.0)  # type: ignore[assignment]
    contexts: Annotated[
        str | Path | np.ndarray,
        '{"ball", "sphere", "cube", "gaussian"}, array (N, d), or path',
        "Distribution of the rows, or rows (an array, .npy or .csv) to draw from; see "
        "``banditgym.envs.contexts.Contexts``.",
    ] = setting(default="ball")


@configured(RegressionSettings)
class OnlineRegression(BanditVectorEnv):
    r"""Rows of features, each with a number to predict.

    In round :math:`t` a row :math:`x_t` in :math:`\mathbb{R}^d` is shown, a number :math:`\hat y_t`
    is predicted, and :math:`y_t` is revealed as ``info["feedback"]``. The reward is :math:`-(\hat
    y_t - y_t)^2`. The setting ``outcomes`` determines :math:`y_t`:

    - ``linear``: :math:`\langle x_t, \theta_i \rangle + \varepsilon_t`, with a hidden
      :math:`\theta_i` drawn by ``reset`` and noise of mean 0 and variance :math:`\sigma^2`, i.i.d.;
    - ``random``: Y or -Y by a fair coin, independent of the row;
    - ``adaptive``: -Y if the prediction is > 0, else Y: the adversary sees the prediction.

    Rows, noise and coins of a round depend only on the seed and the round: on one seed all agents
    see the same rows and the same noise.

    Observations are rows of shape (n, d), actions predictions of shape (n,), or (n, 1). Two
    measures of shape (n,) are increments, each of which may be negative:

    - ``info["regret_batch"]``: against the best fit of the rounds so far, eq. (1) of [1]_,

      .. math:: \sum_{s \le t} (\hat y_s - y_s)^2
          - \min_\theta \sum_{s \le t} (y_s - \langle x_s, \theta \rangle)^2;

    - ``info["regret"]``: against the hidden parameter, eq. (6) of [1]_,

      .. math:: \sum_{s \le t} (\hat y_s - y_s)^2 - (\langle x_s, \theta_i \rangle - y_s)^2;

      ``random`` and ``adaptive`` outcomes have no parameter, and this measure is then
      ``regret_batch``.

    The sum of ``regret_batch`` is never below that of ``regret``. No increment is a difference of
    sums over rounds, so both are accurate to rounding over millions of rounds; for ``regret_batch``
    the condition number of the rows multiplies the error. Per replicate the best fit takes O(d²)
    time per round, and d (d + 5) / 2 numbers of memory.

    Notes
    -----
    Hidden: the parameter θ if outcomes are linear, the adversary's strategy if they are not, and
    the outcome of a row until it is predicted.

    References
    ----------
    .. [1] R. Ouhamma, O.-A. Maillard, V. Perchet. Stochastic Online Linear Regression: the Forward
       Algorithm to Replace Ridge. NeurIPS 2021.

    Examples
    --------
    >>> import gymnasium, banditgym
    >>> envs = gymnasium.make_vec("OnlineRegression-v0", num_envs=3, dim=2, noise_std=0.0)
    >>> rows, _ = envs.reset(seed=0)
    >>> rows.shape
    (3, 2)
    >>> _, reward, _, _, info = envs.step([0.0, 0.1, -0.1])
    >>> bool((reward == -info["regret"]).all())
    True
    """

    def _set_up(self, num_envs: int, given: RegressionSettings) -> None:
        self._outcomes = _OUTCOMES.index(given.outcomes)
        linear = self._outcomes == _LINEAR
        given.refuse_given(
            ("outcome_bound",) if linear else (*NoiseSettings.own, *ParameterSettings.own),
            f"has no meaning where outcomes is {given.outcomes!r}; leave it out",
        )
        self._distribution = given.distribution
        dim, bound = self._distribution.dim, given.bound
        self._given_theta = param_norm = outcome_bound = None
        if linear:
            self._law = given.law
            self._given_theta, param_norm = given.parameter(dim)
        else:
            outcome_bound = given.filled("outcome_bound")
            self._law = Noise("rademacher", outcome_bound)  # the coin
        task = RegressionTask(
            dim=dim,
            horizon=given.rounds,
            noise_std=self._law.std if linear else None,
            subgaussian=self._law.subgaussian if linear else None,
            feature_norm=self._distribution.bound,
            param_norm=param_norm,
            outcome_bound=outcome_bound,
            bound=bound,
            adaptive=self._outcomes == _ADAPTIVE,
            regret=PARAMETER if linear else BEST_FIT,
        )
        most = math.inf if bound is None else bound
        super().__init__(
            num_envs,
            task,
            spaces.Box(*self._distribution.limits, (dim,), np.float64),
            spaces.Box(-most, most, (), np.float64),
        )
        self._theta = np.zeros((num_envs, dim))
        # The best fit uses rows scaled by a power of two, whose squares stay in range.
        unit = math.ldexp(1.0, min(1023, -math.frexp(self._distribution.norm)[1]))
        fit = initial_factor(num_envs, dim), unit, np.ones(num_envs, bool)
        # What all rounds of an episode share, for kernels: the kind of outcomes, and the best fit.
        self._model = (self._outcomes, self._law.scale, self._theta), fit

    def _begin(self) -> None:
        if self._outcomes == _LINEAR:
            dim, norm = self.task.dim, self.task.param_norm
            self._theta[:] = hidden_theta(self._given_theta, self._stream(THETA), norm, dim)
        self._noise_keys = self._stream(NOISE).keys
        self._context_keys = self._stream(CONTEXTS).keys
        self._model[1][0][:] = 0.0

    def _rounds(self, t: int, rounds: int) -> _DrawnRows:
        rows = self._distribution.rows_of_rounds(self._context_keys, t, rounds)
        drawn = np.empty((3, rounds, self.num_envs))
        drawn[1] = self._law.draw_rounds(self._noise_keys, t, rounds)
        fill_outcomes(rows, self._theta, drawn)
        return _DrawnRows(
            start=t,
            playable=not self.task.adaptive,
            features=rows.transpose(0, 2, 1)[..., None],
            outcomes=drawn[2],
            rows=rows,
            drawn=drawn,
        )

    def _reward(self, block: _DrawnRows, places: np.ndarray, actions: np.ndarray):
        shares = np.empty((4, *actions.shape))
        score_rounds(self._model, block.rows, block.drawn, places[0], actions, shares)
        outcome, reward, regret, batch = shares
        return reward, {"regret": regret, "regret_batch": batch, "feedback": outcome}

    def _reward_one(self, block: _DrawnRows) -> Callable[[int, Any], Played]:
        model, rows, drawn = self._model, block.rows, block.drawn
        played, shares, read_one = np.empty((1, 1)), np.empty((4, 1, 1)), self._set.read_one

        def play(s: int, action: Any) -> Played:
            played[0, 0] = read_one(action)
            score_rounds(model, rows, drawn, s, played, shares)
            outcome, reward, regret, batch = shares.ravel().tolist()
            return reward, {"regret": regret, "regret_batch": batch, "feedback": outcome}

        return play


@compiled
def fill_outcomes(rows, theta, drawn):
    """Write the means of the rows (m, d, n), and the outcomes with their noise, to ``drawn``."""
    (rounds, dim, n), means, noise, outcomes = rows.shape, drawn[0], drawn[1], drawn[2]
    weights = theta.T.copy()
    means[:] = 0.0
    for s in range(rounds):
        for j in range(dim):
            for i in range(n):
                means[s, i] += rows[s, j, i] * weights[j, i]
        for i in range(n):
            outcomes[s, i] = means[s, i] + noise[s, i]


@compiled
def score_rounds(model, rows, drawn, first, played, shares):
    """Write outcomes, rewards, regret and regret_batch, the rows of ``shares`` (4, c, n).

    The predictions ``played`` (c, n) are those of c rounds, from round ``first`` of a block on. The
    best fit learns the rounds.
    """
    (kind, scale, _), (fit, unit, everyone) = model
    means, noise, outcomes = drawn[0], drawn[1], drawn[2]
    outcome, reward, regret, batch = shares[0], shares[1], shares[2], shares[3]
    rounds, n = played.shape
    for s in range(rounds):
        for i in range(n):
            outcome[s, i] = outcomes[first + s, i]
            if kind == _ADAPTIVE:
                outcome[s, i] = -scale if played[s, i] > 0.0 else scale
    s = 0
    while s < rounds and not all_span(fit, rows.shape[1], n):
        _absorb(fit, unit, everyone, rows[first + s].T, outcome[s], batch[s])
        s += 1
    # Scaled rows are short, so that none is refused.
    absorb_rows(fit, rows[first + s : first + rounds], unit, outcome[s:], None, None, batch[s:])
    for s in range(rounds):
        for i in range(n):
            reward[s, i], batch[s, i] = _reward_and_residual(
                played[s, i], outcome[s, i], batch[s, i]
            )
            if kind == _LINEAR:
                regret[s, i] = _regret(played[s, i], means[first + s, i], noise[first + s, i])
            else:
                regret[s, i] = batch[s, i]


@inlined
def _regret(played, mean, noise):
    # (p - y)² - (mean - y)² without the cancellation of two large squares
    miss = played - mean
    return miss * (miss - 2.0 * noise)


@inlined
def _reward_and_residual(played, outcome, residual):
    """Reward and regret_batch, given by how much the error of the best fit grows."""
    miss = played - outcome
    return -(miss * miss), miss * miss - residual * residual


@inlined
def _absorb(fit, unit, everyone, rows, outcome, residual):
    """Add a round's rows (n, d) to the best fit; writes ``residual`` of ``absorb_row``."""
    n, dim = rows.shape
    scaled = np.empty((n, dim, 1))
    for i in range(n):
        for j in range(dim):
            scaled[i, j, 0] = unit * rows[i, j]
    absorb_row(fit, scaled, outcome, everyone, _ROUNDING * dim, residual)
