"""check_agent passes every agent of ours and says what is broken in others."""

import random
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np
import pytest

import agents
from agents.agent import Agent
from banditgym.streams import AGENT, Stream, uniform_at
from banditgym.tasks import (
    ArmedTask,
    LinearTask,
    LossTask,
    MulticlassTask,
    NewsTask,
    RegressionTask,
)

# A box is searched in every act: with a quarter of the points the same code runs, faster. The
# default number is tried in kernelized/test_gp_bandit.py, in the nightly run.
SEARCHED = {
    name: "(evaluations=64)"
    for name in agents.AGENTS
    if "evaluations" in {field.name for field in fields(getattr(agents, name))}
}


@pytest.mark.parametrize("name", agents.AGENTS)
def test_every_agent_of_ours_keeps_the_contract(name):
    agents.check_agent(name + SEARCHED.get(name, ""))


@pytest.mark.parametrize(
    "spec",
    [
        "OFUL(radius='closed', ridge=0.3)",
        "OFUL(radius=0.5)",
        "LinTS(scale=0.3, ridge=2.0)",
        "EpsilonGreedy(epsilon=1.0)",
        "KLUCB(c=3.0)",
        "UCB1(noise_std=0.2)",
        "DisjointLinUCB(alpha=0.0)",
    ],
)
def test_so_they_do_off_their_defaults(spec):
    agents.check_agent(spec)


@dataclass(kw_only=True, eq=False)
class Counting(Agent):
    """A sound agent: plays the arm with the largest sum, plus a little noise of its own."""

    accepts: ClassVar = (ArmedTask, LinearTask)
    bonus: Any = 0.1

    def _start(self):
        self.sums = np.zeros((self.n, self.task.n_arms))
        self.t = np.zeros(self.n, np.int64)

    def _choose(self, contexts):
        stream = Stream(self.seeds, AGENT, 0, 0)
        drawn = stream.uniform(self.decisions, (self.task.n_arms,))
        return np.argmax(self.sums + self.bonus * drawn, axis=1)

    def _learn(self, contexts, actions, reward, observed):
        rows = np.flatnonzero(observed)
        self.sums[rows, actions[rows]] += reward[rows]
        self.t[rows] += 1


def test_a_sound_agent_of_somebody_else_passes():
    agents.check_agent(Counting)
    agents.check_agent(Counting(bonus=2.0))


def test_what_is_drawn_at_reset_may_be_repeated_and_late_rewards_may_be_refused():
    agents.check_agent(DrawsAtReset)
    agents.check_agent(RefusesLate)


class GlobalNumpy(Counting):
    def _choose(self, contexts):
        return np.random.randint(self.task.n_arms, size=self.n)  # noqa: NPY002


class GlobalPython(Counting):
    def _choose(self, contexts):
        return np.array([random.randrange(self.task.n_arms) for _ in range(self.n)])


class SeedsGlobal(Counting):
    def _start(self):
        super()._start()
        np.random.seed(0)  # noqa: NPY002


class FreshEntropy(Counting):
    def _choose(self, contexts):
        return np.random.default_rng().integers(self.task.n_arms, size=self.n)


class SharedGenerator(Counting):
    """One generator for all replicates: what one draws depends on how many there are."""

    def _start(self):
        super()._start()
        self.rng = np.random.default_rng(self.seeds[0])

    def _choose(self, contexts):
        return self.rng.integers(self.task.n_arms, size=self.n)


class DrawsByReward(Counting):
    """Draws the same numbers until a reward comes."""

    def _choose(self, contexts):
        drawn = Stream(self.seeds, AGENT, 0, 0).uniform(self.t, (self.task.n_arms,))
        return np.argmax(self.sums + self.bonus * drawn, axis=1)


class ExploresByReward(Counting):
    """The same, seldom, and by keys that it keeps."""

    def _start(self):
        super()._start()
        self.keys = Stream(self.seeds, AGENT, 77, 0).keys

    def _choose(self, contexts):
        drawn = np.array(
            [uniform_at(k0, k1, t, 0) for (k0, k1), t in zip(self.keys, self.t, strict=True)]
        )
        return np.where(drawn < 0.1, self.task.n_arms - 1, np.argmax(self.sums, axis=1))


