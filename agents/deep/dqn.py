"""DQN: ε-greedy play on a network's estimate of every arm's reward, by stable-baselines3."""

from dataclasses import dataclass
from typing import ClassVar

from agents.parts.deep.off_policy import OffPolicyAgent
from banditgym.tasks import ArmedTask, LinearTask, MulticlassTask
from banditgym.validation import checked, probability


@dataclass(kw_only=True, eq=False)
class DQN(OffPolicyAgent):
    r"""Play the arm with the largest estimated reward, or a uniform one with probability ε.

    A network computes the estimate Q. After every fourth reward, Adam descends Huber's loss of
    :math:`r - Q(x, a)` on ``batch_size`` of the stored rewards; gamma is 0, because an action has
    no effect on later rounds, so the target network is not used. ε falls from 1 to 0.05 in the
    first ``exploration_fraction`` of the horizon. The library, stable-baselines3, computes all of
    this, with its own defaults for everything that is not a parameter here. A round costs a pass
    through a network of two layers of 64 units, about 0.5 ms, and an update about 1 ms. Memory: n
    times four copies of the network's weights, and a buffer of all rounds.

    The library's own code is the algorithm, so no definition is beside it.

    Parameters
    ----------
    exploration_fraction : float
        Share of the horizon, in (0, 1), in which ε falls.

    Notes
    -----
    On a linear task the network sees the flattened features of all arms, and has an output for
    every arm. It does not know that an arm's reward depends on that arm's features alone.

    References
    ----------
    V. Mnih et al. Human-level Control through Deep Reinforcement Learning. Nature 518, 2015.
    A. Raffin et al. Stable-Baselines3. JMLR 22, 2021.
    """

    accepts: ClassVar = (ArmedTask, LinearTask, MulticlassTask)
    paper: ClassVar = "Mnih et al. 2015, by stable-baselines3"
    algorithm: ClassVar = "DQN"
    passed: ClassVar = (*OffPolicyAgent.passed, "exploration_fraction")
    draws_numpy: ClassVar = True

    learning_rate: float = 1e-4
    batch_size: int = 32
    exploration_fraction: float = checked(probability, 0.1)
