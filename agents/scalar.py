"""The base class of agents that are written for one replicate at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from agents.agent import Agent
from banditgym.rounds.kinds import ARM, ARMS, CONTEXT, NOTHING, NUMBER, PAIRS, RANKING, ROW
from banditgym.streams import AGENT
from banditgym.tasks import (
    ArmedTask,
    ConvexSetTask,
    KernelTask,
    LinearTask,
    LossTask,
    MulticlassTask,
    NewsTask,
    RegressionTask,
    Task,
)
from banditgym.validation import brief

# The methods for each kind of task, as a refusal names them.
_HOOKS = {
    ArmedTask: "choose(None) -> arm, learn(None, arm, reward)",
    LinearTask: "choose(features) -> arm, learn(features, arm, reward)",
    KernelTask: "choose(arms) -> arm, learn(arms, arm, reward)",
    ConvexSetTask: "choose(None) -> point, learn(None, point, reward)",
    LossTask: "choose(None) -> point, learn(None, point, loss)",
    RegressionTask: "choose(row) -> prediction, learn(row, prediction, outcome)",
    MulticlassTask: "choose(row) -> label, learn(row, label, reward)",
    NewsTask: "choose(articles) -> place, learn(articles, place, click)",
}


@dataclass(kw_only=True, eq=False)
class ScalarAgent(Agent):
    """An agent written for one replicate; n copies of it are called in turn.

    This is the easy way to add an algorithm, or to wrap an algorithm of another library: the base
    class does batching, seeds, masks, saving and loading. A subclass is a dataclass. It may set
    ``accepts``, the tasks that it plays (by default armed and linear ones), defines ``begin``,
    ``choose`` and ``learn``, and keeps its state in its attributes:

    ====================  ======================  =======================  ========================
    accepts               choose gets             and returns              learn gets
    ====================  ======================  =======================  ========================
    ``ArmedTask``         None                    an arm                   the reward
    ``LinearTask``        features (K, d)         an arm                   the reward
    ``KernelTask``        the arms (K, d)         an arm                   the reward
    the same on a box     None                    a point (d,)             the reward
    ``ConvexSetTask``     None                    a point (d,)             the reward
    ``LossTask``          None                    a point (d,)             loss, gradient, curvature
    ``RegressionTask``    a row (d,)              a prediction             the outcome
    ``MulticlassTask``    a row (d,)              a label                  the reward, 1 if right
    the same with slots   a row (d,)              different labels (r,)    the label clicked, or -1
    ``NewsTask``          articles (m, d)         a place from 0 to m - 1  the click, 0 or 1
    ====================  ======================  =======================  ========================

    The first two arguments of ``learn`` are the argument of ``choose`` and the action played, which
    another agent may have chosen. Arrays are read-only and do not change later. Where arms share a
    context (d,) and have a parameter each, features are blocks (K, K d) of it, and ``task.dim`` is
    K d; a class with a model for each arm sets ``models_arms = True``, and its features (K, d) have
    the context in each row. Rows are dense, even if the environment shows pairs of index and value.
    A prediction is clipped to ``±task.bound`` before it is played. Points are not projected: use
    ``task.action_set.project`` or ``argmax``, which take (n, d). Losses are a mapping of ``loss``,
    ``gradient`` (d,) and ``curvature``. In news only the available articles are shown, and
    ``self.ids`` (m,) are their ids. On other tasks whose arms come and go ``self.mask``, bool (K,),
    says which may be played; a class that follows it sets ``follows_masks = True``, and others
    refuse such tasks. With ``full_information`` ``learn`` gets the true label. To find the best
    arm, a class defines ``suggest(contexts)``, the arm that it holds for the best, and, if it stops
    by itself, ``is_done()``.

    ``choose`` is called once for every decision. ``learn`` is called once for every observed
    reward, in the order of the observations; rewards may be late, in batches, or never observed.
    The generator that ``begin`` gets belongs to the replicate and advances with every draw, so that
    no two decisions share numbers. Within both methods ``self.decision`` is the number of the
    decision that is made or answered. An agent that weights a reward by the probability of its arm
    can keep that probability under this number. ``self.decision``, ``self.mask`` and ``self.ids``
    are no part of the state.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import agents
    >>> @dataclass(kw_only=True, eq=False)
    ... class FollowTheLeader(agents.ScalarAgent):
    ...     def begin(self, task, rng):
    ...         self.sums, self.pulls = np.zeros(task.n_arms), np.zeros(task.n_arms)
    ...     def choose(self, contexts):
    ...         return int(np.argmax(self.sums / np.maximum(self.pulls, 1e-9)))
    ...     def learn(self, contexts, arm, reward):
    ...         self.sums[arm] += reward
    ...         self.pulls[arm] += 1
    """

    __slots__ = ("decision",)

    accepts: ClassVar[tuple[type, ...]] = (ArmedTask, LinearTask)

    def begin(self, task: Any, rng: np.random.Generator) -> None:
        """Make the state for one replicate of a task; draw random numbers from ``rng`` alone."""
        raise NotImplementedError(f"{type(self).__name__} must define begin(task, rng)")

    def choose(self, contexts: Any) -> Any:
        """An action, given the round's context; the class's table has both for each family."""
        raise NotImplementedError(f"{type(self).__name__} must define choose(contexts)")

    def learn(self, contexts: Any, arm: Any, reward: Any, /) -> None:
        """Learn from the reward of an action; the class's table has the arguments by family."""
        raise NotImplementedError(f"{type(self).__name__} must define learn(contexts, arm, reward)")

    def expect(self, contexts: Any, arm: Any) -> float:
        """The mean reward that it expects of an action, or NaN; only for ``estimate``, optional."""
        raise NotImplementedError(f"{type(self).__name__} does not define expect(contexts, arm)")

    def suggest(self, contexts: Any) -> int:
        """The arm that it holds for the best; only for ``recommend``, optional."""
        raise NotImplementedError(f"{type(self).__name__} does not define suggest(contexts)")

    def is_done(self) -> bool:
        """Whether it has finished and learns nothing any more; only for ``finished``, optional."""
        raise NotImplementedError(f"{type(self).__name__} does not define is_done()")

    @property
    def estimates(self) -> bool:
        return type(self).expect is not ScalarAgent.expect

    @property
    def recommends(self) -> bool:
        return type(self).suggest is not ScalarAgent.suggest

    @property
    def stops(self) -> bool:
        return type(self).is_done is not ScalarAgent.is_done

    def refusal(self, task: Task) -> str | None:
        """Why this agent cannot play a task; None if it can."""
        reason = super().refusal(task)
        hooks = _HOOKS.get(type(task))
        if reason is None or hooks is None or isinstance(task, self.accepts):
            return reason
        needed = f"accepts = ({type(task).__name__},) and define {hooks}"
        return f"{reason}; to play such tasks, set {needed}"

    def _start(self) -> None:
        self.replicas = []
        for seed in self.seeds:
            replica = type(self)(**self.hyperparameters())
            entropy = np.random.SeedSequence(seed, spawn_key=(AGENT, 0, 0))
            replica.begin(self.task, np.random.default_rng(entropy))
            self.replicas.append(replica)

    def _choose(self, contexts) -> np.ndarray:
        chosen = []
        each = zip(self.replicas, self._each(contexts), self.decisions.tolist(), strict=True)
        for replica, (x, slots), decision in each:
            replica.decision = decision
            action = self._read(replica.choose(x))
            chosen.append(action if slots is None else self._slot(action, slots))
        return np.array(chosen, self.task.plays.dtype)

    def _learn(self, contexts, actions, outcome, observed) -> None:
        answered = (self.decisions - 1 if self.answered is None else self.answered).tolist()
        each = zip(self.replicas, self._each(contexts), answered, strict=True)
        for i, (replica, (x, slots), decision) in enumerate(each):
            if not observed[i]:
                continue
            replica.decision = decision
            action = _own(actions, i)
            if slots is not None:
                action = int(np.searchsorted(slots, action))
            if isinstance(outcome, dict):
                given: Any = {name: _own(values, i) for name, values in outcome.items()}
            else:
                given = _own(outcome, i)
            replica.learn(x, action, given)

    def _estimate(self, contexts, actions) -> np.ndarray:
        expected = np.empty(self.n)
        each = zip(self.replicas, self._each(contexts), strict=True)
        for i, (replica, (x, slots)) in enumerate(each):
            action = _own(actions, i)
            place = action if slots is None else int(np.searchsorted(slots, action))
            expected[i] = replica.expect(x, place)
        return expected

    def _recommend(self, contexts) -> np.ndarray:
        each = zip(self.replicas, self._each(contexts), strict=True)
        return np.array([self._read(replica.suggest(x)) for replica, (x, _) in each], np.int64)

    def _finished(self) -> np.ndarray:
        return np.array([bool(replica.is_done()) for replica in self.replicas])

    def _each(self, contexts: Any) -> Iterator[tuple[np.ndarray | None, np.ndarray | None]]:
        """The context of each replicate and, in news, the slots that have an arm."""
        task = self.task
        if self.mask is not None and self.ids is None:
            for replica, mask in zip(self.replicas, self.mask, strict=True):
                replica.mask = _read_only(mask.copy())
        if task.observes is NOTHING:
            arms = getattr(task, "arms", None)
            yield from [(arms, None)] * self.n
        elif task.observes is ROW:
            yield from ((_kept(row), None) for row in contexts[:, :, 0])
        elif task.observes is PAIRS:
            for indices, values in zip(*contexts, strict=True):
                yield _dense(indices, values, task.dim) if task.sparse else _kept(values), None
        elif task.observes in (ARMS, CONTEXT):
            yield from ((_kept(features), None) for features in contexts.transpose(0, 2, 1))
        else:
            of_slots = contexts.transpose(0, 2, 1)
            mask: Any = self.mask  # neither is None where there are slots
            ids: Any = self.ids
            for i, replica in enumerate(self.replicas):
                slots = np.flatnonzero(mask[i])
                replica.ids = _read_only(ids[i][slots])
                yield _read_only(of_slots[i][slots]), slots

    def _read(self, action: object) -> Any:
        """The action to play, from the value that ``choose`` returned."""
        task = self.task
        if task.plays is ARM:
            if isinstance(action, Integral) and not isinstance(action, bool):
                return action
            what = "a label" if task.observes is PAIRS else "an arm"
        elif task.plays is NUMBER:
            if isinstance(action, Real) and not isinstance(action, bool):
                most = np.inf if task.bound is None else task.bound
                return min(max(float(action), -most), most)
            what = "a number"
        else:
            labels, shape = task.plays is RANKING, task.plays.shape(task)
            try:
                array = np.array(action)
            except ValueError:  # of different lengths
                array = np.empty(0)
            if array.shape == shape and array.dtype.kind in ("iu" if labels else "iuf"):
                return array
            what = f"{shape[0]} different labels" if labels else f"a point {shape}"
        raise ValueError(f"{type(self).__name__}.choose must return {what}, got {brief(action)}")

    def _slot(self, place: int, slots: np.ndarray) -> int:
        """The slot of an article, from its place among the available ones."""
        if not 0 <= place < len(slots):
            raise ValueError(
                f"{type(self).__name__}.choose must return the place of an article, "
                f"0 to {len(slots) - 1}, got {place}"
            )
        return int(slots[place])


def _own(values: np.ndarray, i: int) -> Any:
    """Replicate i's value: a Python number, or an array of its own."""
    return values[i].item() if values.ndim == 1 else _kept(values[i])


def _kept(array: np.ndarray) -> np.ndarray:
    """A copy in the same layout, because environments reuse the memory of their observations."""
    return _read_only(array.copy(order="K"))


def _dense(indices: np.ndarray, values: np.ndarray, dim: int) -> np.ndarray:
    """A row (d,) from its pairs of index and value (w,)."""
    row = np.zeros(dim)
    np.add.at(row, indices, values)  # the padding adds nothing to feature 0
    return _read_only(row)


def _read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array