class DrawsAtReset(Counting):
    """A sound agent that repeats what it once drew."""

    def _start(self):
        super()._start()
        self.keys = Stream(self.seeds, AGENT, 0, 0).keys  # kept, and of no further use
        uniform = Stream(self.seeds, AGENT, 0, 0).uniform(0)
        self.favourite = (uniform * self.task.n_arms).astype(np.int64)

    def _choose(self, contexts):
        learned = np.argmax(self.sums, axis=1)
        return np.where(self.t == 0, self.favourite, learned)


class NotCounted(Counting):
    def act(self, observation):
        actions = super().act(observation)
        self.decisions = np.zeros_like(self.decisions)
        return actions


class CountsRewards(Counting):
    def observe(self, observation, action, reward, **given):
        super().observe(observation, action, reward, **given)
        self.decisions -= 1


class Remembers(Counting):
    """Keeps what it needs of open decisions where save does not look."""

    __slots__ = ("shown",)

    def _choose(self, contexts):
        actions = super()._choose(contexts)
        self.shown = getattr(self, "shown", {}) | {int(self.decisions[0]): actions}
        return actions

    def _learn(self, contexts, actions, outcome, observed):
        which = int((self.decisions - 1 if self.answered is None else self.answered)[0])
        known = which in getattr(self, "shown", {})
        super()._learn(contexts, actions, outcome if known else -outcome, observed)


class RefusesLate(Counting):
    """Sound: it learns from its last decision alone, and says so."""

    reason: ClassVar = "it learns from its last decision alone"

    def _learn(self, contexts, actions, outcome, observed):
        if self.answered is not None and (self.answered[observed] < self.decisions[0] - 1).any():
            raise ValueError(self.reason)
        super()._learn(contexts, actions, outcome, observed)


class RefusesAtLength(RefusesLate):
    reason: ClassVar = "it learns from its last decision alone\nand cannot say why"


class Neighbourly(Counting):
    """Learns from the mean reward of the batch."""

    def _learn(self, contexts, actions, reward, observed):
        super()._learn(contexts, actions, np.full(self.n, np.mean(reward)), observed)


class Crowded(Counting):
    """Goes another way where there are many replicates."""

    def _choose(self, contexts):
        arms = super()._choose(contexts)
        return arms if self.n < 5 else (arms + 1) % self.task.n_arms


class Unmasked(Counting):
    def _learn(self, contexts, actions, reward, observed):
        super()._learn(contexts, actions, reward, np.ones(self.n, bool))


class UnmaskedCounter(Counting):
    """Masks what it learns, but not its round."""

    def _learn(self, contexts, actions, reward, observed):
        super()._learn(contexts, actions, reward, observed)
        self.t[:] = self.t.max()


class OneCounter(Counting):
    """One round counter for the whole batch."""

    def _start(self):
        super()._start()
        self.played = 0

    def _learn(self, contexts, actions, reward, observed):
        super()._learn(contexts, actions, reward, observed)
        self.played += 1


class Scribbler(Counting):
    """Writes to what it was shown, by force."""

    def _choose(self, contexts):
        if contexts is not None:
            base = contexts if contexts.base is None else contexts.base
            base.flags.writeable = True
            base[:] *= 1.0000001
        return super()._choose(contexts)


class KeepsAView(Counting):
    """Adds to the scores what the last round showed, of which it has no copy."""

    saveable: ClassVar = False

    def _start(self):
        super()._start()
        self.shown = None

    def _choose(self, contexts):
        if self.shown is None:
            return super()._choose(contexts)
        return np.argmax(self.sums + self.shown.sum(axis=1), axis=1)

    def _learn(self, contexts, actions, reward, observed):
        super()._learn(contexts, actions, reward, observed)
        if observed.all():
            self.shown = contexts


