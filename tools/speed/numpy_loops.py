"""The same loops written in a straightforward way in numpy: one replicate, rounds in Python.

They draw from numpy's generators and keep the inverse by the textbook Sherman--Morrison update.
"""

from functools import partial

import numpy as np


def _plain_linear(rounds: int, dim: int, n_arms: int, fixed: bool, *, sampled: bool) -> float:
    """LinUCB, or linear Thompson sampling, on Gaussian contexts in numpy; returns the regret."""
    rng = np.random.default_rng(0)
    theta = rng.standard_normal(dim)
    theta /= np.linalg.norm(theta)
    inverse, total = np.eye(dim), np.zeros(dim)
    contexts = rng.standard_normal((n_arms, dim)) / np.sqrt(dim)
    regret = 0.0
    for _ in range(rounds):
        if not fixed:
            contexts = rng.standard_normal((n_arms, dim)) / np.sqrt(dim)
        if sampled:
            root = np.linalg.cholesky(inverse)
            sample = inverse @ total + root @ rng.standard_normal(dim)
            arm = int(np.argmax(contexts @ sample))
        else:
            projected = contexts @ inverse
            bonus = np.sqrt((projected * contexts).sum(axis=1))
            arm = int(np.argmax(projected @ total + bonus))
        means = contexts @ theta
        reward = means[arm] + 0.1 * rng.standard_normal()
        regret += means.max() - means[arm]
        x = contexts[arm]
        u = inverse @ x
        inverse -= np.outer(u, u) / (1.0 + u @ x)
        total += reward * x
    return regret


def _plain_regression(rounds: int, dim: int, *, forward: bool) -> float:
    """Online ridge regression, or the forward algorithm, on Gaussian rows; returns the regret."""
    rng = np.random.default_rng(0)
    theta = rng.standard_normal(dim)
    theta /= np.linalg.norm(theta)
    inverse, total = np.eye(dim), np.zeros(dim)
    regret = 0.0
    for _ in range(rounds):
        x = rng.standard_normal(dim) / np.sqrt(dim)
        u = inverse @ x
        form = u @ x
        predicted = u @ total / (1.0 + form) if forward else u @ total
        noise = 0.1 * rng.standard_normal()
        outcome = x @ theta + noise
        regret += (predicted - outcome) ** 2 - noise**2
        inverse -= np.outer(u, u) / (1.0 + form)
        total += outcome * x
    return regret


def plain_banditron(rounds: int) -> float:
    """The Banditron on made-up text of nine topics in numpy, dense; returns its mistakes."""
    rng = np.random.default_rng(0)
    topics = [rng.choice(120, 30, replace=False) for _ in range(9)]
    weights, gamma, mistakes = np.zeros((9, 400)), 0.05, 0.0
    for _ in range(rounds):
        label = rng.integers(9)
        x = np.zeros(400)
        x[rng.permutation(topics[label])[5:]] = 1.0
        x[120 + rng.choice(280, 20, replace=False)] = 1.0
        guess = int(np.argmax(weights @ x))
        shown = rng.integers(9) if rng.random() < gamma else guess
        mistakes += shown != label
        if shown == label:
            weights[shown] += x / ((1.0 - gamma) * (shown == guess) + gamma / 9)
        weights[guess] -= x
    return mistakes


plain_linucb = partial(_plain_linear, sampled=False)
plain_lints = partial(_plain_linear, sampled=True)
plain_ridge = partial(_plain_regression, forward=False)
plain_forward = partial(_plain_regression, forward=True)
