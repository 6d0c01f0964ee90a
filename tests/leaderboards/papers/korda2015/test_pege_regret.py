"""Limits of regret against a simulation of their own, verdict rules, a tiny run."""

import numpy as np
import pytest

from leaderboards.papers.claim import Finding, Sample, Verdict
from leaderboards.papers.korda2015 import pege_regret as paper

from ..module_claims import number

CLAIMS = {claim.id: claim for claim in paper.CLAIMS}
YES, NO, OPEN = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED, Verdict.INCONCLUSIVE
LABELS = ("PEGE", *(f"rho = {r}" for r in paper.RHOS))
SEEDS = [3, 4, 7]


def judged(claim, numbers):
    return CLAIMS[claim].judge({name: number(value, 0.009) for name, value in numbers.items()})


def changed(claim, keys, value, good=1.0):
    """The verdict on the last part where its number has this value, and the others are good."""
    found = judged(claim, dict.fromkeys(keys, good) | {keys[-1]: value})
    assert [found[key] for key in keys[:-1]] == [YES] * (len(keys) - 1)
    return found[keys[-1]]


def test_regret_per_cycle():
    keys = [f"exploration / exact, {name}" for name in paper.AXES]
    keys += [f"measured / limit, {name}, {own}" for name in paper.AXES for own in LABELS]
    for value, verdict in {1.13: YES, 0.87: YES, 1.145: OPEN, 0.8: NO, 2.0: NO}.items():
        assert changed("regret-per-cycle", keys, value) is verdict
    numbers = {key: number(1.0, 0.001) for key in keys} | {keys[0]: number(1.02, 0.001)}
    assert CLAIMS["regret-per-cycle"].judge(numbers)[keys[0]] is NO


def test_worse_by_a_factor():
    late = "late exploitation / PEGE's / limit"
    keys = [f"{late}, {name}, {own}" for name in paper.AXES for own in paper.FAST]
    for value, verdict in {1.23: YES, 0.82: YES, 0.805: OPEN, 0.7: NO, 2.0: NO}.items():
        assert changed("worse-by-a-factor", keys, value) is verdict


def test_regret_growth():
    keys = [f"exponent, {name}, {own}" for name in paper.AXES for own in LABELS]
    for value, verdict in {0.965: YES, 1.045: OPEN, 2.0: NO, 0.5: NO}.items():
        assert changed("regret-growth", keys, value) is verdict


def test_factors():
    np.testing.assert_allclose(paper.factors(np.full(3, 2.0), 1.0), 3)
    np.testing.assert_allclose(paper.factors(np.ones(2), 4 / 3), 8 / 3)
    own = paper.factors(np.array([0.5, 1.0]), 1.0)  # rho_k = 1 and 4
    np.testing.assert_allclose(own, [3, 4 * 6 / 7])


@pytest.mark.parametrize("name", paper.AXES)
def test_the_limit_of_a_cycles_loss(name):
    # The best point for an estimate of variance s2 v_k / (m a_k^2) along each axis, by the set's
    # own argmax. With m = 10^5 a cycle's loss is a quadratic form but for 1e-3 or so; it has sd /
    # mean of at most 1, so of 40 000 draws the mean is within 2 % (4 standard deviations).
    from banditgym.action_sets import Ellipsoid

    axes, m = paper.AXES[name], 1e5
    values = np.arange(1.0, paper.DIM + 1)
    rng = np.random.default_rng(5)
    noise = rng.normal(size=(40_000, paper.DIM)) * np.sqrt(values / m) * paper.NOISE_STD / axes
    points = Ellipsoid.of_axes(axes, None).argmax(paper.THETA + noise)
    best = Ellipsoid.of_axes(axes, None).argmax(paper.THETA[None])
    lost = m * ((best - points) @ paper.THETA).mean()
    assert paper.exploiting(axes, values) == pytest.approx(lost, rel=0.022)


def test_limit_on_the_sphere():
    found = paper.exploiting(np.ones(paper.DIM), np.ones(paper.DIM))
    assert found == pytest.approx((paper.DIM - 1) * paper.NOISE_STD**2 / 2)


def test_ends_of_cycles():
    assert paper.ends(np.array([1, 2, 3])).tolist() == [6, 13, 21]
    chosen = paper.cycle_grid(240)
    assert set(chosen) >= {1, 24, 30, 60, 120, 240}


def made_up():
    cycles, measures = np.array([1, 2, 4, 8]), {}
    for name in paper.AXES:
        for j, label in enumerate(LABELS):
            exploitation = np.outer(
                [1.0, 3.0], (j + 1) * np.array([1, 2, 4, 12])
            )  # 2 a cycle at last
            measures[f"{name}, {label}, exploitation"] = exploitation
            measures[f"{name}, {label}, regret"] = exploitation + 4 * cycles
    return Sample(cycles, measures)


def test_numbers_of_made_up_regret():
    sample = made_up()
    found = paper.per_cycle(sample)
    limit = paper.exploiting(np.ones(5), paper.factors(np.ones(5), 1.0))
    assert float(found["measured / limit, sphere, rho = 1"].value) == pytest.approx(8 / limit)
    exact = 5 - np.sqrt(5)  # of theta of norm 1 with equal coordinates
    assert float(found["exploration / exact, sphere"].value) == pytest.approx(4 / exact)
    # Twice PEGE's loss early; late, from 0 at the fourth cycle, three times: the limit is 3.
    sample.measures["sphere, rho = 1, exploitation"][:, 2] = 0
    found = paper.worse(sample)
    for when, ratio in (("early", 2), ("late", 3)):
        key = f"{when} exploitation / PEGE's / limit, sphere, rho = 1"
        assert float(found[key].value) == pytest.approx(ratio / 3)
    assert float(found["regret / PEGE's, sphere, rho = 1.6"].value) == pytest.approx(128 / 56)
    sample.measures["ellipsoid, PEGE, regret"] = np.outer([1.0, 2.0], sample.rounds)
    found = paper.growth(sample)
    assert float(found["exponent, ellipsoid, PEGE"].value) == pytest.approx(1)


def test_late_is_between_the_ends():
    sample = made_up()
    own = sample.measures["sphere, PEGE, exploitation"]
    own[:, 2:] += 8
    found = paper.late(sample, "sphere, PEGE", 2, 4)
    np.testing.assert_allclose(found, (own[:, 2] - own[:, 1]) / 2)


def test_a_tiny_run(tmp_path):
    experiment = CLAIMS["regret-growth"].experiment
    settings = {"cycles": 16}
    assert set(settings) == set(experiment.quick.settings) == set(experiment.full.settings)
    sample = experiment.simulate(SEEDS, **settings)
    alone = experiment.simulate(SEEDS[1:2], **settings)
    for name, values in sample.measures.items():
        assert values.shape == (3, len(sample.rounds))
        np.testing.assert_array_equal(values[1], alone.measures[name][0])
    for name, axes in paper.AXES.items():
        # What e_i or a semi-axis loses, cycle by cycle, against the best point.
        image = axes * paper.THETA
        lost = paper.DIM * np.linalg.norm(image) - image.sum()
        for label in LABELS:
            explored = (
                sample.measures[f"{name}, {label}, regret"]
                - sample.measures[f"{name}, {label}, exploitation"]
            )
            np.testing.assert_allclose(explored, np.tile(lost * sample.rounds, (3, 1)))
            assert (sample.measures[f"{name}, {label}, exploitation"] > 0).all()
    for claim in paper.CLAIMS:
        found = Finding.of(claim, sample, True)
        assert found.numbers
        assert found.verdict in Verdict
    experiment.draw(sample).savefig(tmp_path / "figure.png")
