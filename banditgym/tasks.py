"""Tasks: the facts about an environment that an agent may know. Everything else is hidden from it.

A task class describes its family by three objects of ``banditgym.rounds.kinds``. A round shows what
the task ``observes``, an agent answers with what it ``plays``, and learns from what it ``reveals``.

``regret`` names the comparator of regret; None if there is no regret. ``never_negative`` says
whether the regret of a round is never below 0. This holds if the comparator is the best action of
each round. It does not hold if the comparator is the best in hindsight, or a hidden parameter while
outcomes have noise.

Tasks are compared by value: two environments with equal settings have equal tasks.
"""

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, get_args

import numpy as np

from banditgym.action_sets import Ball, Box, PointSet
from banditgym.functions.covariances import Covariance
from banditgym.rounds import kinds
from banditgym.rounds.delays import Law
from banditgym.validation import brief

BEST_ARM = "the best arm of the round in expectation"
PARAMETER = "the hidden parameter"
BEST_FIXED_ARM = "the best fixed arm of the rounds so far"
BEST_FIT = "the best linear fit of the rounds so far"
BEST_POINT = "the best fixed point of the rounds so far"
BEST_ACTION = "the best point of the set in expectation"
BEST_LABEL = "the true label of every round"


@dataclass(frozen=True, kw_only=True)
class Feedback:
    """What an agent may know of rewards that do not come at once.

    Parameters
    ----------
    window : int or None
        Every decision is closed at the latest this number of rounds after its own, by a reward of 0
        unless a positive reward has come; None if decisions may stay open.
    update_every : int
        Rewards arrive at the end of each so many rounds.
    law : Law or None
        The law of delays, of ``banditgym.rounds.delays``; None if it is not known.
    """

    window: int | None = None
    update_every: int = 1
    law: Law | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class _Facts:
    """The base of tasks, which are equal if they are of one class and their facts are equal.

    Parameters
    ----------
    feedback : Feedback or None
        None if the reward of every round arrives in it.
    arms_vary : bool or None
        Whether arms come and go. An observation is then a mapping with an ``action_mask`` (K,), 1
        where an arm may be played, and ``arms`` (K, d) if features of arms are observed.
    """

    reveals: ClassVar[kinds.Reveals] = kinds.REWARD
    never_negative: ClassVar[bool] = True
    per_arm: ClassVar[bool] = False

    # Files and hashes from before there were these facts have none: there they are None.
    feedback: Feedback | None = field(default=None, metadata={"added": True})
    arms_vary: bool | None = field(default=None, metadata={"added": True})

    def fault(self) -> str | None:
        """What is wrong with the first impossible fact; None if there is none.

        The annotation of a fact gives its types; whole numbers are >= 1, others >= 0.
        """
        facts: Any = self
        for fact in fields(facts):
            value = getattr(self, fact.name)
            if not any(_is_one(value, kind) for kind in get_args(fact.type) or (fact.type,)):
                return f"its {fact.name} cannot be {brief(value)}"
        arms, points = getattr(facts, "arms", None), getattr(facts, "action_set", None)
        if arms is not None and arms.shape != (facts.n_arms, facts.dim):
            return f"its arms are of shape {arms.shape} and not {(facts.n_arms, facts.dim)}"
        if points is not None and points.dim != facts.dim:
            return f"its points are of dimension {points.dim} and not {facts.dim}"
        return None

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        theirs = vars(other)
        return all(_same(fact, theirs[name]) for name, fact in vars(self).items())

    def __hash__(self) -> int:
        facts = (fact for fact in vars(self).values() if not isinstance(fact, np.ndarray))
        return hash((type(self), *facts))


def _is_one(value: Any, kind: Any) -> bool:
    if kind is int:
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        return whole and bool(value >= 1)
    if kind is float:
        number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        return number and bool(value >= 0)
    if kind is np.ndarray:
        return (
            isinstance(value, np.ndarray)
            and value.dtype == np.float64
            and value.flags.c_contiguous
            and bool(np.isfinite(value).all())
        )
    return not isinstance(kind, type) or isinstance(value, kind)


