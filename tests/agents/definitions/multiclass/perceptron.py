"""The multiclass Perceptron, Kakade et al. 2008, equations 2 and 3, for one replicate."""

import numpy as np


class Definition:
    def __init__(self, task, draws):
        self.weights = np.zeros((task.dim, task.n_labels))

    def choose(self, x, t):
        return x @ self.weights

    def learn(self, x, played, label, t):
        guess = np.argmax(x @ self.weights)
        self.weights[:, label] += x
        self.weights[:, guess] -= x
