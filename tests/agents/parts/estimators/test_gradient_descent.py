"""GradientDescent against its definition, sample by sample."""

from dataclasses import replace

import numpy as np
import pytest

from agents.parts.estimators import GradientDescent


@pytest.mark.parametrize("form", ["fresh", "fixed", "rows", "known"])
@pytest.mark.parametrize("kind", ["random", "long", "short", "zero", "some zero"])
@pytest.mark.parametrize("dim", [1, 3, 21])
def test_makes_the_steps_of_the_definition(follow, form, kind, dim):
    follow(GradientDescent(step=7.0), form, kind, dim)


@pytest.mark.parametrize("ridge", [0.4, 900.0])  # steps of 1/4 would grow with the second
@pytest.mark.parametrize("kind", ["random", "zero"])
def test_with_a_ridge(follow, kind, ridge):
    follow(GradientDescent(step=30.0, ridge=ridge), "fresh", kind, 5)


def test_the_step_without_c_is_that_of_rho(follow):
    follow(GradientDescent(rho=0.9), "fresh", "random", 5)


def test_predicts_means_alone(task):
    rng = np.random.default_rng(0)
    for n_arms in (1, 6):
        model = GradientDescent().reset(task(9, n_arms), 2, [0, 1])
        x = rng.standard_normal((2, 9, n_arms))
        x.flags.writeable = False
        yes = np.ones(2, bool)
        model.update(x, np.zeros(2, int), np.ones(2), yes)
        mean, variance = model.predict(x)
        np.testing.assert_allclose(mean, np.einsum("ndk,nd->nk", x, model.theta), rtol=1e-13)
        assert variance is None


def test_a_task_whose_rows_cannot_be_squared_is_refused_at_the_start(task):
    GradientDescent().reset(replace(task(2, 3), feature_norm=1e150), 1, [0])
    with pytest.raises(ValueError, match="1e\\+200, which is too long: scale them"):
        GradientDescent().reset(replace(task(2, 3), feature_norm=1e200), 1, [0])


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
@pytest.mark.parametrize("n_arms", [1, 3])
def test_rows_that_cannot_be_squared_are_refused_before_anything_changes(task, bad, n_arms):
    model = GradientDescent().reset(task(2, n_arms), 3, [0, 1, 2])
    x = np.ones((3, 2, n_arms))
    x[2, 1, 0] = bad
    x.flags.writeable = False
    no, yes = np.array([True, True, False]), np.ones(3, bool)
    model.update(x, np.zeros(3, int), np.ones(3), no)
    theta, chunk = model.theta.copy(), model.samples.chunks[0].copy()
    with pytest.raises(ValueError, match="replicate 2 are not finite, or too long"):
        model.update(x, np.zeros(3, int), np.ones(3), yes)
    np.testing.assert_array_equal(model.theta, theta)
    np.testing.assert_array_equal(model.samples.chunks[0], chunk)
    assert list(model.count) == [1, 1, 0]
    fixed = GradientDescent().reset(task(2, n_arms, True), 3, [0, 1, 2])
    with pytest.raises(ValueError, match="replicate 2 are not finite, or too long"):
        fixed.update(x, np.zeros(3, int), np.ones(3), no)
    if bad != 1e200:
        with pytest.raises(ValueError, match="a feature of replicate 2 is not finite"):
            model.predict(x)


@pytest.mark.parametrize("rows", [[[1.0]], [1.0, 2.0], np.zeros((0, 2)), [[1.0, np.nan]]])
def test_known_rows_are_checked(task, rows):
    with pytest.raises(ValueError, match="rows must be"):
        GradientDescent().reset(task(2), 1, [0], rows=rows)


@pytest.mark.parametrize(
    "setting",
    [{"step": 0.0}, {"step": np.inf}, {"rho": 0.5}, {"rho": np.nan}, {"ridge": -1.0}],
)
def test_settings_are_checked(setting):
    name, value = next(iter(setting.items()))
    with pytest.raises(ValueError, match=f"{name}.*{value}"):
        GradientDescent(**setting)
