"""The contract of agents: the base class of every agent."""

import dataclasses
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from agents.inputs import learning_inputs, observations, shared_context
from agents.inputs.learning_inputs import Feedback
from agents.inputs.observations import Observation
from agents.ownership import as_imported, register, that_play
from agents.search import Space
from agents.storage.saving import save
from agents.storage.states import within
from banditgym.rounds.blocks import Block, ContextBlock, PlayedPoints, still_equivalent
from banditgym.rounds.kinds import ARM, OUTCOME, POINT, RANKING, REWARD, SLOTS
from banditgym.tasks import Task
from banditgym.validation import brief, check_fields, nearest, whole
from banditgym.vector_env import seeds_of

# What checks actions and rewards, by what is played.
_REWARDED = {
    ARM: learning_inputs.arms,
    RANKING: learning_inputs.rankings,
    POINT: learning_inputs.rewarded_points,
}

_IGNORES_MASKS = "its arms come and go, and this agent does not know which ones may be played"

# An observation may be None, but is never this object.
_NONE_SEEN = object(), None, None, observations.LASTING


@dataclass(kw_only=True, eq=False)
class Agent:
    """An agent: a dataclass whose fields are its hyperparameters.

    ``reset`` makes its state, ``act`` chooses, ``observe`` learns. An agent is written once, for n
    replicates in lockstep. A solo agent has one replicate: its observations, actions, rewards and
    feedback have no leading axis.

    Every ``act`` is a decision, counted by ``decisions`` from 0. Rewards may come late, in batches,
    in another order, or not at all: ``observe`` takes any earlier observation and action, and
    ``decision`` says which act it answers.

    A subclass states the checks of its hyperparameters beside their defaults, by
    ``banditgym.validation.checked``; ``__post_init__`` applies them. It defines

    - ``_start()``: make the state, given ``self.task`` and ``self.n``;
    - ``_choose(contexts)`` -> the actions;
    - ``_learn(contexts, actions, outcome, observed)``: update the state where ``observed`` (n,).

    ================  ========================  ======================  ==========================
    tasks             contexts                  actions                 outcome
    ================  ========================  ======================  ==========================
    armed             None                      arms (n,)               rewards (n,)
    linear            features (n, d, K)        arms (n,)               rewards (n,)
    kernelized        None, or features         arms (n,)               rewards (n,)
                      (n, d, K) if arms change
    kernelized, box   None                      points (n, d)           rewards (n,)
    strongly_convex   None                      points (n, d)           rewards (n,)
    losses            None                      points (n, d)           a mapping: loss (n,),
                                                                        gradient (n, d),
                                                                        curvature (n,)
    regression        rows (n, d, 1)            predictions (n,)        outcomes (n,)
    multiclass        indices and values        labels (n,)             rewards (n,)
                      (n, w)
    the same, slots   indices and values        rankings (n, r) of      the labels clicked (n,),
                      (n, w)                    distinct labels         -1 for none
    news              features of slots         slots (n,)              rewards (n,)
                      (n, d, K)
    ================  ========================  ======================  ==========================

    Features and values are float64, C-contiguous and read-only; indices are int32. Dense rows of
    multiclass tasks are pairs too, with w = d. Where ``task.arms_vary``, as in news, ``self.mask``
    (n, K), bool, says which arms may be played; else it is None. In news ``self.ids`` (n, K) are
    the ids of the arms in slots. In other families an agent that follows the mask says so by
    ``follows_masks``, and the others refuse such tasks; the arm of a late reward may be withdrawn
    by now, so ``_learn`` does not mind the mask. Arms, labels, slots and clicks are int64 and in
    range; other outcomes are float64 and finite where observed. With ``full_information`` the
    outcome is the true labels (n,), int64 and in range where observed. The array that ``_choose``
    returns must not be written to later.

    An agent that estimates the mean rewards of arms or points may also define

    - ``_estimate(contexts, actions)`` -> what ``estimate`` returns, (n,), an array of its own. It
      may overwrite what the last ``_choose`` computed, and nothing else.

    An agent that finds the best arm (``task.objective``) also defines

    - ``_recommend(contexts)`` -> the arms (n,) that it holds for the best, int64;
    - ``_finished()`` -> whether each replicate has finished, bool (n,), if it stops by itself. A
      replicate that has finished stays so. It still acts, in lockstep with the others, but learns
      nothing: the state and the recommendation stay.

    A subclass may also define a compiled loop over many rounds. Its result is equal bit for bit:

    - ``_play_block(block)`` -> actions (m, n): choose and learn in each round of a block of
      ``banditgym.rounds.blocks``, where every round is observed. Round s of the block is decision
      ``self.decisions + s``; the caller raises the counter afterwards.

    All random numbers come from ``banditgym.streams`` (domain ``AGENT``). Draws made to choose use
    ``self.decisions`` as their round, so that no two acts share numbers, even if nothing was
    observed between them. Draws made to learn use the number of rewards learned so far, and draws
    in ``_start`` use round 0. Schedules, such as widths, count rewards learned. Such a counter is
    an array (n,), and a reward that is not observed does not change it. If ``_learn`` needs more
    about a decision than contexts and actions, ``_choose`` keeps it under the decision's number
    (``agents.open_decisions``). The state is everything in ``vars(self)``. It must consist of
    arrays, plain data, and dataclasses of these, or else it cannot be saved.

    Attributes
    ----------
    accepts : tuple of type
        The task types of ``banditgym.tasks`` that it plays; every agent sets it.
    full_information : bool
        Whether it knows something hidden. It is then a reference and never ranked. In multiclass
        tasks it is given the true labels; in other tasks it defines its own ``observe``.
    kept_choosing : tuple of str
        Arrays of the state that ``_choose`` changes in place, besides what it computes anew.
    saveable : bool
        Whether ``save`` works.
    follows_masks : bool
        Whether it plays arms of ``self.mask`` alone; in news every agent does.
    models_arms : bool
        Whether it has a model for each arm. Where ``task.per_arm``, it is then given the features
        (d,) of the context for each arm; other agents are given blocks of K d features, and their
        task has that ``dim``.
    paper : str
        Where the algorithm comes from. A class of this package that sets its own ``paper`` is one
        of the package's agents: ``python -m tools.freeze`` lists it.
    scope : str
        What tables add about the tasks that it plays, such as ``"fixed arms"``; may be empty.
    on_request : bool
        Whether it plays only if it is named, and never when all agents play.
    needs : tuple of str
        Hyperparameters that a text naming the agent must give although they have a default.
    search : mapping, or None
        The hyperparameters that ``banditgym tune`` varies, see ``agents.search``; None if there is
        nothing to tune. Every ranked agent of this package declares its own.
    seconds_per_round : float
        A rough upper bound on the CPU seconds of a round of one replicate, if a millisecond or
        more. A leaderboard then plays few of its seeds at a time.
    task
        The task given at ``reset``.
    n : int
        Number of replicates.
    decisions : ndarray of shape (n,), int64
        How often each replicate has acted since ``reset``; ``act`` raises it after a choice that
        succeeded, and ``observe`` never changes it.
    answered : ndarray of shape (n,), int64, or None
        Within ``_learn``: the decisions to learn from, or None for each replicate's last decision.
    """

    # ``_seen`` is a cache beside the state: the last observation, its arrays of pairs, if any, the
    # same memory as kernels take it, and how it is kept. ``mask`` (n, K) says which arms may be
    # played where arms come and go, and in news ``ids`` (n, K) are their ids.
    __slots__ = ("__dict__", "__weakref__", "_seen", "answered", "ids", "mask")

    accepts: ClassVar[tuple[type, ...]] = ()
    full_information: ClassVar[bool] = False
    kept_choosing: ClassVar[tuple[str, ...]] = ()
    saveable: ClassVar[bool] = True
    follows_masks: ClassVar[bool] = False
    models_arms: ClassVar[bool] = False
    paper: ClassVar[str] = ""
    scope: ClassVar[str] = ""
    on_request: ClassVar[bool] = False
    needs: ClassVar[tuple[str, ...]] = ()
    search: ClassVar[Space | None] = None
    seconds_per_round: ClassVar[float] = 0.0
    # Hyperparameters that may be None, which means "take it from the task": name -> how.
    from_task: ClassVar[Mapping[str, Callable[[Any], Any]]] = {}

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        register(cls, sys._getframe(1).f_globals)

    def __new__(cls, *args: Any, **hyperparameters: Any) -> Self:
        if not hyperparameters.keys() <= cls.__dataclass_fields__.keys():
            _check_names(cls, hyperparameters)
        self = super().__new__(cls)
        self._seen = _NONE_SEEN
        self.mask = self.ids = self.answered = None
        return self

    def __post_init__(self) -> None:
        check_fields(self)

    def reset(self, task: Task, *, n: int | None = None, seed: int | Sequence[int] = 0) -> Self:
        """Forget everything and start n replicates of a task; solo if n is omitted.

        Parameters
        ----------
        task : dataclass of ``banditgym.tasks``
            The facts of the environment that an agent may know: ``env.unwrapped.task``.
        n : int, optional
            Number of replicates.
        seed : int or sequence of n ints
            ``s`` means seeds s, s+1, .. An environment and an agent with equal seeds share no
            random numbers. Seeds are used as given; ``agents.play`` gives ``agents.derived_seeds``.

        Raises
        ------
        ValueError
            If this agent cannot play the task; the message has the reason.
        """
        reason = self.refuses(task)
        if reason is not None:
            raise ValueError(
                f"{type(self).__name__} cannot play this task: {reason}{that_play(task)}"
            )
        replicates = 1 if n is None else whole("n", n)
        seeds = seeds_of(seed, replicates)
        for name in [name for name in vars(self) if name not in self.hyperparameters()]:
            delattr(self, name)
        self.task: Any = self._as_played(task)  # of one of the types that it accepts
        self.solo = n is None
        self.n, self.seeds = replicates, seeds
        self._all = np.ones(self.n, bool)
        self._seen = _NONE_SEEN
        self.mask = self.ids = self.answered = None
        self.decisions = np.zeros(self.n, np.int64)
        try:
            self._start()
        except MemoryError as error:
            raise ValueError(
                f"{type(self).__name__} needs more memory for this task than there is: {error}"
            ) from error
        return self

    def act(self, observation: Observation) -> Any:
        """Choose actions: arms or predictions (n,), points (n, d) or rankings (n, r).

        The agent does not write to the array later. A solo agent returns an arm as a Python int, a
        prediction as a float, a point (d,), a ranking (r,). Ties among arms go to the lowest index.
        An observation with an ``action_mask`` is refused, even if all are true, unless the task's
        arms come and go.
        Every call is a separate decision: if an agent randomises, two calls may differ even if
        nothing was observed between them.
        """
        actions = self._choose(self._contexts(observation))
        if not self.solo:
            self.decisions += 1
            return actions
        self.decisions[0] += 1  # a quarter of the time of all at once
        return actions.item() if actions.ndim == 1 else actions[0]

    def observe(
        self,
        observation: Observation,
        action: ArrayLike,
        reward: ArrayLike,
        *,
        feedback: Feedback = None,
        observed: ArrayLike | None = None,
        decision: ArrayLike | None = None,
    ) -> None:
        """Learn from the rewards of actions (n,), (n, d) or (n, r) on an observation.

        The observation may be an earlier one, with the action played on it. It is read again, so
        that it must be what the action was played on.

        Parameters
        ----------
        reward : array (n,)
        feedback : mapping or array, optional
            The feedback beyond the reward, ``info["feedback"]``: outcomes (n,) in regression; a
            mapping of ``loss`` (n,), ``gradient`` (n, d) and ``curvature`` (n,) in losses; the
            labels clicked (n,), -1 for none, for rankings. Other families have none. An agent with
            ``full_information`` is given the true labels (n,), ``info["label"]``.
        observed : bool array (n,), optional
            Where it is false, no bit of the replicate's state changes; all true if not given.
        decision : int or int array (n,), optional
            The decision that the reward answers: the value of ``decisions`` before that ``act``.
            The default is the last decision. Agents that weight a reward by the probability of its
            action need it to look up their guess. To most other agents it makes no difference.

        Raises
        ------
        ValueError
            For actions out of range, wrong shapes, numbers that are not finite, rewards outside of
            the agent's scope, masks where the task has none, and decisions that were not made.
            Nothing has then been learned.
        """
        task, solo = self._known_task(), self.solo
        observed = self._all if observed is None else learning_inputs.are_observed(observed, self.n)
        if decision is not None:
            decision = learning_inputs.decisions(decision, self.decisions, observed)
        self.answered = decision
        if task.reveals is REWARD:
            played, outcome = _REWARDED[task.plays](task, action, reward, observed, solo)
            if self.full_information:
                outcome = learning_inputs.true_labels(task, feedback, observed, solo)
            elif task.plays is RANKING:
                outcome = learning_inputs.clicks(played, feedback, observed, solo)
        elif task.reveals is OUTCOME:
            played, outcome = learning_inputs.predictions(action, reward, feedback, observed, solo)
        else:
            played, outcome = learning_inputs.points(task, action, reward, feedback, observed, solo)
        contexts = self._contexts(observation)
        if self.mask is not None and self.ids is not None:
            learning_inputs.check_slots(self.mask, played)
        if self.stops:
            observed = observed & ~self._finished()
        self._learn(contexts, played, outcome, observed)

    @property
    def recommends(self) -> bool:
        """Whether ``recommend`` works: agents that find the best arm define ``_recommend``."""
        return type(self)._recommend is not Agent._recommend

    def recommend(self, observation: Observation) -> Any:
        """The arms (n,) that the agent holds for the best; an int if it is solo.

        Nothing is drawn, and what the agent does afterwards does not depend on the call. For agents
        that recommend nothing, ``agents.play`` takes the arm that was played most.

        Raises
        ------
        ValueError
            If the agent recommends nothing.
        """
        self._known_task()
        if not self.recommends:
            raise ValueError(
                f"{type(self).__name__} recommends no arm: agents.play takes the one that it "
                "played most"
            )
        arms = self._recommend(self._contexts(observation))
        return arms.item() if self.solo else arms

    @property
    def stops(self) -> bool:
        """Whether replicates may finish before the last round."""
        return type(self)._finished is not Agent._finished

    @property
    def finished(self) -> np.ndarray:
        """Which replicates have finished, bool (n,); they act, but learn nothing any more."""
        self._known_task()
        return self._finished() if self.stops else np.zeros(self.n, bool)

    @property
    def estimates(self) -> bool:
        """Whether ``estimate`` works: the agents that estimate rewards define ``_estimate``."""
        return type(self)._estimate is not Agent._estimate

    def estimate(self, observation: Observation, action: ArrayLike) -> Any:
        """The mean rewards (n,) that the agent expects of actions on an observation.

        It is a float if the agent is solo, and NaN where an agent of arms has no reward of the arm.
        Nothing is drawn, and what the agent does afterwards does not depend on the call.

        Raises
        ------
        ValueError
            If the agent has no such estimate, or as ``observe`` does.
        """
        task, solo = self._known_task(), self.solo
        if not self.estimates:
            raise ValueError(f"{type(self).__name__} has no estimate of the rewards of actions")
        nothing: Any = 0.0 if solo else np.zeros(self.n)
        played, _ = _REWARDED[task.plays](task, action, nothing, self._all, solo)
        contexts = self._contexts(observation)
        if self.mask is not None:
            learning_inputs.check_slots(self.mask, played)
        expected = self._estimate(contexts, played)
        return expected.item() if solo else expected

    @property
    def plays_blocks(self) -> bool:
        """Whether ``play_block`` works: only for unchanged classes of this package.

        A block contains hidden values. It is equivalent to single rounds only if the methods are
        those of this package. A third-party class, or an agent of ours with a method replaced,
        therefore plays round by round, with the same numbers. So does an agent that stops.
        """
        methods = ("act", "observe", "_choose", "_learn")
        equivalent = still_equivalent(type(self), "_play_block", methods)
        return as_imported(self) and equivalent and not self.stops

    def play_block(self, block: Block) -> np.ndarray | PlayedPoints:
        """Act and observe in every round of an environment's block; returns the actions (m, n).

        Points of a set, (m, n, d), are returned as ``PlayedPoints``.

        The state afterwards is bit for bit that after ``act`` and ``observe`` round by round.
        """
        self._known_task()
        if not self.plays_blocks:
            raise ValueError(f"{type(self).__name__} plays round by round")
        return self._take_block(block)

    def _take_block(self, block: Block) -> np.ndarray | PlayedPoints:
        """:meth:`play_block` without its checks, which ``agents.play`` makes once."""
        if isinstance(block, ContextBlock):
            parts = shared_context.blocks_of(self.task, block)
            return np.concatenate([self._take_block(part) for part in parts])
        actions = self._play_block(block)
        self.decisions += len(actions)
        return actions

    def refusal(self, task: Any) -> str | None:
        """Why this agent cannot play a task; None if it can."""
        if not hasattr(task, "family"):
            return f"a task is env.unwrapped.task, got {brief(task)}"
        if not self.accepts:
            return "it accepts no tasks: set `accepts` to task types of banditgym.tasks"
        if not isinstance(task, self.accepts):
            plays = " and ".join(kind.family for kind in self.accepts)
            return f"it plays {plays} tasks, and this one is {task.family}"
        if self._ignores_masks(task):
            return _IGNORES_MASKS
        for name in self.facts():
            if self.from_task[name](task) is None:
                return f"it needs {name}, which this task does not have: give it"
        return None

    def refuses(self, task: Any) -> str | None:
        """Its ``refusal``, or that it ignores masks where arms come and go."""
        played = self._as_played(task)
        reason = shared_context.too_large(task) if played is not task else None
        reason = self.refusal(played) if reason is None else reason
        return _IGNORES_MASKS if reason is None and self._ignores_masks(task) else reason

    def _as_played(self, task: Any) -> Any:
        """The task that it plays: in blocks of features if it has no models of single arms."""
        shared = getattr(task, "per_arm", False) and not self.models_arms
        return shared_context.in_blocks(task) if shared else task

    def _ignores_masks(self, task: Any) -> bool:
        return bool(task.arms_vary) and task.observes is not SLOTS and not self.follows_masks

    def hyperparameters(self) -> dict[str, Any]:
        """The hyperparameters by name."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def save(self, path: str | Path) -> None:
        """Write the agent and its state to a file; ``agents.load`` reads it."""
        save(self, path)

    def facts(self) -> tuple[str, ...]:
        """Names of the hyperparameters that are None and so taken from the task."""
        return tuple(name for name in self.from_task if getattr(self, name) is None)

    def state_bytes(self) -> int:
        """Memory of the state's arrays, all replicates together, in bytes."""
        return sum(part.nbytes for part in within(self) if isinstance(part, np.ndarray))

    def known(self, name: str) -> Any:
        """The hyperparameter ``name``, or the task's fact if it is None."""
        value = getattr(self, name)
        return self.from_task[name](self.task) if value is None else value

    def _start(self) -> None:
        raise NotImplementedError

    def _choose(self, contexts: Any) -> np.ndarray:
        raise NotImplementedError

    def _learn(
        self, contexts: Any, actions: np.ndarray, outcome: Any, observed: np.ndarray, /
    ) -> None:
        raise NotImplementedError

    def _estimate(self, contexts: Any, actions: np.ndarray, /) -> np.ndarray:
        raise NotImplementedError

    def _recommend(self, contexts: Any, /) -> np.ndarray:
        raise NotImplementedError

    def _finished(self) -> np.ndarray:
        raise NotImplementedError

    def _impute(
        self, contexts: Any, actions: np.ndarray, values: np.ndarray, observed: np.ndarray, /
    ) -> None:
        """Learn values (n,) in place of rewards, which may be outside of the rewards' scope."""
        self._learn(contexts, actions, values, observed)

    def _play_block(self, block: Any) -> np.ndarray | PlayedPoints:
        raise NotImplementedError

    def _contexts(self, observation: Observation) -> Any:
        """What ``observations.contexts`` makes of an observation; the last result is kept."""
        contexts: Any
        seen, arrays, contexts, kept = self._seen
        # The mapping may be the same object and yet contain another array.
        if observation is seen and (arrays is None or observations.has_arrays(observation, arrays)):
            if kept is observations.SHARED:
                observations.check_pairs(self.task, contexts)
            return contexts
        contexts, kept = observations.contexts(self._known_task(), observation, self.n, self.solo)
        if self.task.arms_vary:
            contexts, self.mask, self.ids = contexts
        if kept:
            self._seen = (observation, observations.arrays_of(observation), contexts, kept)
        return contexts

    def _known_task(self) -> Any:
        """The task."""
        if not hasattr(self, "task"):
            raise ValueError(f"{type(self).__name__} has no task yet: call reset(task) first")
        return self.task


