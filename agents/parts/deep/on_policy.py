"""The common part of PPO and A2C: a rollout of the policy's own decisions, then an update."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from agents.open_decisions import MOST
from agents.parts.deep.library import module
from agents.parts.deep.library_agent import LibraryAgent
from agents.parts.deep.model import Model
from banditgym.rounds.kinds import ARM, POINT
from banditgym.tasks import ArmedTask, ConvexSetTask, LinearTask, MulticlassTask
from banditgym.validation import brief, whole


@dataclass(kw_only=True, eq=False)
class OnPolicyAgent(LibraryAgent):
    """Draw from the policy, fill a rollout of ``n_steps`` rewards, update, and begin another.

    An update needs the value and the log-probability of every action at the time when it was drawn.
    They are kept until the reward of the decision is observed, which may be late, in another order,
    or after further updates. They are kept for the last 10 000 decisions without a reward. A reward
    for an action that the agent did not choose itself, or a second reward for the same decision, is
    refused.

    Actions of a Box are drawn from a Gaussian, clipped to the Box before they are played, and
    stored as they were drawn.

    Parameters
    ----------
    n_steps : int
        Number of rewards in a rollout.
    """

    accepts: ClassVar = (ArmedTask, LinearTask, MulticlassTask, ConvexSetTask)

    n_steps: int

    def __post_init__(self):
        super().__post_init__()
        whole("n_steps", self.n_steps)

    def _numbers(self) -> int:
        return (1 if self.task.plays is ARM else self.task.dim) + 2

    def _act(self, model: Model, observation: np.ndarray, decision: int) -> Any:
        torch, library = module("torch"), model.library
        with model.generators.swapped_in(numpy=False), torch.no_grad():
            actions, value, log_prob = library.policy(torch.as_tensor(observation))
        action = actions.numpy()[0]
        numbers = [*np.atleast_1d(action), value.item(), log_prob.item()]
        model.keep(decision, np.array(numbers, np.float32))
        return self._played_of(model, action)

    def _check(self, model: Model, action: Any, decision: int, i: int) -> None:
        kept = model.open.get(decision)
        if kept is None:
            raise ValueError(
                f"replicate {i} has no open decision {decision}: a reward must answer an act, and "
                "only once, because it is weighted by the probability of its action then; "
                f"only the last {MOST} acts without a reward are kept"
            )
        chosen = np.asarray(self._played_of(model, self._drawn(kept)))
        if not np.array_equal(chosen, action):
            raise ValueError(
                f"{type(self).__name__} learns from its own choices: replicate {i} chose "
                f"{brief(chosen.tolist())} in decision {decision}, and got a reward for "
                f"{brief(action.tolist())}"
            )

    def _answer(
        self, model: Model, observation: np.ndarray, action: Any, reward: float, decision: int
    ) -> None:
        torch, library, buffer = module("torch"), model.library, model.buffer
        kept = model.open.pop(decision)
        value, log_prob = torch.tensor(kept[-2:-1]), torch.tensor(kept[-1:])
        ended = np.ones(1, bool)  # every round is an episode
        library.num_timesteps += 1
        drawn = self._drawn(kept)[None]
        buffer.add(observation, drawn, np.array([reward]), ended, value, log_prob)
        if not buffer.full:
            return
        buffer.compute_returns_and_advantage(last_values=value, dones=ended)
        library._update_current_progress_remaining(library.num_timesteps, library._total_timesteps)
        with model.generators.swapped_in(numpy=True):
            library.train()
        library.policy.set_training_mode(False)
        buffer.reset()

    def _drawn(self, kept: np.ndarray) -> np.ndarray:
        """The action as the policy drew it."""
        return kept[:-2] if self.task.plays is POINT else kept[0].astype(np.int64)

    def _played_of(self, model: Model, drawn: np.ndarray) -> Any:
        if self.task.plays is POINT:
            space = model.library.action_space
            drawn = np.clip(drawn, space.low, space.high)
        return self._played(drawn)
