"""Logistic bandits with a finite set of arms."""

from dataclasses import replace

import numpy as np

from banditgym.compiled import compiled
from banditgym.elementary.log_odds import logistic
from banditgym.envs.linear import ArmParameterSettings, LinearBandit
from banditgym.envs.noise import Noise
from banditgym.rounds.blocks import MeansBlock
from banditgym.settings import configured
from banditgym.tasks import LogisticTask


class LogisticSettings(ArmParameterSettings):
    """The settings of ``LogisticBandit``."""

    @property
    def law(self) -> Noise:
        return Noise("bernoulli")


@configured(LogisticSettings)
class LogisticBandit(LinearBandit):
    r"""Rewards 0 or 1, whose log-odds are linear in the features of the chosen arm.

    The reward of arm :math:`a` in round :math:`t` is Bernoulli,

    .. math:: \mathbb{P}(r_t = 1) = \sigma(\langle x_{t,a}, \theta_i \rangle), \qquad
        \sigma(z) = \frac{1}{1 + e^{-z}}.

    Features and the hidden :math:`\theta_i` are those of ``LinearBandit`` with the same seed and
    settings, so the best arm is the same there. A reward is 1 if the uniform number of its round,
    which depends only on the seed and the round, is less than its mean.

    Observations are features of shape (n, K, d), actions arm indices of shape (n,), and
    ``info["regret"]`` of shape (n,) is the difference of the largest mean and the mean of the arm
    played. With ``parameters="per_arm"`` arms have a parameter each, and observations are the
    context (n, d) of a round, as in ``LinearBandit``. ``param_norm`` says how hard the task is:
    with features of norm 1 the slope of :math:`\sigma` at the best arm may be as small as about
    :math:`e^{-\lVert\theta\rVert}`.

    Agents for linear bandits play it too, though means are not linear in features. The noise that
    they know of is 1/2-sub-Gaussian, as that of all rewards in [0, 1].

    Notes
    -----
    Hidden: the parameter θ, and with it every arm's mean.

    References
    ----------
    S. Filippi, O. Cappé, A. Garivier, C. Szepesvári. Parametric Bandits: The Generalized Linear
    Case. NIPS 2010.

    Examples
    --------
    >>> import gymnasium, banditgym
    >>> envs = gymnasium.make_vec("LogisticBandit-v0", num_envs=3, n_arms=4, dim=2, param_norm=5.0)
    >>> features, _ = envs.reset(seed=0)
    >>> features.shape
    (3, 4, 2)
    """

    _task_class = LogisticTask

    def _rounds(self, t: int, rounds: int) -> MeansBlock:
        return replace(super()._rounds(t, rounds), bernoulli=True)

    def _means_of(self, features: np.ndarray, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        means, best = super()._means_of(features, theta)
        _link(means, best)
        return means, best


@compiled
def _link(means, best):
    """Replace scores (m, n, K) by the means of rewards, and ``best`` (m, n) by the largest."""
    rounds, n, n_arms = means.shape
    for s in range(rounds):
        for i in range(n):
            best[s, i] = 0.0
            for k in range(n_arms):
                means[s, i, k] = logistic(means[s, i, k])
                best[s, i] = max(best[s, i], means[s, i, k])
