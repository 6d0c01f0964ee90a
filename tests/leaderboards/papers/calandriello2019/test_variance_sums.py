"""Information gain against enumeration, sums against plain refits, and verdict rules."""

import math
from itertools import combinations_with_replacement

import gymnasium
import numpy as np
import pytest

from agents import GPUCB, play
from banditgym.functions.covariances import RBF
from leaderboards.papers.calandriello2019 import variance_sums as paper
from leaderboards.papers.calandriello2019.plain_gp import refit
from leaderboards.papers.claim import Finding
from leaderboards.papers.recorder import Recorder
from leaderboards.papers.verdicts import Verdict, whole

from ..module_claims import narrow as number

CLAIMS = {claim.id: claim for claim in paper.CLAIMS}
SEEDS = [3, 4, 7]
YES, PARTLY, NO = Verdict.REPRODUCED, Verdict.PARTLY, Verdict.NOT_REPRODUCED
RUN = "GPUCB, lambda = 1"


def judged(claim, numbers):
    return whole(CLAIMS[claim].judge({name: number(value) for name, value in numbers.items()}))


def log_det(gram, pulled, ridge):
    own = gram[np.ix_(pulled, pulled)]
    return np.linalg.slogdet(np.eye(len(pulled)) + own / ridge)[1]


@pytest.mark.parametrize("ridge", [1.0, 0.05])
def test_information_gain_is_a_close_bound(ridge):
    arms = np.array([[0.0], [0.15], [0.5], [1.0]])
    gram = RBF(length_scale=0.3, variance=2.0)(arms, arms)
    rounds = np.array([1, 2, 5, 8])
    found = paper.information_gain(gram, rounds, ridge)
    for t, bound in zip(rounds, found, strict=True):
        choices = combinations_with_replacement(range(4), t)
        best = max(log_det(gram, list(pulled), ridge) for pulled in choices) / 2
        assert best - 1e-9 <= bound
        # Fractions of a pull matter little when there are many pulls, and at one not at all.
        assert bound <= best * (1 + 1e-9 if t == 1 else 1.06 if t > 4 else 1.5)


def test_information_gain_of_one_arm_is_exact():
    found = paper.information_gain(np.array([[3.0]]), np.array([1, 10]), 0.5)
    np.testing.assert_allclose(found, [math.log(7) / 2, math.log(61) / 2])


def test_spectra_are_those_of_the_kernel_matrix():
    rng = np.random.default_rng(1)
    arms, counts = rng.random((5, 2)), np.array([[[2, 0, 1, 3, 1]]])
    gram = RBF(length_scale=0.4)(arms, arms)
    pulled = np.repeat(np.arange(5), counts[0, 0])
    expected = np.linalg.eigvalsh(gram[np.ix_(pulled, pulled)])[-5:]
    np.testing.assert_allclose(paper.spectra(gram, counts)[0, 0], expected, atol=1e-12)


@pytest.fixture(scope="module")
def sample():
    return paper.sums(SEEDS, horizon=30, n_arms=6)


def test_a_tiny_run(sample, tmp_path):
    alone = paper.sums([4], horizon=30, n_arms=6)
    for measure, values in sample.measures.items():  # a seed's row does not depend on the others
        np.testing.assert_allclose(values[1], alone.measures[measure][0], rtol=1e-12)
    for claim in paper.CLAIMS:
        assert Finding.of(claim, sample, True).numbers
    # At lambda = 1 the first pull alone is a counterexample: 1/2 against log(2)/2.
    assert Finding.of(CLAIMS["gamma"], sample, False).parts[f"runs above gamma, {RUN}"] is NO
    assert Finding.of(CLAIMS["appendix-b"], sample, True).verdict is YES
    paper.draw(sample).savefig(tmp_path / "figure.png")


def test_terms_are_those_of_the_run(sample):
    envs = gymnasium.make_vec(
        "KernelBandit-v0", num_envs=3, n_arms=6, dim=1, noise_std=1.0, horizon=30
    )
    task = envs.unwrapped.task
    recorder = Recorder(
        agent=GPUCB(ridge=1.0, radius="released"),
        notes=lambda agent, contexts, arms, reward: {"arm": arms},
    )
    play(envs, recorder, seed=SEEDS)
    gram = task.covariance(task.arms, task.arms)
    for i in range(3):
        after = before = by_sums = 0.0
        for t in range(1, 31):
            pulled, zeros = recorder.kept()["arm"][i, :t], np.zeros(t)
            _, old = refit(task.covariance, task.arms, pulled[:-1], zeros[:-1], 1.0)
            _, new = refit(task.covariance, task.arms, pulled, zeros, 1.0)
            after, before = after + new[pulled[-1]], before + old[pulled[-1]]
            by_sums += math.log(1 + old[pulled[-1]])
            if t in sample.rounds:
                j = int(np.flatnonzero(sample.rounds == t)[0])
                found = {
                    name: sample.measures[f"{RUN}, {name}"][i, j]
                    for name in ("sum", "sum before", "logdet", "d_eff", "norm")
                }
                own = gram[np.ix_(pulled, pulled)]
                assert found == pytest.approx({
                    "sum": after,
                    "sum before": before,
                    "logdet": by_sums,
                    "d_eff": new[pulled].sum(),
                    "norm": np.linalg.norm(own, 2),
                })  # fmt: skip


