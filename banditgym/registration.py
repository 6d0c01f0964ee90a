"""The table of environments: id -> class, settings, and a summary in one line."""

import math
from dataclasses import dataclass, field
from typing import Any

import gymnasium
from gymnasium.envs.registration import EnvSpec


@dataclass(frozen=True)
class Environment:
    """A row of the table.

    Parameters
    ----------
    path : str
        ``"module:Class"`` of the batched environment; loaded when an environment is made.
    family : str
        The family of problems that it belongs to, ``task.family``.
    summary : str
        One line for ``banditgym list envs`` and the site.
    observation, action : str
        The observation and the action of a round, for the site.
    details : str
        Text that the site adds to the summary.
    settings : dict
        Settings that this id fixes; settings given to ``make`` take precedence.
    """

    path: str
    family: str
    summary: str
    observation: str = "none"
    action: str = "arm"
    details: str = ""
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def description(self) -> str:
        """The summary and the details."""
        return f"{self.summary}; {self.details}" if self.details else self.summary


_ADDITIVE = "Gaussian, uniform, ±σ, Student's t or Pareto noise"


def _on_set(kind: str, called: str, more: str = "", details: str = "") -> Environment:
    """The row of a kind of set of points."""
    return Environment(
        "banditgym.envs.strongly_convex:ConvexSetBandit",
        "strongly_convex",
        f"rewards linear in a point of {called}{more}",
        action=f"a point of {called}",
        details=details,
        settings={"action_set": kind},
    )


ENVIRONMENTS: dict[str, Environment] = {
    "ArmedBandit-v0": Environment(
        "banditgym.envs.armed:ArmedBandit",
        "armed",
        "K arms with rewards of a law of their own, no features",
        details=(
            "Bernoulli, Gaussian, exponential, heavy-tailed and other rewards, or samples of yours"
        ),
    ),
    "DriftingArmedBandit-v0": Environment(
        "banditgym.envs.drifting_armed:DriftingArmedBandit",
        "armed",
        "K arms whose means jump at given or random rounds, walk at random, or decay",
        details="dynamic regret; the problems PB1 to PB4 of Besson et al.",
    ),
    "AdversarialBandit-v0": Environment(
        "banditgym.envs.adversarial:AdversarialBandit",
        "adversarial",
        "K arms whose rewards an adversary chooses, or a table of yours",
        details="regret against the best fixed arm; csv, Parquet, DataFrames or arrays",
    ),
    "LinearBandit-v0": Environment(
        "banditgym.envs.linear:LinearBandit",
        "linear",
        "rewards linear in the chosen arm's features, fresh or fixed arms",
        observation="features (K, d)",
        details=f"{_ADDITIVE}; drawn features or rows of your data",
    ),
    "DriftingLinearBandit-v0": Environment(
        "banditgym.envs.drifting:DriftingLinearBandit",
        "linear",
        "a linear bandit whose parameter jumps at given or random rounds, or rotates",
        observation="features (K, d)",
        details="dynamic regret",
    ),
    "LogisticBandit-v0": Environment(
        "banditgym.envs.logistic:LogisticBandit",
        "logistic",
        "rewards 0 or 1 whose log-odds are linear in the chosen arm's features",
        observation="features (K, d)",
        action="arm",
        details="drawn features or rows of your data, fresh or fixed arms",
    ),
    "SphereBandit-v0": _on_set("sphere", "a sphere", details=_ADDITIVE),
    "BallBandit-v0": _on_set("ball", "a ball", details=_ADDITIVE),
    "EllipsoidBandit-v0": _on_set(
        "ellipsoid",
        "an ellipsoid",
        ", given or drawn",
        details="by its semi-axes, its matrix or a condition number",
    ),
    "LpBallBandit-v0": _on_set("lp_ball", "an l_p ball", ", 1 < p <= 2"),
    "KernelBandit-v0": Environment(
        "banditgym.envs.kernelized:KernelBandit",
        "kernelized",
        "rewards from a draw of a Gaussian process, a test function or data; the kernel is known",
        observation="none, or arms (K, d)",
        action="arm, or a point of a box",
        details=(
            "RBF, Matérn and linear kernels; Branin, Hartmann and others; CSV, svmlight, tables or "
            "arrays; arms on a grid, drawn, given, new every round, or all of [0, 1]^d; "
            "simple regret too"
        ),
    ),
    "StarvationBandit-v0": Environment(
        "banditgym.envs.kernelized:KernelBandit",
        "kernelized",
        "a quickly varying function on [0, 1], on which sparse posteriors have too little variance",
        settings={
            "arms": "grid",
            "n_arms": 1000,
            "dim": 1,
            "covariance": {"kind": "rbf", "length_scale": math.sqrt(0.005)},
        },
    ),
    "OnlineRegression-v0": Environment(
        "banditgym.envs.regression:OnlineRegression",
        "regression",
        "predict a number from a row: linear with noise, random, or an adversary's",
        observation="a row (d,)",
        action="a number",
        details="the adversary sees the prediction",
    ),
    "OnlineConvex-v0": Environment(
        "banditgym.envs.losses:OnlineConvex",
        "losses",
        "convex losses on a ball, revealed after the play: curved, linear, or curved at first",
        action="a point of a ball",
        details="also an adversary's, or with curvature that decays",
    ),
    "SynSep-v0": Environment(
        "banditgym.envs.synthetic_text:SynSep",
        "multiclass",
        "nine topics of synthetic documents, linearly separable; reveals only right or wrong",
        observation="a row (400,), sparse",
        action="a label, or several",
    ),
    "SynNonSep-v0": Environment(
        "banditgym.envs.synthetic_text:SynSep",
        "multiclass",
        "SynSep with 5 % of the labels false",
        observation="a row (400,), sparse",
        action="a label, or several",
        settings={"label_noise": 0.05},
    ),
    "MulticlassBandit-v0": Environment(
        "banditgym.envs.labelled_data:MulticlassBandit",
        "multiclass",
        "labelled data, your own or scikit-learn's; reveals only right or wrong",
        observation="a row (d,), dense or sparse",
        action="a label, or several",
        details="arrays, svmlight files, tables (with text and missing values), or bundled data",
    ),
    "Reuters4-v0": Environment(
        "banditgym.envs.labelled_data:Reuters4",
        "multiclass",
        "news stories of four topics, from your copy of RCV1; reveals only right or wrong",
        observation="a row (d,), sparse",
        action="a label, or several",
        details="[how to get it](banditgym/data/README.md)",
    ),
    "NewsReplay-v0": Environment(
        "banditgym.envs.news:NewsReplay",
        "news",
        "articles shown from a log, Yahoo!'s or simulated; only rounds that match the log count",
        observation="articles (K, d), mask, ids",
        action="a slot",
        details="R6A or R6B, see [how to get them](banditgym/data/README.md)",
    ),
    "LoggedBandit-v0": Environment(
        "banditgym.envs.logged:LoggedBandit",
        "linear",
        "a log of your own, replayed; only rounds in which the agent plays what the log did count",
        observation="arms (K, d), a context (d,), or nothing; a mask where arms come and go",
        action="an arm",
        details="Parquet, csv, DataFrames and tables of Arrow, with propensities",
    ),
}