class Forgetful(Counting):
    """Keeps something where save does not look."""

    _memory: ClassVar = {}

    def _start(self):
        super()._start()
        self._memory[id(self)] = np.zeros((self.n, self.task.n_arms))

    def _choose(self, contexts):
        table = self._memory.get(id(self), np.zeros((self.n, self.task.n_arms)))
        return np.argmax(table + self.bonus * np.arange(self.task.n_arms) % 0.17, axis=1)

    def _learn(self, contexts, actions, reward, observed):
        table = self._memory.setdefault(id(self), np.zeros((self.n, self.task.n_arms)))
        table[np.arange(self.n), actions] += np.where(observed, reward - 2.0, 0)


class Unsaveable(Counting):
    def _start(self):
        super()._start()
        self.model = object()


class Leftover(Counting):
    """What it learned outlives its reset."""

    seen: ClassVar = {"rounds": 0}

    def _choose(self, contexts):
        self.seen["rounds"] += 1
        return np.full(self.n, self.seen["rounds"] // 7 % self.task.n_arms)


class NumpyInt(Counting):
    def act(self, observation):
        actions = self._choose(self._contexts(observation))
        return actions[0] if self.solo else actions


class SoloRow(Counting):
    def act(self, observation):
        return self._choose(self._contexts(observation))


class Floats(Counting):
    def _choose(self, contexts):
        return super()._choose(contexts).astype(float)


class OutOfRange(Counting):
    def _choose(self, contexts):
        return super()._choose(contexts) + 1


class Gullible(Counting):
    """Accepts a NaN reward and arm -1: its observe checks nothing."""

    def observe(self, observation, action, reward, *, feedback=None, observed=None, decision=None):
        arms, paid = np.atleast_1d(action), np.atleast_1d(reward).astype(float)
        seen = np.ones(self.n, bool) if observed is None else observed
        self._learn(None, arms, paid, np.atleast_1d(seen))


class LearnsThenRaises(Counting):
    """Raises for bad input, but only after it has learned."""

    def observe(self, observation, action, reward, **given):
        try:
            super().observe(observation, action, reward, **given)
        except ValueError:
            self.t += 1
            raise


class WrongError(Counting):
    def observe(self, observation, action, reward, **given):
        try:
            super().observe(observation, action, reward, **given)
        except ValueError as error:
            raise KeyError("bad") from error


class PicksByLayout(Counting):
    """Sees how its observation is stored."""

    def act(self, observation):
        if np.ndim(observation) > 1 and not observation.flags.writeable:
            return np.zeros(self.n, np.int64)
        return super().act(observation)


class AcceptsNothing(Counting):
    accepts: ClassVar = ()


class Lenient(Counting):
    """Says that it refuses a task, and plays it."""

    def refusal(self, task):
        plays = task.family == "armed" and not task.arms_vary
        return None if plays else "no features, please"

    def reset(self, task, **given):
        if self.refusal(task) is None:
            return super().reset(task, **given)
        return self


@dataclass(kw_only=True, eq=False)
class MeanOutcome(Agent):
    """A sound regression agent: it predicts the mean of the outcomes so far."""

    accepts: ClassVar = (RegressionTask,)

    def _start(self):
        self.total, self.count = np.zeros(self.n), np.zeros(self.n)

    def _choose(self, contexts):
        mean = self.total / np.maximum(self.count, 1)
        return mean if self.task.bound is None else np.clip(mean, -0.5, 0.5)

    def _learn(self, contexts, actions, outcome, observed):
        self.total[observed] += outcome[observed]
        self.count += observed


class OutcomesOfAll(MeanOutcome):
    """Learns outcomes that were not observed."""

    def _learn(self, contexts, actions, outcome, observed):
        super()._learn(contexts, actions, outcome, np.ones(self.n, bool))


class WholeNumbers(MeanOutcome):
    def _choose(self, contexts):
        return np.round(super()._choose(contexts)).astype(np.int64)


@dataclass(kw_only=True, eq=False)
class Drawn(Agent):
    """A sound agent of losses: it moves against the gradient, by little."""

    accepts: ClassVar = (LossTask,)

    def _start(self):
        self.point = np.zeros((self.n, self.task.dim))

    def _choose(self, contexts):
        return self.point.copy()

    def _learn(self, contexts, actions, outcome, observed):
        self.point[observed] -= 1e-3 * outcome["gradient"][observed]


class LendsItsState(Drawn):
    """Returns the array that it goes on writing to."""

    def _choose(self, contexts):
        return self.point


class AnyCurvature(Drawn):
    """Reads what arrived by itself, and takes what is no curvature."""

    def observe(self, observation, action, reward, *, feedback=None, observed=None, decision=None):
        if feedback is not None:
            curvature = np.abs(np.atleast_1d(feedback.get("curvature", 0.0)))
            feedback = {**feedback, "curvature": curvature[0] if self.solo else curvature}
        super().observe(
            observation, action, reward, feedback=feedback, observed=observed, decision=decision
        )


@dataclass(kw_only=True, eq=False)
class Popular(Agent):
    """A sound agent of labels: it shows those that were right most often, or true."""

    accepts: ClassVar = (MulticlassTask,)

    def _start(self):
        self.right = np.zeros((self.n, self.task.n_labels))

    def _choose(self, contexts):
        order = np.argsort(-self.right, axis=1, kind="stable")
        if self.task.slots is None:
            return order[:, 0].copy()
        return order[:, : self.task.slots].copy()

    def _learn(self, contexts, actions, outcome, observed):
        rows = np.flatnonzero(observed)
        self.right[rows, actions.reshape(self.n, -1)[rows, -1]] += outcome[rows] - 0.1


class PopularlyTrue(Popular):
    full_information: ClassVar = True

    def _learn(self, contexts, actions, outcome, observed):
        rows = np.flatnonzero(observed)
        self.right[rows, outcome[rows]] += 1.0


class LabelsAsFloats(Popular):
    def _choose(self, contexts):
        return super()._choose(contexts).astype(float)


class LearnsLabelsOfAll(PopularlyTrue):
    """Learns labels that were not observed."""

    def _learn(self, contexts, actions, outcome, observed):
        super()._learn(contexts, actions, outcome, np.ones(self.n, bool))


class AnyLabel(PopularlyTrue):
    """Takes labels that are none."""

    def observe(self, observation, action, reward, *, feedback=None, observed=None, decision=None):
        if feedback is not None and np.asarray(feedback).dtype.kind == "i":
            feedback = feedback % self.task.n_labels
        super().observe(
            observation, action, reward, feedback=feedback, observed=observed, decision=decision
        )


class AnyIndex(Popular):
    """Takes pairs with an index beyond the dimension."""

    def observe(self, observation, action, reward, *, feedback=None, observed=None, decision=None):
        if isinstance(observation, dict):
            indices = np.asarray(observation["indices"])
            if indices.dtype.kind == "i":
                observation = observation | {"indices": indices % self.task.dim}
        super().observe(
            observation, action, reward, feedback=feedback, observed=observed, decision=decision
        )


class LabelTwice(Popular):
    """Takes a ranking with a label twice."""

    def observe(self, observation, action, reward, *, feedback=None, observed=None, decision=None):
        action = np.array(action)
        if self.task.slots == 2 and action.shape == (self.n, 2) and action.dtype.kind == "i":
            same = (action[:, 0] == action[:, 1]) & (action[:, 1] >= 0)
            action[same, 1] = (action[same, 1] + 1) % self.task.n_labels
        super().observe(
            observation, action, reward, feedback=feedback, observed=observed, decision=decision
        )


@dataclass(kw_only=True, eq=False)
class AnySlot(Agent):
    """No feature is below 0, and those of empty slots are 0: it plays none by chance."""

    accepts: ClassVar = (NewsTask,)

    def _start(self):
        pass

    def _choose(self, contexts):
        return np.argmax(contexts.sum(axis=1), axis=1)

    def _learn(self, contexts, actions, reward, observed):
        pass


class NeedsFeatures(Counting):
    """Accepts armed tasks too, and has no use for them."""

    def _start(self):
        super()._start()
        self.theta = np.zeros((self.n, self.task.dim))


class NeedsManyArms(Counting):
    accepts: ClassVar = (ArmedTask,)

    def _start(self):
        super()._start()
        self.second = int(np.flatnonzero(np.arange(self.task.n_arms))[0])


class NoDataclass:
    accepts = (ArmedTask,)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (GlobalNumpy, "global|random|equal seeds|differ"),
        (GlobalPython, "global|random|equal seeds|differ"),
        (SeedsGlobal, "global"),
        (FreshEntropy, "seed|twice|again|differ"),
        (SharedGenerator, "solo and batched|batch size"),
        (DrawsByReward, "draw the same random numbers 20 times; .* use self.decisions"),
        (ExploresByReward, "draw the same random numbers 20 times; .* use self.decisions"),
        (NotCounted, "act must raise decisions by one"),
        (CountsRewards, "decisions"),
        (Remembers, "saving and loading before its rewards"),
        (RefusesAtLength, "must refuse late rewards in one line"),
        (Neighbourly, "solo and batched|batch size"),
        (Crowded, "depends on the batch size"),
        (Unmasked, "observed"),
        (UnmaskedCounter, "observed"),
        (OneCounter, "observed"),
        (Scribbler, "writes to its observations|observations"),
        (Forgetful, "saving and loading .*or set saveable = False"),
        (Unsaveable, "model.*object.*or set saveable = False"),
        (NeedsFeatures, r"'dim' .test_check.py:\d+.; .*set accepts = \(LinearTask,\), without Arm"),
        (NeedsManyArms, r"armed tasks like this one, let refusal\(task\) say why"),
        (Leftover, "seed|twice|again|reset|differ"),
        (NumpyInt, "Python int.*int64"),
        (SoloRow, "expected 1 arms|Python int"),
        (Floats, "arms|integer|int"),
        (OutOfRange, "arm|range|0\\.\\."),
        (Gullible, "NaN reward"),
        (LearnsThenRaises, "changes its state"),
        (WrongError, "must raise ValueError, but raises KeyError"),
        (PicksByLayout, "read-only copy"),
        (KeepsAView, "observations are overwritten after its calls"),
        (OutcomesOfAll, "observed"),
        (WholeNumbers, "must be floats"),
        (LendsItsState, "writes to actions"),
        (AnyCurvature, "a negative curvature"),
        (AcceptsNothing, "accepts"),
        (Lenient, "refused"),
        (NoDataclass, "dataclass"),
        (Counting(bonus=np.ones(3)), "hyperparameters must be plain data"),
        (LabelsAsFloats, "expected 3 arms|must be integers"),
        (LearnsLabelsOfAll, "observed"),
        (AnyLabel, "a label out of range must raise ValueError"),
        (AnyIndex, "index -1 must raise ValueError"),
        (LabelTwice, "a label twice must raise ValueError"),
        (AnySlot, "it plays an arm that is not available"),
        (Counting(bonus=np.float32(1.0)), "hyperparameters must be plain data"),
        (Counting(bonus=lambda t: t), "hyperparameters must be plain data"),
    ],
    ids=lambda p: p.__name__ if isinstance(p, type) else None,
)
def test_what_is_broken_is_named(broken, message):
    name = broken.__name__ if isinstance(broken, type) else type(broken).__name__
    with pytest.raises(AssertionError, match=f"(?s){name}.*({message})"):
        agents.check_agent(broken)


@pytest.mark.parametrize("sound", [MeanOutcome, Drawn, Popular, PopularlyTrue])
def test_sound_agents_of_rows_points_and_labels_pass(sound):
    agents.check_agent(sound)


def test_check_agent_leaves_global_randomness_alone():
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002
    mine, numpys = random.getstate(), np.random.get_state()  # noqa: NPY002
    agents.check_agent("LinTS")
    assert random.getstate() == mine
    now = np.random.get_state()  # noqa: NPY002
    assert all(np.array_equal(a, b) for a, b in zip(numpys, now, strict=True))


def test_an_unsaveable_agent_may_opt_out():
    @dataclass(kw_only=True, eq=False)
    class OptedOut(Unsaveable):
        saveable: ClassVar[bool] = False
        extra: list = field(default_factory=list)

    agents.check_agent(OptedOut)
