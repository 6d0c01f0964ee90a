"""The claims of korda2015 on equation (11): gradient steps towards LinUCB's widths."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from agents import FastLinUCB, derived_seeds
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Figure, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import legend, lines, panels
from leaderboards.papers.rules import each, never, together, within
from leaderboards.papers.simulations import environments

DIM, NOISE_STD = 5, 0.1
STEPS = (1, 5, 20, 100)  # of equation (11) a round, where arms change
CHANGING = {f"changing arms, T = {steps}": FastLinUCB(phi_steps=steps) for steps in STEPS}
AGENTS = {"fixed arms": FastLinUCB(), "fixed arms, in turn": FastLinUCB(), **CHANGING}
PLAYED = ["fixed arms", *CHANGING]  # by the agent itself
_ROUNDING = 1e-9


def inverses(gram: np.ndarray, arms: np.ndarray, ridge: float) -> np.ndarray:
    """x' (ridge I + gram)^-1 x of arms (K, d)."""
    return (arms * np.linalg.solve(gram + ridge * np.eye(len(gram)), arms.T).T).sum(axis=1)


def expected_of_changing(
    gram: np.ndarray, n: int, arms: np.ndarray, agent: FastLinUCB, ridge: float, longest: float
) -> np.ndarray:
    r"""The mean over the draws of x' phi (K,), after the steps of a round with n >= 1 samples.

    .. math:: E\phi \leftarrow E\phi + \gamma \Bigl(\frac{x}{n} - \frac{A_n}{n} E\phi
        - \frac{\lambda}{n} E\phi\Bigr), \qquad \phi_0 = \frac{x}{\lambda + n \lVert x\rVert^2}
    """
    gamma = min(agent.phi_step, 1 / longest, n / ridge)
    phi = arms / (ridge + n * (arms**2).sum(axis=1, keepdims=True))
    for _ in range(agent.phi_steps):
        phi = phi + gamma / n * (arms - phi @ gram - ridge * phi)
    return (arms * phi).sum(axis=1)


def expected_in_turn(n: int, agent: FastLinUCB, ridge: float) -> np.ndarray:
    """The mean over the draws of x' phi (d,) of the arms e_1, .., e_d, played n times in turn."""
    value, pulls = np.full(DIM, 1 / ridge), np.zeros(DIM)
    for s in range(1, n + 1):
        pulls[(s - 1) % DIM] += 1
        gamma = min(agent.phi_step * agent.phi_decay / (agent.phi_decay + s), 1.0, s / ridge)
        value = value + gamma / s * (1 - pulls * value - ridge * value)
    return value


def _settings(name: str, samples: int) -> dict[str, Any]:
    common = {"noise_std": NOISE_STD, "horizon": samples + 1}
    if name == "fixed arms, in turn":
        return {**common, "arms": np.eye(DIM)}
    return {**common, "dim": DIM, "n_arms": 10, "fixed_arms": name == "fixed arms"}


def widths(seeds: Sequence[int], samples: int) -> Sample:
    """Widths and squared widths over the exact ones, and over their means, mean over the arms.

    They are measured when the agent has chosen, after numbers of samples.
    """
    n, every = len(seeds), np.arange(len(seeds))
    at = np.unique(np.round(np.geomspace(1, samples, 13)).astype(int))
    measures = {}
    for name, agent in AGENTS.items():
        envs = environments("LinearBandit-v0", seeds, **_settings(name, samples))
        agent.reset(envs.unwrapped.task, n=n, seed=derived_seeds(list(seeds), n))
        ratio, over, against = (np.zeros((n, len(at))) for _ in range(3))
        gram, longest, place = np.zeros((n, DIM, DIM)), np.zeros(n), 0
        observation, _ = envs.reset(seed=list(seeds))
        for s in range(samples + 1):
            choice = agent.act(observation)
            arms, found = np.array(observation), agent._variance
            ridge = float(agent.model.steps.ridge)
            if s:
                bounds = arms @ agent.model.theta[:, :, None]
                bounds = bounds[..., 0] + agent.alpha * np.sqrt(found)
                against[:, place] += bounds[every, choice] < bounds.max(axis=1) - _ROUNDING
            if s == at[place]:
                for i in range(n):
                    exact = inverses(gram[i], arms[i], ridge)
                    ratio[i, place] = np.sqrt(found[i] / exact).mean()
                    if name in CHANGING:
                        mean = expected_of_changing(gram[i], s, arms[i], agent, ridge, longest[i])
                        over[i, place] = found[i].sum() / mean.sum()
                if name == "fixed arms, in turn":
                    over[:, place] = found.sum(axis=1) / expected_in_turn(s, agent, ridge).sum()
                place += 1
            if s == samples:
                break
            if name == "fixed arms, in turn":
                choice = np.full(n, s % DIM)
            following, reward, _, _, _ = envs.step(choice)
            agent.observe(observation, choice, reward)
            observation = following
            row = arms[every, choice]
            gram += row[:, :, None] * row[:, None]
            longest = np.maximum(longest, (row**2).sum(axis=1))
        measures[f"{name}, width / exact"] = ratio
        measures[f"{name}, variance / expected"] = over
        measures[f"{name}, against the bound"] = against.cumsum(axis=1)
    return Sample(at, measures)