def _same(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other)  # pyright: ignore[reportArgumentType]
    return one == other


@dataclass(frozen=True, kw_only=True, eq=False)
class ArmedTask(_Facts):
    r"""A stochastic K-armed bandit: the reward of arm k is ``mean_k + noise``; no observations.

    Parameters
    ----------
    n_arms : int
        Number of arms K.
    horizon : int
        Number of rounds T of an episode.
    noise_std : float or None
        Standard deviation of the reward noise, in units of reward; None for Bernoulli rewards,
        whose deviation depends on the hidden means.
    subgaussian : float or None
        A constant R with ``E exp(s noise) <= exp(s² R²/2)`` for all s, or None if there is none.
    bernoulli : bool
        Whether rewards are 0 or 1.
    bounds : (float, float) or None
        The least and the largest possible reward, if rewards are not Bernoulli; None if there are
        none. ``reward_range`` has them for Bernoulli rewards too.
    objective : str or None
        ``"best_arm"`` if the best arm is to be found, at whatever cost; None if regret counts.
    delta : float or None
        In ``best_arm`` tasks, the largest allowed probability of recommending another arm: the
        agent then decides when to stop. None if it plays a given number of rounds.
    """

    family: ClassVar[str] = "armed"
    observes: ClassVar[kinds.Observes] = kinds.NOTHING
    plays: ClassVar[kinds.Plays] = kinds.ARM
    regret: ClassVar[str | None] = BEST_ARM

    n_arms: int
    horizon: int | None
    noise_std: float | None
    subgaussian: float | None
    bernoulli: bool
    bounds: tuple[float, float] | None = field(default=None, metadata={"added": True})
    objective: str | None = field(default=None, metadata={"added": True})
    delta: float | None = field(default=None, metadata={"added": True})

    @property
    def reward_range(self) -> tuple[float, float] | None:
        """The least and the largest possible reward; None if rewards are unbounded."""
        return (0.0, 1.0) if self.bernoulli else self.bounds


