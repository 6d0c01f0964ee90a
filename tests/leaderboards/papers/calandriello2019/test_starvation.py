"""SoR's variance and f against their definitions, a tiny Figure 2 recomputed, verdict rules."""

import gymnasium
import numpy as np
import pytest

from banditgym.functions.covariances import RBF
from leaderboards.papers.calandriello2019 import starvation as paper
from leaderboards.papers.calandriello2019.plain_gp import refit
from leaderboards.papers.claim import Finding, Sample
from leaderboards.papers.verdicts import Verdict, whole

from ..module_claims import narrow as number

CLAIMS = {claim.id: claim for claim in paper.CLAIMS}
SEEDS = [3, 4, 7]
TIMES = (3, 20, 60)
YES, PARTLY, NO = Verdict.REPRODUCED, Verdict.PARTLY, Verdict.NOT_REPRODUCED


def judged(claim, numbers):
    return whole(CLAIMS[claim].judge({name: number(value) for name, value in numbers.items()}))


def test_function_values_are_what_regret_is_made_of():
    settings = {"n_arms": 12, "dim": 2, "function": "rkhs", "param_norm": 2.0}
    values = paper.function_values("KernelBandit-v0", SEEDS, **settings)
    envs = gymnasium.make_vec("KernelBandit-v0", num_envs=3, noise_std=0.3, **settings)
    envs.reset(seed=SEEDS)
    for arm in (5, 0, 11):
        _, _, _, _, info = envs.step(np.full(3, arm))
        np.testing.assert_allclose(info["regret"], values.max(axis=1) - values[:, arm], atol=1e-12)
    assert np.ptp(values, axis=1).min() > 0.1


@pytest.fixture(scope="module")
def sample():
    return paper.figure_2(SEEDS, TIMES, n_arms=40)


def test_a_tiny_run(sample, tmp_path):
    alone = paper.figure_2([4], TIMES, n_arms=40)
    for measure, values in sample.measures.items():  # a seed's row does not depend on the others
        np.testing.assert_array_equal(values[1], alone.measures[measure][0])
    paper.draw(sample).savefig(tmp_path / "figure.png")
    made_up = sample._replace(rounds=np.array(paper.TIMES))
    for claim in paper.CLAIMS:
        assert Finding.of(claim, made_up, True).verdict in Verdict


@pytest.mark.parametrize("case", paper.CASES)
def test_posteriors_are_those_of_the_evaluations(sample, case):
    length_scale, ridge = paper.CASES[case]
    own = {
        name.removeprefix(f"{case}, "): values
        for name, values in sample.measures.items()
        if name.startswith(case)
    }
    x = own["x"][0][:, None]
    np.testing.assert_allclose(x[:, 0], np.linspace(0, 1, 40))
    covariance = RBF(length_scale=length_scale)
    power = float(case.split("exp(-")[1].split()[0])  # exp(-power r²)
    assert float(covariance([[0.0]], [[0.1]])[0, 0]) == pytest.approx(np.exp(-power / 100))
    for i in range(3):
        assert x[own["pulled"][i]].max() <= 0.5
        noise = own["reward"][i] - own["f"][i][own["pulled"][i]]
        assert 0.5 < noise.std() / ridge**0.5 < 2
        for j, t in enumerate(TIMES):
            mean, variance = refit(covariance, x, own["pulled"][i, :t], own["reward"][i, :t], ridge)
            np.testing.assert_allclose(own["exact, mean"][i, j], mean, atol=1e-7)
            np.testing.assert_allclose(own["exact, variance"][i, j], variance, rtol=1e-6)
            # In BKB's space of inducing points no variance is larger than it puts back.
            assert (own["SoR, variance"][i, j] <= own["BKB, variance"][i, j] + 1e-7).all()
            if t == 3:  # every probability is 1, and of inducing points all is explained
                at = own["pulled"][i, :t]
                np.testing.assert_allclose(own["SoR, variance"][i, j][at], variance[at], rtol=1e-6)
                assert own["left out"][i, j] == 0


def test_numbers_of_made_up_variances():
    x = np.linspace(0, 1, 11)  # six on the left
    exact = np.ones((2, 1, 11))
    sor, bkb = exact.copy(), exact.copy()
    sor[..., 6:] = [0.1, 0.2, 0.3, 0.4, 0.9]
    bkb[0, 0, 3], bkb[1, 0, 8] = 1 / 3.5, 2.9
    own = {"exact, variance": exact, "SoR, variance": sor, "BKB, variance": bkb}
    own |= {"x": np.tile(x, (2, 1)), "left out": np.array([[0.25], [0.75]])}
    measures = {f"{case}, {name}": v for case in paper.CASES for name, v in own.items()}
    made_up, at = Sample(np.array([6]), measures), f"t = 6, {paper.DRAWN}"
    starved = paper.starvation(made_up)
    assert float(starved[f"SoR / exact, right, {at}"].value) == pytest.approx(0.3)
    assert float(starved[f"SoR / exact, left, {at}"].value) == 1
    avoided = paper.avoided(made_up)
    assert float(avoided[f"seeds within a factor 3, {at}"].value) == 0.5
    assert float(avoided[f"worst factor, {at}"].value) == pytest.approx((3.5 + 2.9) / 2)
    assert float(avoided[f"pulled arms outside S, {at}"].value) == 0.5


EACH = [f"t = {t}, {case}" for case in paper.CASES for t in paper.TIMES]


def test_starvation():
    def of(first, others):
        shares = dict.fromkeys(EACH, others) | {EACH[0]: first}
        return judged("starvation", {f"SoR / exact, right, {at}": x for at, x in shares.items()})

    assert of(0, 0.05) is YES
    assert of(0.2, 0.05) is PARTLY
    assert of(0.2, 1) is NO


def test_starvation_avoided():
    def of(share, outside=0.5, factor=1.2, others=0.95):
        numbers = {}
        for at in EACH:
            first = at == EACH[0]
            numbers |= {
                f"seeds within a factor 3, {at}": share if first else others,
                f"pulled arms outside S, {at}": outside if first else 0.5,
                f"worst factor, {at}": factor if first else 1.2,
            }
        return judged("starvation-avoided", numbers)

    assert of(0.95) is YES
    assert of(0.5) is PARTLY
    assert of(0.5, others=0.5) is NO
    # With all pulled arms in S nothing was chosen: that part does not count beside the others.
    assert of(0.95, outside=0.0, factor=1.0, others=0.5) is NO
    assert of(0.95, outside=0.0, factor=1.2, others=0.5) is PARTLY
