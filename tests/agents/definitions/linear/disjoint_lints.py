"""Thompson sampling with a posterior for every arm, for one replicate."""

from tests.agents.definitions.linear import disjoint_linucb


class Definition(disjoint_linucb.Definition):
    """Learns as DisjointLinUCB does; one normal of an arm draws its reward by the posterior."""

    def __init__(self, task, draws, *, scale=None, ridge=1.0):
        super().__init__(task, draws, alpha=0.0, ridge=ridge)
        noise = task.noise_std if task.subgaussian is None else task.subgaussian
        self._draws, self._scale = draws, noise if scale is None else scale

    def choose(self, x, t, ids=None):
        self._alpha = 0.0
        mean = super().choose(x, t, ids)
        self._alpha = 1.0
        deviation = super().choose(x, t, ids) - mean
        return mean + self._scale * deviation * self._draws.normal(t, len(x))