@dataclass(frozen=True, kw_only=True, eq=False)
class AdversarialTask(ArmedTask):
    """K arms whose rewards in [0, 1] an adversary chooses; the facts are those of ``ArmedTask``."""

    family: ClassVar[str] = "adversarial"
    regret: ClassVar[str | None] = BEST_FIXED_ARM
    never_negative: ClassVar[bool] = False


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearTask(_Facts):
    r"""A contextual linear bandit: the reward of arm k in round t is ``<x_{t,k}, theta> + noise``.

    Parameters
    ----------
    n_arms : int
        Number of arms K.
    dim : int
        Number of features d.
    horizon : int
        Number of rounds T of an episode.
    noise_std : float or None
        Standard deviation of the reward noise, in units of reward; None for rewards 0 or 1, whose
        deviation depends on the hidden means. Where observations show it for each arm, the largest
        possible one, and None if there is none.
    subgaussian : float or None
        A constant R with ``E exp(s noise) <= exp(s² R²/2)`` for all s, or None if there is none
        (heavy tails).
    feature_norm : float or None
        Bound on ``‖x_{t,k}‖``; None if features are unbounded.
    param_norm : float
        Bound on ``‖theta‖``.
    fixed_arms : bool
        Whether the features stay the same through an episode.
    arms : ndarray of shape (K, d) or None
        The arms, where they are fixed and given rather than drawn.
    context_dim : int or None
        Where a round shows one context x_t for all arms, and each arm has a parameter of its own:
        the number of features of the context. The reward of arm k is ``<x_t, theta_k> + noise``,
        ``feature_norm`` bounds ``‖x_t‖``, and ``param_norm`` each ``‖theta_k‖``. In the task of an
        environment ``dim`` is the same number. An agent that has no models of single arms is given
        blocks of features: arm k has those of the context at places k d to (k + 1) d - 1, and 0
        elsewhere. In such an agent's task ``dim`` is K d. None where arms have features of their
        own.
    """

    family: ClassVar[str] = "linear"
    plays: ClassVar[kinds.Plays] = kinds.ARM
    regret: ClassVar[str | None] = BEST_ARM

    n_arms: int
    dim: int
    horizon: int | None
    noise_std: float | None
    subgaussian: float | None
    feature_norm: float | None
    param_norm: float
    fixed_arms: bool = False
    arms: np.ndarray | None = None
    context_dim: int | None = field(default=None, metadata={"added": True})

    @property
    def per_arm(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Whether each arm has a parameter of its own."""
        return self.context_dim is not None

    @property
    def observes(self) -> kinds.Observes:
        """The context of all arms if each has a parameter of its own; else features of the arms."""
        return kinds.ARMS if self.context_dim is None else kinds.CONTEXT

    def fault(self) -> str | None:
        own, reason = self.context_dim, super().fault()
        fits = own is None or (self.dim in (own, self.n_arms * own) and not self.fixed_arms)
        return reason if fits else reason or f"its context_dim cannot be {own}"


@dataclass(frozen=True, kw_only=True, eq=False)
class LogisticTask(LinearTask):
    r"""A contextual logistic bandit: rewards are 0 or 1, of mean ``sigma(<x_{t,k}, theta>)``.

    ``sigma(z) = 1 / (1 + exp(-z))``. The facts are those of ``LinearTask``, and agents for linear
    rewards play it as a misspecified task: ``noise_std`` is None, and ``subgaussian`` 1/2, which
    holds for all rewards in [0, 1].
    """

    family: ClassVar[str] = "logistic"


@dataclass(frozen=True, kw_only=True, eq=False)
class LoggedArmsTask(ArmedTask):
    """K arms of a log, whose rewards are known where it played the same arm; as ``ArmedTask``."""

    regret: ClassVar[str | None] = None
    never_negative: ClassVar[bool] = False


@dataclass(frozen=True, kw_only=True, eq=False)
class LoggedContextsTask(LinearTask):
    """Features and arms of a log, as ``LoggedArmsTask``; rewards need not be linear in them."""

    regret: ClassVar[str | None] = None
    never_negative: ClassVar[bool] = False


@dataclass(frozen=True, kw_only=True, eq=False)
class ConvexSetTask(_Facts):
    r"""A linear bandit on a set of points: the reward of a point x is ``<x, theta> + noise``.

    Parameters
    ----------
    dim : int
        Dimension d of the points.
    horizon : int
        Number of rounds T of an episode.
    noise_std : float
        Standard deviation of the reward noise, in units of reward.
    subgaussian : float or None
        A constant R with ``E exp(s noise) <= exp(s² R²/2)`` for all s, or None if there is none
        (heavy tails).
    feature_norm : float
        Norm of the longest point.
    param_norm : float
        Bound on ``‖theta‖``.
    action_set : banditgym.action_sets.Sphere, Ball, Ellipsoid or LpBall
        The points that may be played.
    """

    family: ClassVar[str] = "strongly_convex"
    observes: ClassVar[kinds.Observes] = kinds.NOTHING
    plays: ClassVar[kinds.Plays] = kinds.POINT
    regret: ClassVar[str | None] = BEST_ACTION

    dim: int
    horizon: int | None
    noise_std: float
    subgaussian: float | None
    feature_norm: float
    param_norm: float
    action_set: PointSet


@dataclass(frozen=True, kw_only=True, eq=False)
class KernelTask(_Facts):
    r"""A kernelized bandit: the reward of arm x is ``f(x) + noise``, with f hidden.

    The covariance of f is known. The arms are K points, the same in all rounds or new in each
    round; or they are all points of a box, and an action is then a point (d,).

    Parameters
    ----------
    n_arms : int or None
        Number of arms K; None on a box.
    dim : int
        Number of their coordinates d.
    horizon : int
        Number of rounds T of an episode.
    noise_std : float
        Standard deviation of the reward noise, in units of reward.
    subgaussian : float or None
        A constant R with ``E exp(s noise) <= exp(s² R²/2)`` for all s, or None if there is none
        (heavy tails).
    covariance : banditgym.functions.covariances.RBF, Matern or Linear
        The covariance function of the Gaussian process that f is drawn from, or the kernel of the
        space that contains f; for other functions, the covariance to assume.
    param_norm : float
        Bound on the norm of f in the kernel's space; if f has no known norm, the bound to assume.
    fixed_arms : bool
        Whether the arms stay the same through an episode; else every round shows its own.
    arms : ndarray of shape (K, d) or None
        The arms, where they are fixed and finitely many.
    action_set : banditgym.action_sets.Box or None
        The box, where its points are the arms.
    """

    family: ClassVar[str] = "kernelized"

    n_arms: int | None
    dim: int
    horizon: int | None
    noise_std: float
    subgaussian: float | None
    covariance: Covariance
    param_norm: float
    fixed_arms: bool = True
    arms: np.ndarray | None = None
    action_set: Box | None = None

    @property
    def on_box(self) -> bool:
        """Whether all points of a box may be played, in place of arms."""
        return self.action_set is not None

    @property
    def plays(self) -> kinds.Plays:
        """An arm, or a point on a box."""
        return kinds.POINT if self.on_box else kinds.ARM

    @property
    def regret(self) -> str:
        """The comparator: the best arm of the round, or the best point of the box."""
        return BEST_ACTION if self.on_box else BEST_ARM

    @property
    def observes(self) -> kinds.Observes:
        """Nothing if the arms are fixed, because they are in ``arms``; else the round's arms."""
        return kinds.NOTHING if self.fixed_arms else kinds.ARMS


@dataclass(frozen=True, kw_only=True, eq=False)
class RegressionTask(_Facts):
    r"""Online regression: a row ``x_t`` is shown, a number is predicted, then ``y_t`` is revealed.

    Either ``y_t = <x_t, theta> + noise``, or an adversary chooses ``y_t``. In the second case
    ``noise_std``, ``subgaussian`` and ``param_norm`` are None.

    Parameters
    ----------
    dim : int
        Number of features d.
    horizon : int
        Number of rounds T of an episode.
    noise_std : float or None
        Standard deviation of the noise, in units of the outcome.
    subgaussian : float or None
        A constant R with ``E exp(s noise) <= exp(s² R²/2)`` for all s, or None if there is none.
    feature_norm : float or None
        Bound on ``‖x_t‖``; None if features are unbounded.
    param_norm : float or None
        Bound on ``‖theta‖``.
    outcome_bound : float or None
        Bound on ``|y_t|``; None if there is none.
    bound : float or None
        Largest absolute value of a legal prediction; None if all are legal.
    adaptive : bool
        Whether the outcome depends on the prediction.
    regret : str
        The comparator: the hidden parameter, or the best fit in hindsight if there is none.
    """

    family: ClassVar[str] = "regression"
    observes: ClassVar[kinds.Observes] = kinds.ROW
    plays: ClassVar[kinds.Plays] = kinds.NUMBER
    reveals: ClassVar[kinds.Reveals] = kinds.OUTCOME
    never_negative: ClassVar[bool] = False
    # To estimators a row is the only arm of its round, and it changes every round.
    n_arms: ClassVar[int] = 1
    fixed_arms: ClassVar[bool] = False

    dim: int
    horizon: int | None
    noise_std: float | None
    subgaussian: float | None
    feature_norm: float | None
    param_norm: float | None
    outcome_bound: float | None = None
    bound: float | None = None
    adaptive: bool = False
    regret: str | None = PARAMETER


@dataclass(frozen=True, kw_only=True, eq=False)
class LossTask(_Facts):
    r"""Online convex optimisation: a point of a ball is played, then its loss is revealed.

    The loss ``l_t(x_t)``, its gradient at x_t and the curvature ``H_t >= 0`` are revealed. They
    satisfy ``l_t(u) >= l_t(x_t) + <gradient, u - x_t> + (H_t / 2) ‖u - x_t‖²`` for all u.

    Parameters
    ----------
    dim : int
        Dimension d of the points.
    horizon : int
        Number of rounds T of an episode.
    action_set : banditgym.action_sets.Ball
        The points that may be played.
    gradient_norm : float
        Bound G on the norm of gradients.
    adaptive : bool
        Whether the loss depends on the point played.
    """

    family: ClassVar[str] = "losses"
    observes: ClassVar[kinds.Observes] = kinds.NOTHING
    plays: ClassVar[kinds.Plays] = kinds.POINT
    reveals: ClassVar[kinds.Reveals] = kinds.LOSS
    regret: ClassVar[str | None] = BEST_POINT
    never_negative: ClassVar[bool] = False

    dim: int
    horizon: int | None
    action_set: Ball
    gradient_norm: float
    adaptive: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class NewsTask(_Facts):
    r"""Articles in slots; a log shows one of them and whether it was clicked.

    An observation is a mapping of ``arms`` (K, d), ``action_mask`` (K,) and ``ids`` (K,); empty
    slots may not be played. If the agent plays an article that the log does not show, nothing is
    revealed and the round does not count. Clicks are 0 or 1, and so 1/2-sub-Gaussian. Their
    standard deviation is unknown.

    Parameters
    ----------
    n_arms : int
        Number of slots K.
    dim : int
        Number of features d.
    horizon : int
        Number of events T of an episode.
    feature_norm : float
        Bound on the norm of features.
    param_norm : float
        The bound on the norm of theta to assume. The true one is unknown, and clicks may not be
        linear.
    """

    family: ClassVar[str] = "news"
    observes: ClassVar[kinds.Observes] = kinds.SLOTS
    plays: ClassVar[kinds.Plays] = kinds.ARM
    regret: ClassVar[str | None] = None
    never_negative: ClassVar[bool] = False
    fixed_arms: ClassVar[bool] = False
    arms_vary: ClassVar[bool] = True  # pyright: ignore[reportIncompatibleVariableOverride]
    noise_std: ClassVar[float | None] = None
    subgaussian: ClassVar[float | None] = 0.5

    n_arms: int
    dim: int
    horizon: int | None
    feature_norm: float
    param_norm: float


@dataclass(frozen=True, kw_only=True, eq=False)
class MulticlassTask(_Facts):
    r"""Prediction of one of k labels from a row; only whether it is right is revealed.

    With ``slots`` r labels are shown, and the reward is 1 if the true one is among them.

    Parameters
    ----------
    n_labels : int
        Number of labels k.
    dim : int
        Number of features d.
    horizon : int
        Number of rounds T of an episode.
    slots : int or None
        Number r of distinct labels that an action shows; None if an action is one label.
    sparse : bool
        Whether rows are shown as pairs of index and value, padded with (0, 0.0).
    width : int
        Number of values in a row: d if rows are dense, else the largest number in any row.
    feature_norm : float or None
        Bound on ``‖x_t‖``; None if it is not known.
    labels : tuple of str or None
        The names of the labels 0, .., k - 1, if the data has names for them.
    """

    family: ClassVar[str] = "multiclass"
    observes: ClassVar[kinds.Observes] = kinds.PAIRS
    regret: ClassVar[str | None] = BEST_LABEL

    n_labels: int
    dim: int
    horizon: int | None
    slots: int | None = None
    sparse: bool = False
    width: int
    feature_norm: float | None = None
    labels: tuple[str, ...] | None = field(default=None, metadata={"added": True})

    def fault(self) -> str | None:
        names, reason = self.labels, super().fault()
        texts = isinstance(names, tuple) and all(isinstance(name, str) for name in names)
        if names is None or (texts and len(names) == self.n_labels):
            return reason
        return reason or f"its labels are {self.n_labels} texts, got {brief(names)}"

    @property
    def plays(self) -> kinds.Plays:
        """A ranking with ``slots``, else an arm: labels are arms."""
        return kinds.ARM if self.slots is None else kinds.RANKING

    @property
    def n_arms(self) -> int:
        """The number of labels."""
        return self.n_labels


Task = (
    ArmedTask
    | AdversarialTask
    | LinearTask
    | LogisticTask
    | LoggedArmsTask
    | LoggedContextsTask
    | ConvexSetTask
    | KernelTask
    | RegressionTask
    | LossTask
    | NewsTask
    | MulticlassTask
)
FeatureTask = LinearTask | NewsTask | RegressionTask  # tasks that a regression on features can play
