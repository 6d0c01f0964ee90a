"""Compiled loops of the environments of points: expected rewards, rewards and regrets."""

from banditgym.compiled import borrowing, compiled
from banditgym.linalg.ball_geometry import inner


@compiled
def expected_rewards(points, theta, out):
    """Write the expected rewards (n,) of points (n, d)."""
    for i in range(out.shape[0]):
        out[i] = inner(points, theta, i)


@compiled
def expected_of_rows(rows, theta, out):
    """Write the expected rewards (n, d) of the rows (d, d)."""
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[i, k] = inner(rows[k : k + 1], theta[i : i + 1], 0)


@compiled
def expected_of_others(others, theta, out):
    """Write the expected rewards (c, n) of the others (c, n, d)."""
    for j in range(out.shape[0]):
        expected_rewards(others[j], theta, out[j])


@compiled
def reward_played_points(means, best, noise, which, reward, regret):
    """Write rewards and regrets (m, n) of the points ``which``, of ``PlayedPoints``.

    ``means`` (d, n) of the basis and (c, n) of the others, best (n,), the noise (m, n).
    """
    of_basis, of_others = means
    dim = of_basis.shape[0]
    for s in range(noise.shape[0]):
        if which.shape[1] == 1:
            played = which[s, 0]
            row = of_basis[played] if played < dim else of_others[played - dim]
            _reward_alike(row, best, noise[s], reward[s], regret[s])
        else:
            for i in range(noise.shape[1]):
                played = which[s, i]
                mean = of_basis[played, i] if played < dim else of_others[played - dim, i]
                reward[s, i], regret[s, i] = mean + noise[s, i], best[i] - mean


@borrowing
def _reward_alike(means, best, noise, reward, regret):
    for i in range(means.shape[0]):
        reward[i], regret[i] = means[i] + noise[i], best[i] - means[i]


@compiled
def reward_points(theta, best, noise, places, points, reward, regret):
    """Write rewards and regrets (c, n) of points (c, n, d) in the rounds ``places``."""
    for j in range(points.shape[0]):
        for i in range(points.shape[1]):
            mean = inner(points[j], theta, i)
            reward[j, i], regret[j, i] = mean + noise[places[j], i], best[i] - mean