@pytest.mark.parametrize("name", ["d_eff", "sum", "logdet"])
def test_a_link_that_breaks_is_seen(sample, name):
    broken = {measure: values.copy() for measure, values in sample.measures.items()}
    broken[f"{RUN}, {name}"][1, 5] *= 30
    numbers = paper.chain(sample._replace(measures=broken))
    assert float(numbers[f"runs that fail, {RUN}"].value) == pytest.approx(1 / 3)
    found = CLAIMS["appendix-b"].judge(numbers)
    # What the posterior did not confirm is no counterexample.
    expected = Verdict.INCONCLUSIVE if name == "logdet" else NO
    assert found[f"runs that fail, {RUN}"] is expected


def test_variances_that_are_not_the_posteriors_are_seen(sample):
    broken = {measure: values.copy() for measure, values in sample.measures.items()}
    broken[f"{RUN}, update"][1] = 1e-5
    numbers = paper.chain(sample._replace(measures=broken))
    assert float(numbers[f"runs of other variances, {RUN}"].value) == pytest.approx(1 / 3)
    found = CLAIMS["appendix-b"].judge(numbers)
    assert found[f"runs that fail, {RUN}"] is Verdict.INCONCLUSIVE


def test_a_proposition_that_breaks_is_seen(sample):
    broken = {measure: values.copy() for measure, values in sample.measures.items()}
    broken[f"{RUN}, proposition fails"][2] = True
    numbers = paper.chain(sample._replace(measures=broken))
    assert float(numbers[f"runs that fail, {RUN}"].value) == pytest.approx(1 / 3)


def test_the_proposition():
    # kappa²/lambda = 2: before / 3 <= before / (before + 1) <= after <= before
    before = np.array([2.0, 2.0, 1.0, 1.0, 2.5])
    after = np.array([2 / 3, 0.66, 0.7, 1.1, 2.5 / 3.5])
    found = paper.proposition_fails(before, after, 0.5)
    assert found.tolist() == [False, True, False, True, True]


def test_rounding_breaks_nothing():
    assert not paper.exceeds(np.array([1 + 1e-12]), np.array([1.0]))[0]
    assert paper.exceeds(np.array([1 + 1e-8]), np.array([1.0]))[0]


@pytest.mark.parametrize(
    ("claim", "name"), [("gamma", "runs above gamma"), ("appendix-b", "runs that fail")]
)
def test_one_counterexample_is_enough(claim, name):
    numbers = {f"{name}, {run}": 0.0 for run in paper.RUNS}
    numbers |= {f"runs of other variances, {run}": 0.0 for run in paper.RUNS}
    assert judged(claim, numbers) is YES
    assert judged(claim, numbers | {f"{name}, {paper.RUNS[2]}": 0.025}) is PARTLY


def test_gain_is_against_gamma_and_twice_gamma(sample):
    made_up = {measure: values.copy() for measure, values in sample.measures.items()}
    made_up[f"{RUN}, gamma"][:] = 10.0
    made_up[f"{RUN}, sum"] = np.full_like(made_up[f"{RUN}, sum"], 9.0)
    made_up[f"{RUN}, sum before"] = np.full_like(made_up[f"{RUN}, sum"], 70.0)
    made_up[f"{RUN}, sum"][0, 3], made_up[f"{RUN}, sum"][1, 4] = 11.0, 21.0
    numbers = paper.gain(sample._replace(measures=made_up))
    assert float(numbers[f"runs above gamma, {RUN}"].value) == pytest.approx(2 / 3)
    assert float(numbers[f"runs above 2 gamma, {RUN}"].value) == pytest.approx(1 / 3)
    assert float(numbers[f"sum / gamma, most, {RUN}"].value) == pytest.approx(4.1 / 3)
    assert float(numbers[f"other reading / gamma, most, {RUN}"].value) == pytest.approx(7)