class Registered(EnvSpec):
    """The specification of an id of this package.

    ``make_vec`` gives a copy of it, with the settings, to the ``SyncVectorEnv`` or
    ``AsyncVectorEnv`` that it makes. The ``max_episode_steps`` of such a copy is the horizon of an
    environment with these settings, which is made to read it.
    """

    def _get(self) -> int | None:
        if self._length is None and "vectorization_mode" in self.kwargs:
            own = {key: value for key, value in self.kwargs.items() if key not in _OF_VECTORS}
            env: Any = gymnasium.make(self.id, **own).unwrapped
            return env.task.horizon
        return self._length

    def _set(self, length: int | None) -> None:
        self._length = length

    max_episode_steps: Any = property(_get, _set)


_OF_VECTORS = ("num_envs", "vectorization_mode", "vector_kwargs", "wrappers")


def ids(family: str | None = None) -> list[str]:
    """The ids of the environments, for ``gymnasium.make`` and ``make_vec``.

    Parameters
    ----------
    family : str, optional
        Only those of this family of problems: ``armed``, ``linear``, ``kernelized``,
        ``strongly_convex``, ``regression``, ``losses``, ``multiclass`` or ``news``.

    Raises
    ------
    ValueError
        For another family, with the nearest one.

    Examples
    --------
    >>> import banditgym
    >>> banditgym.ids("armed")
    ['ArmedBandit-v0', 'DriftingArmedBandit-v0']
    """
    from banditgym.validation import word  # it needs numpy

    if family is not None:
        word("family", family, tuple(dict.fromkeys(env.family for env in ENVIRONMENTS.values())))
    return [name for name, env in ENVIRONMENTS.items() if family in (None, env.family)]


def entry_name(env_id: str, *, batched: bool = False) -> str:
    """The attribute of ``banditgym.entry_points`` that makes an id: ``LinearBandit_v0``."""
    return env_id.replace("-", "_") + "_batched" * batched


def register_environments() -> None:
    """Register every environment with Gymnasium, single and batched, as strings."""
    for name, env in ENVIRONMENTS.items():
        if name not in gymnasium.registry:
            gymnasium.registry[name] = Registered(
                name,
                entry_point=f"banditgym.entry_points:{entry_name(name)}",
                vector_entry_point=f"banditgym.entry_points:{entry_name(name, batched=True)}",
                kwargs=dict(env.settings),
            )
