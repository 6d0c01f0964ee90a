"""The agents that play the suite ``libraries-v1``: other libraries' and matching ones of ours.

``python -m tools.libraries.contest --store FOLDER`` plays them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from banditgym.files.class_paths import place_of

SUITE = "libraries-v1"

PER_ARM = "a model per arm"
SHARED = "one model for all arms"
PER_LABEL = "a model per label"
PROCESS = "a Gaussian process"
NETWORK = "neural networks"
COUNTS = "a mean per arm"
ONE = "one model"


@dataclass(frozen=True)
class Contestant:
    """An agent that plays the suite with its default hyperparameters.

    Parameters
    ----------
    spec : str
        As ``agents.resolve`` takes it.
    rule : str
        The algorithm that actually runs.
    models : str
        What it learns: agents with a model per arm are not comparable with those whose arms share
        one.
    reasons : mapping of str to str
        By ranking: why it does no better than uniform play, or another remark.
    """

    spec: str
    rule: str
    models: str
    reasons: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The class and the hyperparameters, without the module."""
        return self.spec.removeprefix(place_of(self.spec)[0]).removeprefix(":")


def _peers(module: str, *rows: tuple[str, str, str]) -> tuple[Contestant, ...]:
    return tuple(
        Contestant(f"leaderboards.peers.{module}:{name}", rule, models, _REASONS.get(name, {}))
        for name, rule, models in rows
    )


_WIDE = (
    "its posterior has variance 1 in each of 64 directions for every label, so that it still "
    "explores after 1000 rounds"
)
_UNAWARE = (
    "its network sees the features of all arms as one row, and does not know that an arm's reward "
    "depends on that arm's own features alone"
)
_FEW = "1000 rewards of one label each are few for a network that starts from nothing"
_DEEP = {"linear": _UNAWARE, "multiclass": _FEW}
_REASONS: dict[str, dict[str, str]] = {
    "VWRegCB": {
        "linear": "at the library's mellowness its bounds still leave 5 of 10 arms after 1000 "
        "rounds, among which it plays uniformly",
        "multiclass": "at the library's mellowness its bounds still leave 9.9 of 10 labels after "
        "1000 rounds, among which it plays uniformly",
    },
    "MABWiserLinTS": {"multiclass": _WIDE},
    "BayesianBanditsThompson": {"multiclass": _WIDE},
}


_LINUCB = "mean plus α standard deviations of a ridge regression"
_PERHAPS = "shared on linear tasks, per label on multiclass ones"

OURS = (
    Contestant("UCB1", "mean plus a bonus of the counts", COUNTS),
    Contestant("KLUCB", "the largest mean that the data do not rule out", COUNTS),
    Contestant("BetaThompson", "a draw from each arm's Beta posterior", COUNTS),
    Contestant("LinUCB", _LINUCB, SHARED),
    Contestant("DisjointLinUCB", _LINUCB, PER_ARM),
    Contestant("OFUL", "confidence ellipsoid of a ridge regression", SHARED),
    Contestant("LinTS", "a draw from a ridge regression's posterior", SHARED),
    Contestant("EpsilonGreedy", "the largest estimate of a ridge regression, or any arm", SHARED),
    Contestant("EpsilonGreedyLogistic", "logistic regression by SGD, or any label", PER_LABEL),
    Contestant("SquareCB", "SGD regressions, inverse gap weighting", PER_LABEL),
    Contestant("SOBA", "second-order perceptron that explores at random", PER_LABEL),
    Contestant("GPUCB", "mean plus standard deviations of a posterior that is updated", PROCESS),
    Contestant("GPTS", "a draw of the joint posterior, which is updated", PROCESS),
    Contestant("OnlineRidge", "ridge regression", ONE),
    Contestant("Forward", "ridge regression that counts the row to be predicted", ONE),
    Contestant("GradientDescentRegression", "gradient descent", ONE),
    Contestant("PEGE", "explores the axes, then plays the best point, in phases", ONE),
    Contestant("BallTS", "a draw from a ridge regression's posterior", ONE),
)

THEIRS = (
    *_peers(
        "vowpalwabbit",
        ("VWEpsilonGreedy", "SGD regression of costs, ε-greedy", _PERHAPS),
        ("VWSquareCB", "SGD regression of costs, inverse gap weighting", _PERHAPS),
        ("VWRegCB", "SGD regression of costs, uniform among what may be best", _PERHAPS),
        ("VWCover", "SGD regressions of costs, 16 policies made to disagree", _PERHAPS),
    ),
    *_peers(
        "mabwiser",
        ("MABWiserLinUCB", _LINUCB, PER_ARM),
        ("MABWiserLinTS", "a draw from each arm's ridge regression", PER_ARM),
    ),
    *_peers(
        "contextualbandits",
        ("ContextualBanditsLinUCB", f"{_LINUCB} with an intercept", PER_ARM),
        # Its Thompson sampling is left out: it is as slow, with the same ten classifiers per label.
        ("BootstrappedUCB", "80th percentile of ten logistic regressions by SGD", PER_LABEL),
    ),
    *_peers(
        "river",
        ("RiverLinUCB", "mean plus the standard deviation of the next reward", PER_LABEL),
        ("RiverEpsilonGreedy", "logistic regression by SGD, or any label", PER_LABEL),
        ("RiverRegression", "Bayesian linear regression", ONE),
        ("RiverRegression(model='LinearRegression')", "gradient descent", ONE),
    ),
    *_peers(
        "coba",
        ("CobaLinUCB", _LINUCB, SHARED),
        ("CobaLinTS", "a draw from a ridge regression's posterior", SHARED),
        ("CobaUCB", "UCB1-Tuned; means leave out an arm's first reward", COUNTS),
        ("CobaEpsilonGreedy", "the largest mean, or any arm", COUNTS),
    ),
    *_peers(
        "botorch",
        ("BoTorchUCB", "mean plus two standard deviations, made anew each round", PROCESS),
        ("BoTorchThompson", "a draw of the joint posterior, made anew each round", PROCESS),
    ),
    *_peers(
        "scikit_learn",
        ("SklearnGPUCB", "mean plus two standard deviations, fitted anew each round", PROCESS),
        ("SklearnEpsilonGreedy", "logistic regression by SGD, or any label", PER_LABEL),
    ),
    *_peers(
        "bayesianbandits",
        ("BayesianBanditsThompson", "a draw from a Bayesian regression", _PERHAPS),
        ("BayesianBanditsUCB", "68th percentile of a Bayesian regression", _PERHAPS),
    ),
    Contestant("PPO", "clipped policy gradients", NETWORK, _DEEP),
    Contestant("A2C", "policy gradients", NETWORK, _DEEP),
    Contestant(
        "DQN",
        "a network's estimates of all arms, ε-greedy",
        NETWORK,
        {
            **_DEEP,
            "armed": "ε has fallen to 0.05 when its network begins to learn, after 100 rewards, "
            "and it keeps to the arm that the untrained network ranks first",
        },
    ),
    Contestant("SAC", "soft actor-critic", NETWORK),
    Contestant("TD3", "actor-critic with Gaussian noise", NETWORK),
)

ROSTER = OURS + THEIRS
