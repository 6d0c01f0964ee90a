"""Settings that several environments share: noise, features, a linear parameter."""

from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np

from banditgym.envs.contexts import Contexts
from banditgym.envs.noise import Noise
from banditgym.envs.parameters import given_theta, param_norm_bound
from banditgym.rounds.availability import read_availability
from banditgym.settings import Settings, one_of, setting
from banditgym.validation import real, whole


class ArmsSettings(Settings):
    """Arms that may come and go, of environments whose blocks are ``MeansBlock``."""

    available: Annotated[
        Any,
        "sequence or mapping, optional",
        "Which arms may be played: a schedule such as ``[[0, [0, 1, 2]], [500, [1, 2, 3]]]``, from "
        "a round on exactly these arms, with rounds counted from 0; or ``{'kind': 'drawn', "
        "'mean_life': 100, 'at_least': 2}``, see ``banditgym.rounds.availability``. All arms in "
        "all rounds if not given. Otherwise observations have an ``action_mask``, and regret is "
        "against the best available arm.",
    ] = setting(read_availability)


class NoiseSettings(Settings):
    """Noise that is added to a mean."""

    noise_std: Annotated[float, r"Standard deviation :math:`\sigma \ge 0` of the reward noise."] = (
        setting(real, 0.1)
    )
    noise: Annotated[str, "Distribution of the noise; see ``banditgym.envs.noise.Noise``."] = (
        setting(one_of(Noise.additive), "gaussian")
    )
    noise_df: Annotated[
        float, "Degrees of freedom of ``student_t``, or tail index of ``pareto``, > 2."
    ] = setting(real, 3.0)

    @property
    def law(self) -> Noise:
        """The noise."""
        return Noise(*map(self.filled, ("noise", "noise_std", "noise_df")))


class FeatureSettings(Settings):
    """Feature vectors, drawn or given."""

    may_have_rounds: ClassVar[bool] = False  # whether contexts may be those of given rounds

    dim: Annotated[int | None, "Number of features d."] = setting(whole, otherwise=5)
    contexts: Annotated[
        str | Path | np.ndarray,
        '{"sphere", "ball", "cube", "gaussian"}, array (N, d), or path',
        "Distribution of the features, or feature rows (an array, .npy or .csv) to draw from; see "
        "``banditgym.envs.contexts.Contexts``.",
    ] = setting(default="sphere")
    feature_norm: Annotated[
        float | None,
        "Radius of ``sphere`` and ``ball``; ``cube`` is ``[0, c]^d`` and ``gaussian`` is "
        "``N(0, c² I)`` with ``c = feature_norm / sqrt(d)``.",
    ] = setting(otherwise=1.0)

    @property
    def distribution(self) -> Contexts:
        """The distribution of feature vectors."""
        return Contexts.of(self.contexts, self.dim, self.feature_norm, self.may_have_rounds)


class ParameterSettings(Settings):
    """The hidden parameter of linear rewards."""

    param_norm: Annotated[
        float | None,
        "float",
        "Norm of a drawn theta, 1 by default. If ``theta`` is given: the bound on its norm that "
        "agents know, by default the norm itself.",
    ] = setting()
    theta: Annotated[
        Any,
        "array (d,), optional",
        "The hidden parameter; uniform on the sphere of radius ``param_norm`` if not given.",
    ] = setting()

    def parameter(self, *shape: int) -> tuple[np.ndarray | None, float]:
        """The given parameters (m, *shape), or None, and the bound on their norms."""
        rows = None if self.theta is None else self._rows(*shape)
        return rows, param_norm_bound(rows, self.param_norm)

    def _rows(self, *shape: int) -> np.ndarray:
        return given_theta(self.theta, *shape)
