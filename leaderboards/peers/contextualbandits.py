"""Online policies of contextualbandits with a model per arm: LinUCB, bootstrapped classifiers."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.linear_model import SGDClassifier

from banditgym.tasks import LinearTask, MulticlassTask
from banditgym.validation import nonnegative, positive, whole
from leaderboards.peers.peer import Peer, library, seed_of

online = library("contextualbandits.online", "peers-compiled")


class ContextualBandits(Peer):
    """The library has a model per arm, and a round has one context for all arms.

    If each arm has its own features, the library scores all K contexts in one call, and arm k is
    scored in the k-th one. The arm with the largest score is played; ties go to the first arm,
    where the library would draw. The library needs two arms, and seeds above 0.
    """

    library: ClassVar = "contextualbandits"

    def policy(self, n_arms: int, seed: int) -> Any:
        """The library's policy."""
        raise NotImplementedError

    def refusal(self, task: Any) -> str | None:
        reason = super().refusal(task)
        if reason is None and task.n_arms < 2:
            return "the library needs two arms"
        return reason

    def begin(self, task, rng):
        self.policy_ = self.policy(task.n_arms, seed_of(rng))

    def choose(self, contexts):
        scores = self.policy_.decision_function(np.atleast_2d(contexts))
        return int(np.argmax(scores[0] if contexts.ndim == 1 else np.diagonal(scores)))

    def learn(self, contexts, arm, reward):
        context = contexts if contexts.ndim == 1 else contexts[arm]
        self.policy_.partial_fit(context[None], np.array([arm]), np.array([reward]))


@dataclass(kw_only=True, eq=False)
class ContextualBanditsLinUCB(ContextualBandits):
    """``LinUCB``: like ``DisjointLinUCB`` of this package, with an intercept for every arm.

    By default it has the library's intercept and single precision. Without both it makes the
    decisions of ``DisjointLinUCB`` after the first reward; before that it draws at random.
    """

    accepts: ClassVar = (LinearTask, MulticlassTask)
    paper: ClassVar = "Li et al. 2010, Algorithm 1"

    alpha: float = 1.0
    lambda_: float = 1.0
    fit_intercept: bool = True
    use_float: bool = True

    def __post_init__(self):
        nonnegative("alpha", self.alpha)
        positive("lambda_", self.lambda_)

    def policy(self, n_arms: int, seed: int) -> Any:
        return online.LinUCB(
            n_arms,
            alpha=float(self.alpha),
            lambda_=float(self.lambda_),
            fit_intercept=self.fit_intercept,
            use_float=self.use_float,
            random_state=seed,
        )


@dataclass(kw_only=True, eq=False)
class Bootstrapped(ContextualBandits):
    """``samples`` classifiers for every label, on rounds with Gamma weights.

    A classifier is scikit-learn's ``SGDClassifier(loss="log_loss")``, updated by ``partial_fit``:
    the library requires one and has no default. Rewards must be 0 or 1, so it plays only labels.
    """

    accepts: ClassVar = (MulticlassTask,)
    paper: ClassVar = "Cortes 2018"
    seconds_per_round: ClassVar = 0.06

    samples: int = 10

    def __post_init__(self):
        whole("samples", self.samples)

    def policy(self, n_arms: int, seed: int) -> Any:
        # Without a seed, classifiers would draw from numpy's global state.
        classifier = SGDClassifier(loss="log_loss", random_state=seed)
        return self.kind(
            classifier, n_arms, nsamples=self.samples, batch_train=True, random_state=seed
        )

    def kind(self, *arguments: Any, **settings: Any) -> Any:
        """The library's policy of this kind."""
        raise NotImplementedError


@dataclass(kw_only=True, eq=False)
class BootstrappedUCB(Bootstrapped):
    """``BootstrappedUCB``: the 80th percentile of the classifiers' predictions."""

    def kind(self, *arguments: Any, **settings: Any) -> Any:
        return online.BootstrappedUCB(*arguments, **settings)


@dataclass(kw_only=True, eq=False)
class BootstrappedTS(Bootstrapped):
    """``BootstrappedTS``: the prediction of one classifier, drawn at random in each round."""

    def kind(self, *arguments: Any, **settings: Any) -> Any:
        return online.BootstrappedTS(*arguments, **settings)
