"""Reward noise of environments with arms: the rewards and the regrets of a round."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from banditgym.compiled import compiled, inlined
from banditgym.elementary import expm1, log1p, sine_cosine_of_turns
from banditgym.rounds.blocks import MeansBlock
from banditgym.streams import each_normal, each_normal_of_rounds, each_pair, each_uniform
from banditgym.validation import real

_KINDS = ("gaussian", "uniform", "rademacher", "student_t", "bernoulli", "pareto")
UNIFORM, RADEMACHER, STUDENT_T, BERNOULLI, PARETO = range(1, len(_KINDS))

# Its square, which agents compute, is finite, and so are draws and long sums of them.
LARGEST_STD = 1e150


@dataclass(frozen=True)
class Noise:
    r"""Zero-mean noise of a given standard deviation, or Bernoulli rewards.

    Parameters
    ----------
    kind : str
        ``gaussian``; ``uniform`` on ``[-std sqrt(3), std sqrt(3)]``; ``rademacher``, ``±std``;
        ``student_t`` with ``df`` degrees of freedom, scaled to the standard deviation;
        ``pareto``, whose tail falls as the power ``-df``, less its mean, scaled likewise;
        ``bernoulli``, where the reward is 1 with the arm's mean as its probability, else 0.
    std : float
        Standard deviation, >= 0, in units of reward; unused by ``bernoulli``.
    df : float
        Degrees of freedom of ``student_t``, or tail index of ``pareto``: > 2, so that the deviation
        is finite.
    """

    kind: str
    std: float = 0.0
    df: float = 3.0

    additive: ClassVar[tuple[str, ...]] = tuple(kind for kind in _KINDS if kind != "bernoulli")

    def __post_init__(self):
        if self.kind not in _KINDS:
            raise ValueError(f"noise must be one of {', '.join(_KINDS)}, got {self.kind!r}")
        if not 0 <= real("noise_std", self.std) <= LARGEST_STD:
            raise ValueError(
                "noise_std is a standard deviation and must be finite and >= 0, and at most "
                f"{LARGEST_STD:g} for rewards to be finite, got {self.std}"
            )
        if not 2 < real("noise_df", self.df) < math.inf:
            raise ValueError(
                f"noise_df must be finite, and > 2 for a finite standard deviation, got {self.df}"
            )

    @property
    def subgaussian(self) -> float | None:
        """R with ``E exp(s noise) <= exp(s² R²/2)`` for all s; None for heavy tails."""
        if self.heavy_tailed:
            return None
        # Gaussian, uniform and ±std noise are strictly sub-Gaussian: R is the deviation itself.
        return 0.5 if self.kind == "bernoulli" else self.std

    @property
    def heavy_tailed(self) -> bool:
        """Whether ``df`` says how heavy the tails are."""
        return self.kind in ("student_t", "pareto")

    @cached_property
    def code(self) -> int | None:
        """The kind as a number, for kernels; None for Gaussian noise.

        Kernels for None are compiled without the other kinds.
        """
        return None if self.kind == "gaussian" else _KINDS.index(self.kind)

    @cached_property
    def law(self) -> tuple[int | None, float, float | None]:
        """Code, scale and df as kernels take them: a plain tuple, which is passed fastest.

        If df is unused it is None, and kernels are compiled without heavy tails.
        """
        return self.code, self.scale, float(self.df) if self.heavy_tailed else None

    @cached_property
    def scale(self) -> float:
        """The factor by which kernels multiply unit noise."""
        if self.kind == "student_t":
            return self.std * math.sqrt((self.df - 2.0) / self.df)
        if self.kind == "pareto":
            return self.std * (self.df - 1.0) * math.sqrt((self.df - 2.0) / self.df)
        return self.std * math.sqrt(3.0) if self.kind == "uniform" else self.std

    def rewards(
        self, block: MeansBlock, places: np.ndarray, arms: np.ndarray
    ) -> tuple[Any, dict[str, Any]]:
        """Rewards (c, n) and their info: ``regret`` (c, n), the expected reward lost.

        Parameters
        ----------
        block : MeansBlock
            Its noise is drawn by ``draw_rounds``.
        places, arms : int64 ndarray of shape (c,) and (c, n)
            Rounds of the block, and the legal arms played in each.
        """
        reward, regret = np.empty((2, *arms.shape))
        bernoulli = self.code == BERNOULLI
        reward_arms(bernoulli, block.means, block.best, block.noise, places, arms, reward, regret)
        if block.rewards is not None:
            reward = block.rewards[places[:, None], np.arange(arms.shape[1]), arms]
        return reward, {"regret": regret}

    def draw_rounds(self, keys: np.ndarray, t: int, n_rounds: int) -> np.ndarray:
        """The noise (m, n) of rounds t, t + 1, ..; of Bernoulli rewards, uniform on [0, 1)."""
        noise = np.empty((n_rounds, len(keys)))
        if self.code is None:
            each_normal_of_rounds(keys, t, self.scale, noise)
        else:
            _fill_rounds(self.law, keys, t, noise)
        return noise


@compiled
def reward_arms(bernoulli, means, best, noise, places, arms, reward, regret):
    """The kernel of ``Noise.rewards``."""
    for j in range(arms.shape[0]):
        s = places[j]
        shown = min(s, means.shape[0] - 1)
        for i in range(arms.shape[1]):
            mean, drawn = means[shown, i, arms[j, i]], noise[s, i]
            if bernoulli:
                reward[j, i] = 1.0 if drawn < mean else 0.0
            else:
                reward[j, i] = mean + drawn
            regret[j, i] = best[shown, i] - mean


@compiled
def _fill_rounds(law, keys, t, out):
    code, scale, df = law
    for s in range(out.shape[0]):
        unit_noise(code, df, keys, t + s, out[s])
        if code != BERNOULLI:
            for i in range(out.shape[1]):
                out[s, i] *= scale


@compiled
def unit_noise(code, df, keys, t, out):
    """One draw per replicate at round t: of unit scale, or uniform on [0, 1) for Bernoulli."""
    if code is None:  # decided when this is compiled, as the next choice is
        each_normal(keys, t, out)
    elif df is None:
        _plain_noise(code, keys, t, out)
    elif code == STUDENT_T:
        _student_noise(df, keys, t, out)
    elif code == PARETO:
        each_uniform(keys, t, out)
        for i in range(out.shape[0]):  # a draw of (1 - u)^(-1/df), less its mean df / (df - 1)
            out[i] = expm1(-log1p(-out[i]) / df) - 1.0 / (df - 1.0)
    else:
        _plain_noise(code, keys, t, out)


@inlined
def _student_noise(df, keys, t, out):
    # Bailey (1994): the polar method for Student's t, one pair of uniforms per draw.
    n = out.shape[0]
    angle = np.empty(n)
    each_pair(keys, t, out, angle)
    for i in range(n):
        radius = df * expm1(-2.0 / df * log1p(-out[i]))
        _, cosine = sine_cosine_of_turns(angle[i])
        out[i] = math.sqrt(radius) * cosine


@inlined
def _plain_noise(code, keys, t, out):
    n = out.shape[0]
    each_uniform(keys, t, out)
    if code == UNIFORM:
        for i in range(n):
            out[i] = 2.0 * out[i] - 1.0
    elif code == RADEMACHER:
        for i in range(n):
            out[i] = 1.0 if out[i] < 0.5 else -1.0
