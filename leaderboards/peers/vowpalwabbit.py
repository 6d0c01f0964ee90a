"""Vowpal Wabbit's contextual bandits: ``cb_explore_adf`` through the Python binding."""

from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import numpy as np

from banditgym.tasks import LinearTask, MulticlassTask
from banditgym.validation import nonnegative, positive, real, whole
from leaderboards.peers.peer import Kept, Peer, draw, library, seed_of

vowpalwabbit = library("vowpalwabbit")


class VowpalWabbit(Peer):
    r"""An exploration on top of one importance-weighted regression of costs, by online SGD.

    Each arm with features is an example with action-dependent features, so that arms share their
    weights, as in ``LinUCB`` of this package. Labels are ``shared`` features crossed with the
    label, ``-q xa``, which gives each label its own weights. An action's cost is minus its reward.
    The library returns probabilities, and this adapter draws the action. Everything else is the
    library's default: an intercept, ``--cb_type mtr``, adaptive, normalised and invariant updates
    with learning rate 0.5, 18 bits of weights, single precision.

    The probability of a decision is stored until its reward is learned. An action with probability
    0, which another agent has played, is learned with weight 1.
    """

    accepts: ClassVar = (LinearTask, MulticlassTask)
    library: ClassVar = "vowpalwabbit"

    def exploration(self) -> str:
        """The options of the exploration."""
        raise NotImplementedError

    def begin(self, task, rng):
        self.rng, self.kept = rng, Kept()
        self.n_labels = getattr(task, "n_labels", 0)
        explored = self.exploration() + (" -q xa" if self.n_labels else "")
        self.model = Model(f"--cb_explore_adf {explored} --random_seed {seed_of(rng)} --quiet")

    def choose(self, contexts):
        probabilities = np.array(self.model.workspace.predict(self._examples(contexts)))
        self.kept.keep(self.decision, probabilities)
        return draw(probabilities, self.rng)

    def learn(self, contexts, arm, reward):
        examples = self._examples(contexts)
        place = arm + bool(self.n_labels)
        probability = self.kept.take(self.decision)[arm] or 1.0
        examples[place] = f"0:{-reward!r}:{probability:.9g} {examples[place]}"
        self.model.workspace.learn(examples)

    def _examples(self, contexts: np.ndarray) -> list[str]:
        """The library's input: a line for the shared features, then one for each action."""
        if self.n_labels:
            labels = (f"|a {label}" for label in range(self.n_labels))
            return [f"shared |x {_features(contexts)}", *labels]
        return [f"|a {_features(row)}" for row in contexts]


@dataclass(kw_only=True, eq=False)
class VWEpsilonGreedy(VowpalWabbit):
    """The greedy action; with probability ``epsilon``, a random one: ``--epsilon``."""

    paper: ClassVar = "Langford & Zhang 2007"

    epsilon: float = 0.05

    def __post_init__(self):
        nonnegative("epsilon", self.epsilon)

    def exploration(self) -> str:
        return f"--epsilon {self.epsilon}"


@dataclass(kw_only=True, eq=False)
class VWSquareCB(VowpalWabbit):
    """Inverse gap weighting of the predicted costs: ``--squarecb``."""

    paper: ClassVar = "Foster & Rakhlin 2020"

    gamma_scale: float = 10.0
    gamma_exponent: float = 0.5

    def __post_init__(self):
        positive("gamma_scale", self.gamma_scale)
        nonnegative("gamma_exponent", self.gamma_exponent)

    def exploration(self) -> str:
        scale, exponent = self.gamma_scale, self.gamma_exponent
        return f"--squarecb --gamma_scale {scale} --gamma_exponent {exponent}"


@dataclass(kw_only=True, eq=False)
class VWRegCB(VowpalWabbit):
    """Uniform among the actions that may be best by their confidence bounds: ``--regcb``.

    The range of costs is given: the library's range, 0 to 1, does not contain minus a reward.
    """

    paper: ClassVar = "Foster et al. 2018"

    mellowness: float = 0.1
    min_cost: float = -1.0
    max_cost: float = 1.0

    def __post_init__(self):
        nonnegative("mellowness", self.mellowness)
        if not real("min_cost", self.min_cost) < real("max_cost", self.max_cost):
            raise ValueError(f"min_cost must be < max_cost, got {self.min_cost}, {self.max_cost}")

    def exploration(self) -> str:
        costs = f"--cb_min_cost {self.min_cost} --cb_max_cost {self.max_cost}"
        return f"--regcb --mellowness {self.mellowness} {costs}"


@dataclass(kw_only=True, eq=False)
class VWCover(VowpalWabbit):
    """Online cover with ``policies`` policies that are made to disagree: ``--cover``."""

    paper: ClassVar = "Agarwal et al. 2014"

    policies: int = 16  # the library has no default

    def __post_init__(self):
        whole("policies", self.policies)

    def exploration(self) -> str:
        return f"--cover {self.policies}"


class Model:
    """A workspace that can be copied, by way of a file."""

    def __init__(self, options: str, file: str = ""):
        self.options = options
        self.workspace = vowpalwabbit.Workspace(options + file)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Model":
        with TemporaryDirectory() as folder:
            self.workspace.save(f"{folder}/model")
            return Model(self.options, f" -i {folder}/model")


def _features(row: np.ndarray) -> str:
    return " ".join(f"{j}:{value!r}" for j, value in enumerate(row.tolist()) if value)
