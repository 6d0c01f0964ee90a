"""The same loops written in a straightforward way, to compare ours with.

``plain_*``: one replicate in numpy, a Python loop over rounds. ``fused_*``: environment and agent
of one replicate in one compiled loop without any Python, directly from the formulas. Both draw from
numpy's generators and keep the inverse by the textbook Sherman--Morrison update.
"""

from functools import partial

import numba
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


# Compiled again in each process: a benchmark needs no cache.
@numba.njit(error_model="numpy")
def fused_linucb(rounds: int, dim: int, n_arms: int, fixed: bool) -> float:
    """LinUCB on Gaussian contexts in one compiled loop; returns the regret."""
    np.random.seed(0)  # noqa: NPY002 (numba's own state, inside compiled code)
    theta = np.random.standard_normal(dim)  # noqa: NPY002
    theta /= np.sqrt((theta * theta).sum())
    inverse, estimate = np.eye(dim), np.zeros(dim)
    contexts, u = np.empty((n_arms, dim)), np.empty(dim)
    scale, regret = 1.0 / np.sqrt(dim), 0.0
    for t in range(rounds):
        best_score, best_mean, mean, arm = -np.inf, -np.inf, 0.0, 0
        for k in range(n_arms):
            if t == 0 or not fixed:
                for j in range(dim):
                    contexts[k, j] = scale * np.random.standard_normal()  # noqa: NPY002
            form, estimated, expected = 0.0, 0.0, 0.0
            for i in range(dim):
                product = 0.0
                for j in range(dim):
                    product += inverse[i, j] * contexts[k, j]
                form += product * contexts[k, i]
                estimated += estimate[i] * contexts[k, i]
                expected += theta[i] * contexts[k, i]
            best_mean = max(best_mean, expected)
            if estimated + np.sqrt(form) > best_score:
                best_score, mean, arm = estimated + np.sqrt(form), expected, k
        regret += best_mean - mean
        error, form = mean + 0.1 * np.random.standard_normal(), 0.0  # noqa: NPY002
        for i in range(dim):
            u[i] = 0.0
            for j in range(dim):
                u[i] += inverse[i, j] * contexts[arm, j]
            form += u[i] * contexts[arm, i]
            error -= estimate[i] * contexts[arm, i]
        for i in range(dim):
            estimate[i] += u[i] * error / (1.0 + form)
            for j in range(dim):
                inverse[i, j] -= u[i] * u[j] / (1.0 + form)
    return regret


@numba.njit(error_model="numpy")
def fused_lints(rounds: int, dim: int, n_arms: int, fixed: bool) -> float:
    """Linear Thompson sampling on Gaussian contexts in one compiled loop; returns the regret."""
    np.random.seed(0)  # noqa: NPY002 (numba's own state, inside compiled code)
    theta = np.random.standard_normal(dim)  # noqa: NPY002
    theta /= np.sqrt((theta * theta).sum())
    inverse, total = np.eye(dim), np.zeros(dim)
    contexts = np.empty((n_arms, dim))
    scale, regret = 1.0 / np.sqrt(dim), 0.0
    for t in range(rounds):
        root = np.linalg.cholesky(inverse)
        sample = np.dot(inverse, total) + np.dot(root, np.random.standard_normal(dim))  # noqa: NPY002
        best_score, best_mean, mean, arm = -np.inf, -np.inf, 0.0, 0
        for k in range(n_arms):
            score, expected = 0.0, 0.0
            for j in range(dim):
                if t == 0 or not fixed:
                    contexts[k, j] = scale * np.random.standard_normal()  # noqa: NPY002
                score += sample[j] * contexts[k, j]
                expected += theta[j] * contexts[k, j]
            best_mean = max(best_mean, expected)
            if score > best_score:
                best_score, mean, arm = score, expected, k
        regret += best_mean - mean
        reward = mean + 0.1 * np.random.standard_normal()  # noqa: NPY002
        x = contexts[arm].copy()
        u = np.dot(inverse, x)
        inverse -= np.outer(u, u) / (1.0 + np.dot(u, x))
        total += reward * x
    return regret


@numba.njit(error_model="numpy")
def _fused_regression(rounds: int, dim: int, forward: bool) -> float:
    """The regressions of `_plain_regression` in one compiled loop; returns the regret."""
    np.random.seed(0)  # noqa: NPY002 (numba's own state, inside compiled code)
    theta = np.random.standard_normal(dim)  # noqa: NPY002
    theta /= np.sqrt((theta * theta).sum())
    inverse, estimate = np.eye(dim), np.zeros(dim)
    x, u = np.empty(dim), np.empty(dim)
    scale, regret = 1.0 / np.sqrt(dim), 0.0
    for _ in range(rounds):
        predicted, expected, form = 0.0, 0.0, 0.0
        for j in range(dim):
            x[j] = scale * np.random.standard_normal()  # noqa: NPY002
            predicted += estimate[j] * x[j]
            expected += theta[j] * x[j]
        for i in range(dim):
            u[i] = 0.0
            for j in range(dim):
                u[i] += inverse[i, j] * x[j]
            form += u[i] * x[i]
        noise = 0.1 * np.random.standard_normal()  # noqa: NPY002
        step = (expected + noise - predicted) / (1.0 + form)
        if forward:
            predicted /= 1.0 + form
        regret += (predicted - expected - noise) ** 2 - noise * noise
        for i in range(dim):
            estimate[i] += step * u[i]
            for j in range(dim):
                inverse[i, j] -= u[i] * u[j] / (1.0 + form)
    return regret


@numba.njit(error_model="numpy")
def fused_banditron(rounds: int) -> float:
    """The Banditron on made-up text of nine topics in one compiled loop; returns its mistakes."""
    np.random.seed(0)  # noqa: NPY002 (numba's own state, inside compiled code)
    topics, words, common = np.empty((9, 30), np.int64), np.arange(120), np.arange(280)
    for topic in range(9):
        np.random.shuffle(words)  # noqa: NPY002
        topics[topic] = words[:30]
    weights, gamma, mistakes = np.zeros((400, 9)), 0.05, 0.0
    present, scores = np.empty(45, np.int64), np.empty(9)
    for _ in range(rounds):
        label = np.random.randint(9)  # noqa: NPY002
        own = topics[label]
        for j in range(25):
            other = j + np.random.randint(30 - j)  # noqa: NPY002
            own[j], own[other] = own[other], own[j]
            present[j] = own[j]
        for j in range(20):
            other = j + np.random.randint(280 - j)  # noqa: NPY002
            common[j], common[other] = common[other], common[j]
            present[25 + j] = 120 + common[j]
        scores[:] = 0.0
        for j in range(45):
            for k in range(9):
                scores[k] += weights[present[j], k]
        guess = np.argmax(scores)
        shown = guess
        if np.random.random() < gamma:  # noqa: NPY002
            shown = np.random.randint(9)  # noqa: NPY002
        if shown != label:
            mistakes += 1.0
        gain = 0.0
        if shown == label:
            gain = 1.0 / ((1.0 - gamma if shown == guess else 0.0) + gamma / 9)
        for j in range(45):
            weights[present[j], shown] += gain
            weights[present[j], guess] -= 1.0
    return mistakes


plain_linucb = partial(_plain_linear, sampled=False)
plain_lints = partial(_plain_linear, sampled=True)
plain_ridge = partial(_plain_regression, forward=False)
plain_forward = partial(_plain_regression, forward=True)
fused_ridge = partial(_fused_regression, forward=False)
fused_forward = partial(_fused_regression, forward=True)
