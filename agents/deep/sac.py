"""SAC: soft actor-critic, of stable-baselines3."""

from dataclasses import dataclass
from typing import ClassVar

from agents.deep.off_policy import PointAgent


@dataclass(kw_only=True, eq=False)
class SAC(PointAgent):
    r"""Draw points from a squashed Gaussian, whose network climbs an estimate of the reward.

    After every reward, on ``batch_size`` of the stored ones, Adam takes a step of each of: two
    critics, towards :math:`Q(a) = r`; the actor, up :math:`\min Q(a) - \alpha \log \pi(a)` at
    actions that it draws; and :math:`\alpha`, so that the entropy tends to -d. Gamma is 0, since a
    round's action changes nothing that comes. The library, stable-baselines3, does all of it, with
    its own defaults for what is no parameter here. A round costs an update of three networks of two
    layers of 256 units, some 20 ms. Memory: n times eleven copies of a network's weights, and a
    buffer of all rounds.

    Points are drawn in the smallest box that holds the set, and played as the nearest point of the
    set; the critics learn of the point in the box.

    References
    ----------
    T. Haarnoja, A. Zhou, P. Abbeel, S. Levine. Soft Actor-Critic. ICML 2018. A. Raffin et al.
    Stable-Baselines3. JMLR 22, 2021.
    """

    paper: ClassVar = "Haarnoja et al. 2018, by stable-baselines3"
    algorithm: ClassVar = "SAC"
    draws_numpy: ClassVar = False

    learning_rate: float = 3e-4
    batch_size: int = 256
