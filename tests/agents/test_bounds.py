"""Bounds against numbers worked out by hand, where they are attained, and over simulated runs."""

import math

import gymnasium
import numpy as np
import pytest

import agents
from agents import bounds
from agents.losses.adaptive_descent import AdaptiveDescent
from agents.losses.curvature_descent import CurvatureDescent
from agents.losses.follow_the_regularized_leader import FollowTheRegularizedLeader
from agents.losses.online_gradient_descent import OnlineGradientDescent
from banditgym.action_sets import Ball
from banditgym.tasks import LossTask

# d 2, ridge 0.5, X 2: d log(1 + t X² / (ridge d)) is 2 log 5 after one round, 2 log 13 after three
KNOWN = {"dim": 2, "ridge": 0.5, "feature_norm": 2.0}
T = np.array([[0, 1], [3, 3]])
LOGS = 2 * np.log(np.array([[1, 5], [13, 13]]))
NOISY = KNOWN | {"noise_std": 0.7, "delta": 0.2}
BANDIT = NOISY | {"param_norm": 3.0}
EXCESS = 8 / math.log(9)  # X² / ridge over log(1 + X² / ridge)
RHO = math.sqrt(0.5) * 3 + 0.7 * np.sqrt(2 * math.log(5) + LOGS)


@pytest.mark.parametrize(
    ("bound", "known", "expected"),
    [
        (bounds.log_det_closed, KNOWN, LOGS),
        (bounds.online_ridge_adversarial, KNOWN | {"outcome_bound": 3.0}, 36 * LOGS),
        (bounds.forward_adversarial, KNOWN | {"outcome_bound": 3.0}, 9 * LOGS),
        (bounds.forward_leading, NOISY, 2 * 0.49 * LOGS * (LOGS / 2 + math.log(10))),
        (
            bounds.online_ridge_leading,
            NOISY,
            EXCESS * 2 * 0.49 * LOGS * (LOGS / 2 + math.log(10)),
        ),
        (bounds.oful, BANDIT, 4 * np.sqrt(T * LOGS) * RHO),
        (bounds.oful_unbounded, BANDIT, 4 * np.sqrt(EXCESS * T * LOGS) * RHO),
        (bounds.forward_oful, BANDIT, 4 * np.sqrt(T * LOGS) * (RHO + 6)),
        (
            bounds.online_ridge_logdet_closed,
            KNOWN | {"comparator_norm": 2.0, "loss_bound": 3.0},
            1 + 3 * LOGS,
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_functions_of_the_round(bound, known, expected):
    """The papers' formulas as corrected, for an array of rounds and for one."""
    np.testing.assert_allclose(bound(T, **known), expected, rtol=1e-14)
    assert bound(3, **known) == pytest.approx(expected[1, 0], rel=1e-14)


def test_oful_under_assumption_1_takes_a_radius_of_at_least_1():
    small = BANDIT | {"ridge": 1e-4, "param_norm": 0.1, "noise_std": 1e-3}
    expected = 4 * math.sqrt(3 * 2 * math.log(1 + 12 / 2e-4))
    assert bounds.oful(3, **small) == pytest.approx(expected, rel=1e-14)
    assert bounds.oful_unbounded(3, **small) > 0


def test_log_determinant_bound_of_the_lecture():
    """ridge / 2 * 3² + 5 * (1, 2)."""
    got = bounds.online_ridge_logdet(
        np.array([1.0, 2.0]), ridge=0.5, comparator_norm=3.0, loss_bound=5.0
    )
    np.testing.assert_allclose(got, [7.25, 12.25], rtol=1e-15)


def test_sequences_of_losses():
    """G 2, 0, 3; H 1, 0, 2; at D = 2, added a, 0, b with 6 a (1 + a) = 4, 6 b (3 + a + b) = 9."""
    g, h = np.array([2.0, 0.0, 3.0]), np.array([1.0, 0.0, 2.0])
    got = bounds.follow_the_regularized_leader(g, h, ridge=3.0, radius=2.0)
    np.testing.assert_allclose(got, 6 + np.array([0.5, 0.5, 0.5 + 0.75]), rtol=1e-15)
    np.testing.assert_allclose(bounds.curvature_descent(g, h), [2, 2, 3.5], rtol=1e-15)
    a = (math.sqrt(1 + 8 / 3) - 1) / 2
    b = (math.sqrt((3 + a) ** 2 + 6) - (3 + a)) / 2
    first, last = (2 + 2 * a) ** 2 / (1 + a) / 2, (3 + 2 * b) ** 2 / (3 + a + b) / 2
    expected = np.array([2 * a + first, 2 * a + first, 2 * (a + b) + first + last])
    np.testing.assert_allclose(bounds.adaptive_descent(g, h, radius=2.0), expected, rtol=1e-14)
    first, last = 4 / (1 + a), 9 / (3 + a + b)
    expected = np.array([6 * a + first, 6 * a + first, 6 * (a + b) + first + last])
    balanced = bounds.adaptive_descent_balanced(g, h, radius=2.0)
    np.testing.assert_allclose(balanced, expected, rtol=1e-14)
    np.testing.assert_allclose(balanced, [12 * a, 12 * a, 12 * (a + b)], rtol=1e-14)
    got = bounds.online_gradient_descent(np.array([1, 4]), gradient_norm=5.0, radius=2.0)
    np.testing.assert_allclose(got, [30, 60], rtol=1e-15)


def test_rounds_are_the_last_axis():
    """Every row of a batch is as if alone; whole numbers serve, and a curvature for all."""
    rng = np.random.default_rng(3)
    g, h = rng.integers(0, 3, (2, 4, 30)), rng.integers(0, 2, (2, 4, 30))
    for bound, known in (
        (bounds.follow_the_regularized_leader, {"ridge": 2.0, "radius": 2.0}),
        (bounds.curvature_descent, {}),
        (bounds.adaptive_descent, {"radius": 2.0}),
        (bounds.adaptive_descent_balanced, {"radius": 2.0}),
    ):
        got = bound(g, h, **known)
        assert got.shape == (2, 4, 30)
        for at in np.ndindex(2, 4):
            alone = bound(g[at].astype(float), h[at].astype(float), **known)
            np.testing.assert_array_equal(got[at], alone)
        np.testing.assert_array_equal(bound(g[0, 0], 2, **known), bound(g[0, 0], [2] * 30, **known))


def test_curvature_descent_has_no_bound_after_a_gradient_without_curvature():
    got = bounds.curvature_descent([0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0])
    np.testing.assert_array_equal(got, [0, 0, np.inf, np.inf])
    got = bounds.curvature_descent([0.0, 2.0, 2.0], [0.0, 1.0, 1.0])
    np.testing.assert_array_equal(got, [0, 2, 3])


def test_without_gradients_the_adaptive_bound_is_0():
    np.testing.assert_array_equal(
        bounds.adaptive_descent([0.0, 0.0], [0.0, 1.0], radius=1.0), [0, 0]
    )
    np.testing.assert_array_equal(
        bounds.adaptive_descent_balanced([0.0, 0.0], [0.0, 1.0], radius=1.0), [0, 0]
    )


def run(agent, kind, radius, dim=3, rounds=200, seed=0):
    """Play l_t(x) = <c_t, x> + H_t / 2 ‖x - z_t‖²; the norms G_t, the H_t, and the regrets.

    Regrets after every round are against the best point of the ball then: the sum of the losses is
    isotropic, so that is the projection of (sum H z - sum c) / sum H, or the end of the ball.
    """
    rng = np.random.default_rng(seed)
    task = LossTask(dim=dim, horizon=rounds, action_set=Ball(dim, radius), gradient_norm=30.0)
    agent.reset(task)
    a, b, constant, paid = 0.0, np.zeros(dim), 0.0, 0.0
    norms, curvatures, regrets, against_leader = [], [], [], []
    for t in range(rounds):
        x = agent.act(0)
        c, z = rng.standard_normal((2, dim))
        h = 0.2 + rng.exponential()
        if kind == "linear" or (kind == "late" and t >= 20) or (kind == "mixed" and t % 3):
            h = 0.0
        if kind == "quadratic":
            c = np.zeros(dim)
        if kind == "late" and t >= 20:  # the adversary that curvature descent fails against
            c = np.where(x >= 0, 1.0, -1.0)
        gradient = c + h * (x - z)
        loss = c @ x + h / 2 * (x - z) @ (x - z)
        agent.observe(0, x, -loss, feedback={"loss": loss, "gradient": gradient, "curvature": h})
        a, b, constant, paid = a + h, b + h * z - c, constant + h / 2 * z @ z, paid + loss
        best = b / a if a > 0 else np.full(dim, np.inf)
        if not np.linalg.norm(best) <= radius:
            best = radius * b / np.linalg.norm(b)
        norms.append(np.linalg.norm(gradient))
        curvatures.append(h)
        regrets.append(paid - (a / 2 * best @ best - b @ best + constant))
        ridge = getattr(agent, "ridge", 0.0)
        if a + ridge > 0:
            leader = b / (a + ridge)
            against_leader.append(
                paid - ((a + ridge) / 2 * leader @ leader - b @ leader + constant)
            )
    return np.array(norms), np.array(curvatures), np.array(regrets), np.array(against_leader)


@pytest.mark.parametrize("kind", ["curved", "linear", "mixed", "late", "quadratic"])
@pytest.mark.parametrize("radius", [0.3, 2.0])
def test_regret_of_learners_of_losses_is_below_their_bound(kind, radius):
    """After every round. The first loss of "mixed" is curved, so nothing is infinite there."""
    for seed in range(4):
        for ridge in (0.5, 20.0):
            learner = FollowTheRegularizedLeader(ridge=ridge)
            g, h, regret, _ = run(learner, kind, radius, seed=seed)
            limit = bounds.follow_the_regularized_leader(g, h, ridge=ridge, radius=radius)
            assert (regret <= limit + 1e-9).all()
        g, h, regret, _ = run(CurvatureDescent(), kind, radius, seed=seed)
        limit = bounds.curvature_descent(g, h)
        assert np.isfinite(limit).all() == (kind != "linear")
        assert (regret <= limit + 1e-9).all()
        g, h, regret, _ = run(AdaptiveDescent(), kind, radius, seed=seed)
        limit = bounds.adaptive_descent(g, h, radius=radius)
        assert (regret <= limit + 1e-9).all()
        assert (limit <= bounds.adaptive_descent_balanced(g, h, radius=radius) + 1e-9).all()
        g, h, regret, _ = run(OnlineGradientDescent(gradient_norm=30.0), kind, radius, seed=seed)
        assert g.max() <= 30
        rounds = np.arange(1, g.size + 1)
        limit = bounds.online_gradient_descent(rounds, gradient_norm=30.0, radius=radius)
        assert (regret <= limit + 1e-9).all()


def test_on_quadratics_inside_the_ball_the_bounds_are_attained():
    """Where nothing is projected they are equalities: Lemma 2.3 against the mean of the centres,
    the leader's against its own objective, the least of sum of losses + ridge / 2 ‖u‖²."""
    radius, ridge = 50.0, 0.8
    g, h, regret, _ = run(CurvatureDescent(), "quadratic", radius)
    np.testing.assert_allclose(regret, bounds.curvature_descent(g, h), rtol=1e-11)
    g, h, _, regret = run(FollowTheRegularizedLeader(ridge=ridge), "quadratic", radius)
    limit = bounds.follow_the_regularized_leader(g, h, ridge=ridge, radius=radius)
    np.testing.assert_allclose(regret, limit - ridge / 2 * radius**2, rtol=1e-11, atol=1e-10)


@pytest.mark.parametrize("law", ["random", "adversary", "linear"])
@pytest.mark.parametrize("ridge", [0.1, 2.0])
def test_adversarial_regression_is_below_its_bounds(law, ridge):
    """Clipped ridge and the forward algorithm, solved afresh every round, after every round."""
    dim, x_norm, largest, rounds = 3, 1.5, 2.0, 120
    known = {"dim": dim, "ridge": ridge, "feature_norm": x_norm, "outcome_bound": largest}
    for seed in range(3):
        rng = np.random.default_rng(seed)
        theta = rng.standard_normal(dim)
        for forward in (False, True):
            gram, moment, squares, paid = ridge * np.eye(dim), np.zeros(dim), 0.0, 0.0
            for t in range(1, rounds + 1):
                x = rng.standard_normal(dim)
                x *= x_norm / np.linalg.norm(x)
                seen = gram + np.outer(x, x) if forward else gram
                prediction = x @ np.linalg.solve(seen, moment)
                if not forward:
                    prediction = np.clip(prediction, -largest, largest)
                if law == "random":
                    y = largest * rng.choice([-1.0, 1.0])
                elif law == "adversary":
                    y = -largest if prediction >= 0 else largest
                else:
                    y = np.clip(x @ theta + rng.standard_normal(), -largest, largest)
                gram, moment = gram + np.outer(x, x), moment + y * x
                squares, paid = squares + y * y, paid + (prediction - y) ** 2
                regret = paid - (squares - moment @ np.linalg.solve(gram, moment))
                bound = bounds.forward_adversarial if forward else bounds.online_ridge_adversarial
                assert regret <= bound(t, **known)


def test_the_lectures_bound_is_nearly_attained_with_the_corrected_constant():
    """An adversary who takes the same loss p in every round, with short features: regret is
    p * sum of x A^-1 x, at most x² / 2 = 0.5% below p log det A. Printed, it would be twice that.
    """
    rng = np.random.default_rng(1)
    ridge, dim, loss, rounds = 1.0, 2, 0.7, 4000
    gram, moment, squares = ridge * np.eye(dim), np.zeros(dim), 0.0
    for _ in range(rounds):
        x = rng.standard_normal(dim)
        x *= 0.1 / np.linalg.norm(x)
        prediction = x @ np.linalg.solve(gram, moment)
        y = prediction + rng.choice([-1, 1]) * math.sqrt(2 * loss)
        gram, moment, squares = gram + np.outer(x, x), moment + y * x, squares + y * y
    best = np.linalg.solve(gram, moment)
    fit = squares / 2 - moment @ best + best @ (gram - ridge * np.eye(dim)) @ best / 2
    regret = rounds * loss - fit
    known = {"ridge": ridge, "comparator_norm": np.linalg.norm(best), "loss_bound": loss}
    log_det = np.linalg.slogdet(gram)[1] - dim * math.log(ridge)
    limit = bounds.online_ridge_logdet(log_det, **known)
    assert 0.99 * limit < regret <= limit
    closed = bounds.online_ridge_logdet_closed(rounds, dim=dim, feature_norm=0.1, **known)
    assert limit <= closed < 1.01 * limit


@pytest.mark.parametrize("ridge", [0.01, 1.0])
def test_optimistic_bandits_are_below_their_bounds(ridge):
    """Each may fail with probability 0.01 per seed; of 30 seeds none does, as the bounds are loose.
    Features have length 1 at most and so has theta: rewards lie in [-1, 1]."""
    envs = gymnasium.make_vec("LinearBandit-v0", num_envs=30, n_arms=8, dim=3, horizon=600)
    task = envs.unwrapped.task  # type: ignore[attr-defined]
    assert task.feature_norm == 1
    assert task.param_norm == 1
    known = {
        "dim": 3, "ridge": ridge, "feature_norm": 1.0, "noise_std": task.subgaussian,
        "param_norm": 1.0, "delta": 0.01,
    }  # fmt: skip
    trace = agents.play(envs, agents.OFUL(ridge=ridge, delta=0.01))
    assert trace.regret is not None
    for bound in (bounds.oful, bounds.oful_unbounded):
        assert (trace.regret <= bound(trace.rounds, **known)).all()
    trace = agents.play(envs, agents.ForwardOFUL(ridge=ridge, delta=0.01))
    assert trace.regret is not None
    assert (trace.regret <= bounds.forward_oful(trace.rounds, **known)).all()