def _check_names(cls: type[Agent], given: Mapping[str, Any]) -> None:
    """Raise Python's TypeError for a keyword that a class does not take, with the nearest one."""
    taken = inspect.signature(cls.__init__).parameters
    if any(one.kind is one.VAR_KEYWORD for one in taken.values()):
        return
    known = [name for name in taken if name != "self"]
    for name in given:
        if name not in known:
            raise TypeError(
                f"{cls.__name__}() got an unexpected keyword argument {name!r}"
                f"{nearest(name, known)}; it has {', '.join(known) or 'none'}"
            )


def noise_level(task: Any) -> float | None:
    """R of sub-Gaussian noise, or the standard deviation of noise that has no R."""
    return task.noise_std if task.subgaussian is None else task.subgaussian


def norm_bound(task: Any) -> float:
    """The task's bound on the norm of theta, or of f."""
    return task.param_norm


def reject(bad: int, what: str) -> None:
    """Raise for the replicate that a kernel of ``banditgym.linalg`` returned as bad."""
    if bad >= 0:
        raise ValueError(f"{what} of replicate {bad} is not finite")
    if bad < -1:
        raise ValueError(
            f"the features of replicate {-2 - bad} are too long for the ridge: double precision "
            "cannot hold both; scale the features or raise ridge"
        )
