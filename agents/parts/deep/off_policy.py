"""The common part of DQN, SAC and TD3: a buffer of all rewards, and updates on samples of it."""

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from agents.parts.deep.library_agent import LibraryAgent
from agents.parts.deep.model import Model
from agents.parts.deep.task_spaces import point_of
from banditgym.tasks import ConvexSetTask
from banditgym.validation import checked, whole


@dataclass(kw_only=True, eq=False)
class OffPolicyAgent(LibraryAgent):
    """Store every reward, and update on samples of the stored ones.

    Rewards may come late, in any order, and for actions that somebody else chose. The buffer holds
    as many as there are rounds: n T (2 size of an observation + size of an action + 3) numbers.

    Parameters
    ----------
    learning_starts : int
        Number of rewards before the first update; until then actions are uniform.
    batch_size : int
        Number of stored rewards that an update samples.
    """

    passed: ClassVar = ("learning_starts", "batch_size")
    draws_numpy: ClassVar[bool]  # whether a choice draws from numpy's generator

    learning_starts: int = checked(partial(whole, least=0), 100)
    batch_size: int

    def __post_init__(self):
        super().__post_init__()
        whole("batch_size", self.batch_size)

    def _settings(self) -> dict[str, Any]:
        return {**super()._settings(), "buffer_size": int(self.known("horizon"))}

    def _numbers(self) -> int:
        return 0

    def _act(self, model: Model, observation: np.ndarray, decision: int) -> Any:
        library = model.library
        library._last_obs = observation
        with model.generators.swapped_in(numpy=self.draws_numpy):
            action, stored = library._sample_action(
                library.learning_starts, library.action_noise, n_envs=1
            )
        self._keep(model, stored[0], decision)
        return self._played(action[0])

    def _keep(self, model: Model, stored: np.ndarray, decision: int) -> None:
        """Keep the values of a decision that the buffer will hold."""

    def _stored(self, model: Model, action: Any, decision: int) -> Any:
        """An action as the buffer holds it."""
        return action

    def _answer(
        self, model: Model, observation: np.ndarray, action: Any, reward: float, decision: int
    ) -> None:
        library, buffer = model.library, model.buffer
        stored = np.asarray(self._stored(model, action, decision))[None]
        library.num_timesteps += 1
        # A round ends its episode, so the next observation has no effect.
        buffer.add(observation, observation, stored, np.array([reward]), np.ones(1, bool), [{}])
        library._update_current_progress_remaining(library.num_timesteps, library._total_timesteps)
        library._on_step()
        due = library.num_timesteps % library.train_freq.frequency == 0
        if due and library.num_timesteps > library.learning_starts:
            with model.generators.swapped_in(numpy=True):
                library.train(gradient_steps=library.gradient_steps, batch_size=library.batch_size)
            library.policy.set_training_mode(False)


@dataclass(kw_only=True, eq=False)
class PointAgent(OffPolicyAgent):
    """The common part of SAC and TD3: points, stored as the policy drew them, scaled to [-1, 1].

    The point of an open decision is stored as it was drawn, before its projection onto the set; the
    last 10 000 open decisions are kept. Any other point is stored as it was played.
    """

    accepts: ClassVar = (ConvexSetTask,)
    seconds_per_round: ClassVar = 0.03

    def _numbers(self) -> int:
        return self.task.dim

    def _keep(self, model: Model, stored: np.ndarray, decision: int) -> None:
        model.keep(decision, stored.astype(np.float32))

    def _stored(self, model: Model, action: np.ndarray, decision: int) -> np.ndarray:
        policy, kept = model.library.policy, model.open.pop(decision, None)
        if kept is not None:
            drawn = policy.unscale_action(kept[None])[0]
            if np.array_equal(point_of(self.task, drawn), action):
                return kept
        return policy.scale_action(action.astype(np.float32)[None])[0]
