"""Restarting for one replicate, and its detectors, which look at all values anew."""

import numpy as np

from tests.agents.definitions.general.pending import choose


def divergence(p, q, noise_std):
    """That of Bernoulli laws, or of Gaussian ones if there is a noise_std."""
    if noise_std is not None:
        return (p - q) ** 2 / (2 * noise_std**2)
    return sum(a * np.log(a / b) for a, b in [(p, q), (1 - p, 1 - q)] if a > 0)


def glr(values, noise_std, *, delta, test_every=10, split_every=5, splits=4000):
    """Whether the last of the values raises an alarm of GLR."""
    n, gap, mean = len(values), split_every, np.mean(values)
    if n % test_every:
        return False
    while (n - 1) // gap >= splits:
        gap *= 2
    ratios = [
        s * divergence(np.mean(values[:s]), mean, noise_std)
        + (n - s) * divergence(np.mean(values[s:]), mean, noise_std)
        for s in range(1, n, gap)
    ]
    return max(ratios, default=0) > np.log(n**1.5 / delta)


def page_hinkley(values, *, threshold, drift):
    """Whether the last of the values raises an alarm of PageHinkley."""
    means = np.cumsum(values) / np.arange(1, len(values) + 1)
    return _exceeds(values - means, threshold, drift)


def cusum(values, *, threshold, drift, samples):
    """Whether the last of the values raises an alarm of CUSUM."""
    return _exceeds(values[samples:] - np.mean(values[:samples]), threshold, drift)


def _exceeds(steps, threshold, drift):
    sums = np.zeros(2)
    for step in steps:
        sums = np.maximum(0, sums + [step - drift, -step - drift])
    return sums.max() >= threshold


class Definition:
    def __init__(self, task, draws, *, agent, detector, exploration=None):
        self._make, self._detector, self._task = lambda: agent(task, draws), detector, task
        self._armed, n_arms, self.restarts = task.family in ("armed", "adversarial"), task.n_arms, 0
        share = np.sqrt(n_arms * np.log(task.horizon) / task.horizon) if self._armed else 0.01
        self._exploration = share if exploration is None else exploration
        self._begin(0)

    def _begin(self, t):
        self._inner, self._since, self._learned, self._next = self._make(), t, 0, t
        self._values = [[] for _ in range(self._task.n_arms if self._armed else 1)]

    def choose(self, x, t, mask, ids=None):  # takes all arms, since any may be forced
        alpha, n_arms = self._exploration * np.sqrt(self.restarts + 1), self._task.n_arms
        forced = t % max(int(n_arms / alpha), n_arms + 1)
        chosen, self._next = choose(self._inner, x, t - self._since, mask), t + 1
        return forced - 1 if 1 <= forced <= n_arms and mask[forced - 1] else chosen

    def learn(self, x, arm, reward, t):
        if t < self._since:
            return
        if self._armed:
            sequence, value, watched = self._values[arm], reward, True
        else:
            choose(self._inner, x, t, np.ones(len(x), bool))  # for its mean
            sequence, value = self._values[0], reward - self._inner.mean[arm]
            watched = self._learned >= 5 * self._task.dim
        self._inner.learn(x, arm, reward, t - self._since)
        self._learned += 1
        if watched:
            sequence.append(value)
            if self._alarm(np.array(sequence)):
                self.restarts += 1
                self._begin(self._next)

    def _alarm(self, values):
        detector, kind = self._detector, type(self._detector).__name__
        if kind == "GLR":
            task = self._task
            noise_std = task.subgaussian if task.noise_std is None else task.noise_std
            noise_std = None if self._armed and task.bernoulli else noise_std
            names = ("delta", "test_every", "split_every", "splits")
            return glr(values, noise_std, **{name: getattr(detector, name) for name in names})
        known = {"threshold": detector.threshold, "drift": detector.drift}
        if kind == "CUSUM":
            return cusum(values, samples=detector.samples, **known)
        return page_hinkley(values, **known)
