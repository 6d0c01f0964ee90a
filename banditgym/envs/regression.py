"""Online regression: predict a number from a row of features, then observe it."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike

from banditgym.action_sets import TOLERANCE
from banditgym.compiled import compiled, inlined
from banditgym.envs.noise import Noise, unit_noise
from banditgym.envs.parameters import hidden_theta
from banditgym.envs.shared_settings import FeatureSettings, NoiseSettings, ParameterSettings
from banditgym.linalg.triangular import absorb_row, all_span, initial_factor
from banditgym.linalg.triangular_rounds import absorb_rows
from banditgym.rounds.blocks import RowsBlock
from banditgym.rounds.prepared_rounds import Ahead, Played
from banditgym.rounds.read_only import Alternating, read_only
from banditgym.settings import configured, one_of, setting
from banditgym.tasks import BEST_FIT, PARAMETER, RegressionTask
from banditgym.validation import brief, positive, real
from banditgym.vector_env import CONTEXTS, NOISE, THETA, BanditVectorEnv

_OUTCOMES = ("linear", "random", "adaptive")
_LINEAR, _RANDOM, _ADAPTIVE = range(len(_OUTCOMES))
_LARGEST = np.finfo(np.float64).max
# Times d ‖x‖: a component of a row outside the span of earlier rows, up to this length, is
# rounding.
_ROUNDING = 64 * 2.0**-52


@dataclass(frozen=True, kw_only=True, eq=False)
class _DrawnRows(RowsBlock):
    """A block, with the means (m, n) of its outcomes and their noise (m, n)."""

    means: np.ndarray
    noise: np.ndarray


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
            self._law = Noise(
                given.filled("noise"),
                given.filled("noise_std"),
                given.filled("noise_df"),
            )
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
        self._limit = min(most * (1 + TOLERANCE), _LARGEST)
        self._features = Alternating(_rows_of, *np.empty((2, num_envs, dim, 1)))
        self._played = np.empty(num_envs)
        self._theta = np.zeros((num_envs, dim))
        self._everyone = np.ones(num_envs, bool)
        self._fit = initial_factor(num_envs, dim)
        # The best fit uses rows scaled by a power of two, whose squares stay in range.
        self._unit = math.ldexp(1.0, min(1023, -math.frexp(self._distribution.norm)[1]))

    def _begin(self) -> np.ndarray:
        if self._outcomes == _LINEAR:
            dim, norm = self.task.dim, self.task.param_norm
            self._theta[:] = hidden_theta(self._given_theta, self._stream(THETA), dim, norm)
        self._noise_keys = self._stream(NOISE).keys
        self._context_keys = self._stream(CONTEXTS).keys
        self._fit[:] = 0.0
        # What all rounds of an episode share, for kernels.
        self._episode = (
            (self._outcomes, self._law.law, self._noise_keys, self._theta),
            (self._fit, self._unit, self._everyone, self._limit),
        )
        return self._show(0)

    def _play(self, actions: ArrayLike, t: int):
        self._read(actions)
        shares = np.empty((4, self.num_envs))
        bad = _score(self._episode, t, self._features.shown[:, :, None], self._played, shares)
        if bad >= 0:
            raise ValueError(self._refusal(bad))
        outcome, reward, regret, batch = shares
        yes = self._yes
        info = {
            "regret": regret,
            "_regret": yes,
            "regret_batch": batch,
            "_regret_batch": yes,
            "feedback": outcome,
            "_feedback": yes,
        }
        return self._show(t + 1), reward, info

    def _round_bytes(self) -> int | None:
        return None if self.task.adaptive else 8 * self.num_envs * (self.task.dim + 3)

    def _block(self, t: int, rounds: int) -> "_DrawnRows":
        rows = self._distribution.rows_of_rounds(self._context_keys, t, rounds)
        noise = self._law.draw_rounds(self._noise_keys, t, rounds)
        means, outcomes = np.empty_like(noise), np.empty_like(noise)
        fill_outcomes(rows, self._theta, noise, means, outcomes)
        features = rows.transpose(0, 2, 1)[..., None]
        return _DrawnRows(start=t, features=features, outcomes=outcomes, means=means, noise=noise)

    def _play_block(self, block: "_DrawnRows", actions: ArrayLike):
        n, rounds = self.num_envs, len(block.outcomes)
        played = np.ascontiguousarray(actions, dtype=np.float64)
        if played.shape != (rounds, n):
            raise ValueError(f"expected predictions of shape {(rounds, n)}, got {played.shape}")
        reward, regret, batch = (np.empty((rounds, n)) for _ in range(3))
        drawn = block.across, block.outcomes, block.means, block.noise
        bad = score_rounds(self._episode, drawn, played, reward, regret, batch)
        if bad >= 0:
            t, replicate = divmod(bad, n)
            self._played[:] = played[t]
            raise ValueError(self._refusal(replicate))
        info = {"regret": regret, "regret_batch": batch}
        return reward, info

    def _ahead_bytes(self) -> int:
        return 8 * self.task.dim

    def _ahead(self, t: int, rounds: int) -> Ahead:
        features = np.empty((rounds, 1, self.task.dim, 1))
        self._distribution.fill_rounds(self._context_keys, t, features)
        features, shares = read_only(features), np.empty((4, 1))

        def play(i: int, action: Any) -> Played:
            if type(action) is float:
                self._played[0] = action
            else:
                self._read([action])
            if _score(self._episode, t + i, features[i], self._played, shares) >= 0:
                raise ValueError(self._refusal(0))
            [outcome], [reward], [regret], [batch] = shares.tolist()
            return reward, {"regret": regret, "regret_batch": batch, "feedback": outcome}

        return Ahead(t, rounds, list(features.copy()[:, 0, :, 0]).__getitem__, play)

    def _show(self, t: int) -> np.ndarray:
        """The observation of round t."""
        self._distribution.fill(self._context_keys, t, self._features.turn())
        return self._features.shown

    def _read(self, actions: ArrayLike) -> None:
        """Copy predictions (n,) for the kernel, which checks their range."""
        try:
            predictions = np.asarray(actions)
        except ValueError:  # sequences of different lengths
            predictions = np.empty(0, object)
        if predictions.shape == (self.num_envs, 1):  # of clients that have no boxes of shape ()
            predictions = predictions[:, 0]
        if predictions.dtype.kind not in "fiu" or predictions.shape != self._played.shape:
            raise ValueError(
                f"expected {self.num_envs} predictions, each a number, got {brief(actions)} of "
                f"shape {predictions.shape}, {predictions.dtype}"
            )
        self._played[:] = predictions

    def _refusal(self, replicate: int) -> str:
        value, bound = self._played[replicate], self.task.bound
        rule = "finite" if bound is None else f"within -{bound} .. {bound}"
        return f"prediction {value} of replicate {replicate} is not {rule}"


def _rows_of(features: np.ndarray) -> np.ndarray:
    """A view (n, d) of features (n, d, 1)."""
    return features[:, :, 0]


@inlined
def _mean(features, theta, i):
    mean = 0.0
    for j in range(theta.shape[1]):
        mean += features[i, j, 0] * theta[i, j]
    return mean


@compiled
def fill_outcomes(rows, theta, noise, means, outcomes):
    """Write the means of the rows (m, d, n), and the outcomes with their noise, (m, n)."""
    rounds, dim, n = rows.shape
    weights = theta.T.copy()
    means[:] = 0.0
    for s in range(rounds):
        for j in range(dim):
            for i in range(n):
                means[s, i] += rows[s, j, i] * weights[j, i]
        for i in range(n):
            outcomes[s, i] = means[s, i] + noise[s, i]


@compiled
def score_rounds(episode, drawn, played, reward, regret, batch):
    """What :func:`_score` writes, (m, n), of the predictions ``played`` (m, n) on drawn rows.

    Returns -1. If a prediction is not within ``limit``, nothing is written, and it returns s n + i
    for the first such prediction, that of replicate i after s rounds.
    """
    (kind, _, _, _), (fit, unit, everyone, limit) = episode
    rows, outcomes, means, noise = drawn
    rounds, n = played.shape
    for s in range(rounds):
        for i in range(n):
            if not abs(played[s, i]) <= limit:
                return s * n + i
    s = 0
    while s < rounds and not all_span(fit, rows.shape[1], n):
        _absorb(fit, unit, everyone, rows[s].T, outcomes[s].copy(), batch[s])
        s += 1
    # Scaled rows are short, so that none is refused.
    absorb_rows(fit, rows[s:], unit, outcomes[s:], None, None, batch[s:])
    for s in range(rounds):
        for i in range(n):
            if kind == _LINEAR:
                regret[s, i] = _regret(played[s, i], means[s, i], noise[s, i])
            reward[s, i], batch[s, i] = _reward_and_residual(
                played[s, i], outcomes[s, i], batch[s, i]
            )
            if kind != _LINEAR:
                regret[s, i] = batch[s, i]
    return -1


@compiled
def _score(episode, t, features, played, shares):
    """Write outcomes, rewards, regret and regret_batch, the rows of ``shares`` (4, n), of round t.

    Returns the first replicate whose prediction is not within ``limit``, before anything is
    written, or -1.
    """
    (outcomes, (code, scale, df), keys, theta), (fit, unit, everyone, limit) = episode
    n = played.shape[0]
    for i in range(n):
        if not abs(played[i]) <= limit:
            return i
    outcome, reward, regret, batch = shares[0], shares[1], shares[2], shares[3]
    if outcomes == _ADAPTIVE:
        for i in range(n):
            outcome[i] = -scale if played[i] > 0.0 else scale
    else:
        unit_noise(code, df, keys, t, outcome)
        for i in range(n):
            noise = scale * outcome[i]
            mean = _mean(features, theta, i)
            outcome[i] = mean + noise
            regret[i] = _regret(played[i], mean, noise)
    _absorb(fit, unit, everyone, features[:, :, 0], outcome, batch)
    for i in range(n):
        reward[i], batch[i] = _reward_and_residual(played[i], outcome[i], batch[i])
    if outcomes != _LINEAR:
        for i in range(n):
            regret[i] = batch[i]
    return -1


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
