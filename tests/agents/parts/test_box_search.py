"""Agents on a box: the search against a fine grid, states and decisions against definitions."""

import math

import gymnasium
import numpy as np
import pytest

import agents
from agents.parts.box_search import BoxSearch, low_discrepancy
from agents.parts.posteriors import Exact
from banditgym.action_sets import Box
from banditgym.functions.covariances import RBF, Linear, Matern
from banditgym.streams import AGENT, Stream

GRID = np.stack(np.meshgrid(*[np.linspace(0, 1, 41)] * 2), axis=-1).reshape(-1, 2)
DELTA = 0.03


def search(dim=2, n=3, evaluations=256):
    return BoxSearch.initial(
        Box(dim), n=n, seeds=list(range(n)), evaluations=evaluations, uniform_first=False
    )


def test_the_r_sequence_is_that_of_its_definition():
    golden = (1 + math.sqrt(5)) / 2
    expected = (0.5 + np.arange(1, 41) / golden) % 1
    np.testing.assert_allclose(low_discrepancy(40, 1)[:, 0], expected, atol=1e-12)
    plastic = 1.32471795724474602596  # x³ = x + 1
    expected = (0.5 + np.arange(1, 41)[:, None] * plastic ** -np.array([1.0, 2.0])) % 1
    np.testing.assert_allclose(low_discrepancy(40, 2), expected, atol=1e-12)


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_the_best_point_of_a_smooth_score_is_found(dim):
    # A concave score whose best point x* lies in the box, on a face, or at a corner: the last
    # steps are step / 2^j, and what is lost within one of them is a sum of squares.
    tops = np.array([np.full(dim, 0.3141), np.full(dim, 1.0), np.full(dim, -0.2)])
    tops[1, 0] = 0.77
    made = search(dim)

    def score(points):
        away = points - tops[:, :, None]
        return -(away * away).sum(axis=1)

    points, values = made.best(score)
    assert points.shape == (3, dim)
    np.testing.assert_allclose(points, np.clip(tops, 0, 1), atol=2e-3)
    np.testing.assert_array_equal(values, score(points[:, :, None])[:, 0])


def test_a_narrow_peak_is_found_again_where_a_point_was_played():
    made, peak = search(2, n=1), np.array([[0.7312, 0.2127]])

    def score(points):
        away = points - peak[:, :, None]
        return np.maximum(1 - 1e6 * (away * away).sum(axis=1), 0.0)

    assert made.best(score)[1][0] == 0.0
    made.follow(peak + 1e-4, np.array([False]))
    assert made.best(score)[1][0] == 0.0
    made.follow(peak + 1e-4, np.array([True]))
    assert made.best(score)[1][0] > 0.999


def test_starts_lie_apart():
    # Two hills: the higher one narrow, on which no candidate lies so high as many of the other's.
    made = search(2, n=1)

    def score(points):
        broad = ((points - 0.25) ** 2).sum(axis=1)
        narrow = ((points - 0.8) ** 2).sum(axis=1)
        return np.maximum(1 - broad, 1.5 - 300 * narrow)

    points, values = made.best(score)
    assert values[0] == pytest.approx(1.5, abs=1e-4)
    np.testing.assert_allclose(points[0], 0.8, atol=1e-3)


