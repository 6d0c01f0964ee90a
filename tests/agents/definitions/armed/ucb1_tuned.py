"""UCB1-tuned, Auer et al. 2002, section 4, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws):
        self.pulls, self.sums = np.zeros(task.n_arms), np.zeros(task.n_arms)

    def choose(self, x, t, mask):
        new = mask & (self.pulls == 0)
        if new.any():
            return int(np.argmax(new))  # the first arm without a reward
        pulls = np.where(self.pulls > 0, self.pulls, 1)
        mean, growth = self.sums / pulls, np.log(self.pulls.sum()) / pulls
        variance = mean * (1 - mean) + np.sqrt(2 * growth)  # of rewards that are 0 or 1
        return mean + np.sqrt(growth * np.minimum(1 / 4, variance))

    def learn(self, x, arm, reward, t):
        self.pulls[arm] += 1
        self.sums[arm] += reward