def tracked(sample: Sample) -> Numbers:
    return {
        f"width / exact, {name}": estimates.mean(sample.at_end(f"{name}, width / exact"))
        for name in PLAYED
    }


EXPECTED = [name for name in AGENTS if name != "fixed arms"]


def as_expected(sample: Sample) -> Numbers:
    numbers = {
        f"variance / expected, {name}": estimates.mean(
            sample.measures[f"{name}, variance / expected"].mean(axis=1)
        )
        for name in EXPECTED
    }
    for name in PLAYED:
        events = sample.at_end(f"{name}, against the bound") > 0
        numbers[f"runs with a choice against the bound, {name}"] = estimates.share(events)
    return numbers


def draw(sample: Sample) -> Figure:
    figure, (axes,) = panels(
        ["Widths of equation (11)"], xlabel="samples n", ylabel="over the exact width", xscale="log"
    )
    lines(axes, sample.rounds, {name: sample.measures[f"{name}, width / exact"] for name in PLAYED})
    axes.axhline(1, color="#888888", ls="dotted", lw=1)
    axes.set_ylim(0, None)
    legend(axes, "lower left")
    return figure


_WIDTHS = Experiment(
    name="widths",
    simulate=widths,
    quick=Size(seeds=40, settings={"samples": 1000}, seeds_per_call=20),
    full=Size(seeds=100, settings={"samples": 5000}, seeds_per_call=20),
    draw=draw,
    caption="""sqrt(x' phi) divided by sqrt(x' A_n^-1 x), mean over the arms and runs, against the
        samples; the x axis is logarithmic.""",
)
_SETTING = """`LinearBandit-v0`, d = 5, 10 arms, drawn anew in each round (changing) or once
    (fixed), noise of sd 0.1. FastLinUCB with its defaults plays by itself: A_n has the ridge lambda
    = 1, and gamma = min(1/4, 1/L) where arms change, gamma_n = min(25/(100 + n), 1/L) where they
    are fixed. 1000 samples in the quick form, 5000 in the full one. The paper gives no step and no
    T. """

CLAIMS = (
    Claim(
        id="equation-11-widths",
        statement="""Steps of equation (11) track LinUCB's widths: one step per arm and round if
            arms are fixed, T steps if they change""",
        source="equation (11), section on tracking the UCBs",
        origin=Origin.REMARK,
        paper="tracks sqrt(x' A_n^-1 x); no number",
        setting=_SETTING,
        measure="""sqrt(x' phi) divided by sqrt(x' A_n^-1 x) after the last sample, mean over the
            arms.""",
        rule="""fixed arms, or changing arms at a T, are reproduced if the whole interval lies in
            0.8 .. 1.25.""",
        experiment=_WIDTHS,
        numbers=tracked,
        judge=each(within, 0.8, 1.25),
        headline=[f"width / exact, {name}" for name in ("fixed arms", *list(CHANGING)[1:3])],
        swept="T = 1, 5, 20, 100 for changing arms.",
        varied="""T. With changing arms each round starts anew from x / (lambda + n ‖x‖²), because
            the paper does not name a start; so the widths reach the exact ones only after many
            steps.""",
        any_size="""with changing arms each round starts anew, and neither its start nor its steps
            depend on the number of samples once that is large.""",
    ),
    Claim(
        id="equation-11-mean",
        statement="""The squared widths of FastLinUCB have the mean that equation (11) gives, and
            the agent plays the arm of the largest bound""",
        source="equation (11), Algorithm 2; the means are derived here",
        origin=Origin.OURS,
        paper="no number",
        setting=_SETTING
        + """For fixed arms, e_1, .., e_d are played in turn, so that the samples do not depend on
            the draws.""",
        measure="""sum of x' phi over the arms, divided by the sum of its exact means over the
            random draws of the steps, averaged over 13 numbers of samples; the share of runs in
            which the agent ever chose an arm whose x' theta + alpha sqrt(x' phi) was not the
            largest.""",
        rule="""a ratio is reproduced if its whole interval lies in 0.9 .. 1.1, and the agent's
            choice if there is no such run.""",
        experiment=_WIDTHS,
        numbers=as_expected,
        judge=together(
            each(within, 0.9, 1.1, of="variance / expected, *"),
            each(never, of="runs with a choice against the bound, *"),
        ),
        headline=[f"variance / expected, {name}" for name in EXPECTED[:2]],
    ),
)