def plain_search(score, dim, evaluations, recent):
    """The best point of one replicate and its score, as ``BoxSearch`` describes the search."""
    size, step = max(1, evaluations * dim // 2), 1.0
    while step**-dim < size:
        step /= 2
    stretched = 0.5 + (1 + 2 * step) * (low_discrepancy(size, dim) - 0.5)
    left = [(score(x), x) for x in (*np.clip(stretched, 0, 1), *recent)]
    starts, cycles = [], evaluations // 4
    n_starts = max(1, 3 * cycles // 16)
    while left and len(starts) < n_starts:
        value, x = max(left, key=lambda one: one[0])
        starts.append([value, x, step])
        left = [one for one in left if max(abs(one[1] - x)) > 1.5 * step]
    for cycle in range(3 + max(1, (cycles - 3 * n_starts) // 2)):
        if cycle == 3:
            starts = sorted(starts, key=lambda one: -one[0])[:2]
        for start in starts:
            value, x, step = start
            near = [np.clip(x + step * move, 0, 1) for move in (*np.eye(dim), *-np.eye(dim))]
            best = max(near, key=score)
            start[:] = [score(best), best, step] if score(best) > value else [value, x, step / 2]
    return max(starts, key=lambda one: one[0])


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("evaluations", [1, 2, 12, 64, 100])
def test_the_search_is_that_of_its_description(dim, evaluations):
    """The score is the height of nine hills, one of them on a point that was played."""
    rng = np.random.default_rng(evaluations)
    for _ in range(8):
        made, played = search(dim, n=1, evaluations=evaluations), rng.random((6, dim))
        assert len(made.candidates) == max(1, evaluations * dim // 2)
        np.testing.assert_array_equal(made.recent, 0.5)
        for point in played:
            made.follow(point[None], np.array([True]))
        assert made.recent[0].tolist() == played[:1:-1].tolist()
        tops, curved = np.vstack([rng.random((8, dim)), played[3]]), 10.0 ** rng.uniform(0, 3, 9)
        heights = rng.random(9)

        def score(points, tops=tops, curved=curved, heights=heights):
            hills = []
            for top, steep, height in zip(tops, curved, heights, strict=True):
                square = sum((points[..., j] - top[j]) ** 2 for j in range(len(top)))
                hills.append(height - steep * square)
            return np.maximum.reduce(hills)

        point, value = made.best(lambda points: score(points.transpose(0, 2, 1)))
        expected = plain_search(score, dim, evaluations, made.recent[0])
        assert value[0] == expected[0]
        np.testing.assert_array_equal(point[0], expected[1])


def exact(points, rewards, x, covariance, ridge):
    """Mean and variance (m,) at x in units of the ridge, by equations (1) and (2)."""
    among = covariance(points, points) + ridge * np.eye(len(points))
    cross = covariance(points, x)
    weights = np.linalg.solve(among, cross)
    variance = (covariance.diagonal(x) - (cross * weights).sum(axis=0)) / ridge
    own = covariance(points, points)
    growth = float(np.trace(own - own @ np.linalg.solve(among, own)) / ridge)
    return weights.T @ rewards, np.maximum(variance, 0), growth


def features_of(agent, i, x):
    """The features (m, D) of points (m, 2), by their definitions, and what they leave out."""
    part = agent.model.features
    if hasattr(part, "frequencies"):
        omega = part.frequencies[min(i, len(part.frequencies) - 1)]
        scales = part.scales
        phase = x @ omega.T
        z = np.column_stack([np.cos(phase), np.sin(phase)[:, part.sines]]) * scales
        return z, np.zeros(len(x))
    points = part.dictionary[i]
    values, vectors = np.linalg.eigh(part.covariance(points, points))
    kept = values > len(points) * np.finfo(float).eps * values[-1]
    z = part.covariance(x, points) @ vectors[:, kept] / np.sqrt(values[kept])
    left = np.maximum(part.covariance.diagonal(x) - (z * z).sum(axis=1), 0)
    return z, left if agent.model.corrected else np.zeros(len(x))


def regression(z, left, played, rewards, ridge):
    """Mean and variance (m,) of ridge regression on features z (m, D), in units of the ridge."""
    gram = played.T @ played + ridge * np.eye(z.shape[1])
    mean = z @ np.linalg.solve(gram, played.T @ rewards)
    return mean, (z * np.linalg.solve(gram, z.T).T).sum(axis=1) + left / ridge


AGENTS = {
    "GPUCB": agents.GPUCB(radius="released", delta=DELTA),
    "GPUCB of theory": agents.GPUCB(delta=DELTA, radius="theory"),
    "KernelUCB": agents.KernelUCB(alpha=0.7, ridge=0.05),
    "BKB": agents.BKB(radius="released", delta=DELTA, qbar=2.0),
    "SoRUCB": agents.SoRUCB(radius="released", delta=DELTA, size=30),
    "DTCUCB": agents.DTCUCB(radius="released", delta=DELTA, size=30),
    "RFFUCB": agents.RFFUCB(radius="released", delta=DELTA, size=40),
    "QFFTS": agents.QFFTS(nodes=10, scale=0.3),
}


@pytest.mark.parametrize("name", AGENTS)
def test_states_and_decisions_are_those_of_the_definition(name):
    agent, rounds, n = AGENTS[name], 45, 2
    env = gymnasium.make_vec(
        "KernelBandit-v0", num_envs=n, arms="box", function="rkhs", param_norm=2.0, noise_std=0.2,
        covariance=RBF(length_scale=0.3), horizon=rounds,
    )  # fmt: skip
    task = env.unwrapped.task
    agent.reset(task, n=n, seed=3)
    observation, _ = env.reset(seed=0)
    covariance, ridge = task.covariance, agent.ridge or 0.04
    played, rewards = np.empty((rounds, n, 2)), np.empty((rounds, n))
    best, worst = 0, 0.0
    for t in range(rounds):
        points = agent.act(observation)
        columns = np.repeat(GRID.T[None], n, axis=0)
        for i in range(n):
            past, paid = played[:t, i], rewards[:t, i]
            x = np.concatenate([GRID, points[i : i + 1], agent.box.candidates])
            growth = None
            if isinstance(agent.parts()[0], Exact):
                mean, variance, growth = exact(past, paid, x, covariance, ridge)
            elif name == "BKB":
                if t == 0:
                    keys = Stream([3, 4], AGENT, 0, 0)
                    np.testing.assert_array_equal(points, keys.uniform(0, (2,)))
                    continue
                chosen = past[agent.model.inducing[i, : agent.model.count[i]]]
                values, vectors = np.linalg.eigh(covariance(chosen, chosen))
                kept = values > len(chosen) * np.finfo(float).eps * values[-1]
                root = vectors[:, kept] / np.sqrt(values[kept])
                z = covariance(np.concatenate([x, past]), chosen) @ root
                left = np.maximum(1.0 - (z * z).sum(axis=1), 0)
                mean, variance = regression(z, left, z[len(x) :], paid, ridge)
                growth = variance[len(x) :].sum()
                mean, variance = mean[: len(x)], variance[: len(x)]
            else:
                z, left = features_of(agent, i, np.concatenate([x, past]))
                mean, variance = regression(z, left, z[len(x) :], paid, ridge)
                growth = variance[len(x) :].sum()
                mean, variance = mean[: len(x)], variance[: len(x)]
            ours = agent.model.predict(columns)
            np.testing.assert_allclose(ours[0][i], mean[: len(GRID)], rtol=0, atol=1e-6)
            np.testing.assert_allclose(ours[1][i], variance[: len(GRID)], rtol=1e-6, atol=1e-6)
            if name == "QFFTS":
                gram = z[len(x) :].T @ z[len(x) :] / ridge + np.eye(z.shape[1])
                factor = np.linalg.cholesky(gram)
                normals = Stream([3, 4], AGENT, 0, 0).normal(t, (z.shape[1],))[i]
                theta = np.linalg.solve(gram, z[len(x) :].T @ paid) / ridge
                theta += 0.3 * np.linalg.solve(factor.T, normals) / math.sqrt(ridge)
                score = z[: len(x)] @ theta
            else:
                radius = getattr(agent, "radius", 0.7)
                if radius == "released":
                    noise = math.sqrt(growth * math.log(max(t, 1)) + math.log(1 / DELTA))
                    radius = math.sqrt(ridge) * 2.0 + 0.2 * noise
                elif radius == "theory":
                    logdet = np.linalg.slogdet(covariance(past, past) / ridge + np.eye(t))[1]
                    noise = math.sqrt(logdet + 2 * math.log(1 / DELTA))
                    radius = math.sqrt(ridge) * 2.0 + 0.2 * noise
                assert agent.choice.radius[i] == pytest.approx(radius, abs=1e-6)
                score = mean + radius * np.sqrt(variance)
            own = score[len(GRID)]
            # No candidate is better than what is played, to what scores agree.
            assert score[len(GRID) + 1 :].max() <= own + 1e-5
            short = score[: len(GRID)].max() - own
            best += short <= 1e-5
            worst = max(worst, short / max(np.ptp(score), 1e-3))  # before data all are equal
        observation, reward, *_ = env.step(points)
        agent.observe(observation, points, reward)
        played[t], rewards[t] = points, reward
    # The grid is finer than the 256 candidates. Where a score has two hills of all but one height
    # the search may take the lower one, by as much as a hill can rise above its nearest candidate,
    # half a step of 1/16 off in either coordinate and so by h = 0.044: where a bound is as curved
    # as its covariance, c / l² over a range of c or more, that is h² / (2 l²) = 0.011 of the range.
    assert best >= 0.95 * n * (rounds - 1)
    assert worst <= 0.011


def test_a_given_number_of_evaluations_is_what_a_round_takes(monkeypatch):
    made, seen = search(3, n=2, evaluations=64), []

    def score(points):
        seen.append(points.shape[2])
        return np.zeros((2, points.shape[2]))

    made.best(score)
    # 16 cycles of one start: three of three starts, and three of two.
    assert seen == [64 * 3 // 2 + 4, 18, 18, 18, 12, 12, 12]


@pytest.mark.parametrize("evaluations", [0, 2.5, None])
def test_bad_numbers_of_evaluations_are_refused(evaluations):
    with pytest.raises(ValueError, match="evaluations must be an integer >= 1"):
        agents.GPUCB(evaluations=evaluations)


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        (agents.BBKB(), "its VarianceBatches need finitely many arms"),
        (agents.GPTS(), "draws from the exact posterior need finitely many arms"),
        (agents.QFFTS(covariance=Matern()), "the covariance is Matern"),
        (agents.RFFUCB(covariance=Linear()), "the covariance is Linear"),
        (agents.QFFTS(nodes=40), "more than 1024 features, and on a box"),
    ],
)
def test_agents_that_cannot_play_a_box_say_why_in_a_line(agent, message):
    task = gymnasium.make("KernelBandit-v0", arms="box", function="branin").unwrapped.task
    with pytest.raises(ValueError, match=message) as caught:
        agent.reset(task)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["GPUCB", "BKB", "SoRUCB", "RFFUCB", "QFFTS"])
def test_branin_is_learned(name):
    # Uniform play loses 1.1 a round; the last rounds of each of four seeds lose a third of that.
    env = gymnasium.make_vec(
        "KernelBandit-v0", num_envs=4, arms="box", function="branin", horizon=150,
        covariance=RBF(length_scale=0.3, variance=2.0), param_norm=3.0,
    )  # fmt: skip
    trace = agents.play(env, getattr(agents, name)(), seed=0)
    span = trace.rounds[-1] - trace.rounds[-3]
    assert ((trace.regret[:, -1] - trace.regret[:, -3]) / span).max() < 0.37
