"""Coverage recomputed from definitions, the rules, and a tiny run."""

import gymnasium
import numpy as np

from agents import play
from leaderboards.papers.ouhamma2021 import confidence_sets as paper
from leaderboards.papers.recorder import Recorder
from leaderboards.papers.verdicts import Verdict

YES, NO = Verdict.REPRODUCED, Verdict.NOT_REPRODUCED


def test_coverage(judged):
    of = {f"{case}, {name}": 0.05 for case in paper.CASES for name in paper.SETS}
    control = {f"without the log-determinant, {name}": 0.4 for name in paper.SETS}
    assert set(judged("coverage", of | control).values()) == {YES}
    missed = judged("coverage", of | control | {"noise alone, OFUL": 0.3})
    assert [name for name, part in missed.items() if part is NO] == ["noise alone, OFUL"]
    # A radius without the log-determinant that covers too: the run tells nothing.
    weak = judged("coverage", of | control | {"without the log-determinant, OFUL": 0.05})
    assert [name for name, part in weak.items() if part is Verdict.INCONCLUSIVE] == [
        f"{case}, OFUL" for case in paper.CASES
    ]


def test_tightness(judged):
    names = [f"{case} alone, OFUL" for case in ("noise", "bias")]

    def of(*values):
        return list(judged("coverage-tight", dict(zip(names, values, strict=True)), 1e-4).values())

    assert of(0.95, 0.995) == [YES, YES]
    assert of(0.5, 0.9) == [NO, NO]  # too large a radius
    assert of(1.2, 1.1) == [NO, NO]  # too small a one


def test_a_radius_of_zero_leaves_every_error_outside():
    ratios = paper.over(np.array([[0.0, 0.0], [0.0, 0.3]]), np.zeros((2, 2)))
    np.testing.assert_array_equal(ratios, [0.0, paper.CEILING])


def test_a_tiny_run(tiny):
    sample = tiny("coverage", {"horizon": 30})
    for name in paper.SETS:  # without noise a set never fails, and is nearly as small as it can be
        ratio = sample.measures[f"bias alone, {name}: ratio"]
        assert (ratio <= paper.AT_START[name] * paper.ROUNDING).all()
        assert (ratio > 0.97 * paper.AT_START[name]).all()


def test_coverage_is_recomputed():
    horizon, seeds, theta = 30, [1, 2, 3], np.array([0.6, 0.8])
    found = paper.coverage(seeds, horizon)
    bare = np.sqrt(paper.RIDGE) + 0.5 * np.sqrt(2 * np.log(1 / paper.DELTA))
    settings = {"dim": 2, "n_arms": 20, "horizon": horizon, **paper.CASES["both"]}
    for name, (kind, radius) in paper.SETS.items():

        def notes(agent, contexts, arms, reward):
            return {"x": contexts, "arm": arms, "reward": reward, "radius": agent.radii(contexts)}

        agent = kind(ridge=paper.RIDGE, delta=paper.DELTA, radius=radius)
        recorder = Recorder(agent=agent, notes=notes)
        play(gymnasium.make_vec("LinearBandit-v0", num_envs=3, **settings), recorder, seed=seeds)
        kept = recorder.kept()
        for i in range(3):
            gram, moment = paper.RIDGE * np.eye(2), np.zeros(2)
            largest = without = 0.0
            for t in range(horizon):
                radii = np.broadcast_to(kept["radius"][i, t], 20)
                for x, own in zip(kept["x"][i, t].T, radii, strict=True):
                    counted = gram + np.outer(x, x) if kind is paper.ForwardOFUL else gram
                    inverse = np.linalg.inv(counted)
                    off = abs(x @ inverse @ moment - x @ theta) / np.sqrt(x @ inverse @ x)
                    largest, without = max(largest, off / own), max(without, off / bare)
                x = kept["x"][i, t][:, kept["arm"][i, t]]
                gram, moment = gram + np.outer(x, x), moment + kept["reward"][i, t] * x
            np.testing.assert_allclose(found.measures[f"both, {name}: ratio"][i], largest)
            np.testing.assert_allclose(found.measures[f"both, {name}: bare"][i], without)
