"""Algorithm 1 and equations (2) and (3) of kakade2008, written plainly, beside our agents."""

from collections.abc import Sequence

import numpy as np

from agents import Banditron, Perceptron, derived_seeds, play
from banditgym.streams import AGENT, Stream
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Numbers, Origin, Sample, Size
from leaderboards.papers.kakade2008.error_rates import GAMMAS, LABELS
from leaderboards.papers.rules import each, never
from leaderboards.papers.simulations import environments

ENV = "SynNonSep-v0"
AGENTS = {"Perceptron": None, **GAMMAS}


def scores_of(weights: np.ndarray, words: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Scores (m, k) of weights (m, k, d) on one row of pairs, added up pair by pair."""
    scores = np.zeros(weights.shape[:2])
    for word, value in zip(words, values, strict=True):
        scores = scores + value * weights[:, :, word]
    return scores


def listed(seed: int, rounds: int) -> np.ndarray:
    """Labels (agents, T) that the paper's listings play, and the true ones in the last row.

    Rows are the Perceptron and the Banditron at every gamma. It explores where a uniform number u
    is below gamma, and then plays label floor(u k / gamma).
    """
    envs = environments(ENV, [seed], horizon=rounds)
    dim = envs.unwrapped.task.dim
    shown, _ = envs.reset(seed=[seed])
    draws = Stream(derived_seeds([seed]), AGENT, 0, 0)
    weights = np.zeros((len(AGENTS), LABELS, dim))
    played = np.empty((len(AGENTS) + 1, rounds), np.int64)
    for t in range(rounds):
        used = shown["values"][0] != 0  # the rest is padding
        words, values = shown["indices"][0][used], shown["values"][0][used]
        guesses = np.argmax(scores_of(weights, words, values), axis=1)
        u = float(draws.uniform(t)[0])
        shown, _, _, _, info = envs.step(np.zeros(1, np.int64))
        label = int(info["label"][0])
        for i, gamma in enumerate(AGENTS.values()):
            update = np.zeros(LABELS)
            update[guesses[i]] -= 1
            shows = guesses[i]
            if gamma is None:
                update[label] += 1
            else:
                if u < gamma:
                    shows = int(u * LABELS / gamma)
                if shows == label:
                    likely = gamma / LABELS + (1 - gamma if shows == guesses[i] else 0)
                    update[label] += 1 / likely
            played[i, t] = shows
            rows = np.flatnonzero(update)
            weights[i, rows[:, None], words] += update[rows, None] * values
        played[-1, t] = label
    return played


def reference(seeds: Sequence[int], rounds: int) -> Sample:
    """Mistakes (n, 2) of the agent and of the listing, and in how many rounds they differ (n,)."""
    measures = {name: np.empty((len(seeds), 2)) for name in AGENTS}
    differ = {f"rounds that differ, {name}": np.empty(len(seeds)) for name in AGENTS}
    for i, seed in enumerate(seeds):
        *plays, labels = listed(seed, rounds)
        for own, (name, gamma) in zip(plays, AGENTS.items(), strict=True):
            agent = Perceptron() if gamma is None else Banditron(gamma=gamma)
            envs = environments(ENV, [seed], horizon=rounds)
            trace = play(envs, agent, seed=[seed], rounds=range(1, rounds + 1))
            wrong = np.diff(trace.measures["regret"][0], prepend=0.0) > 0.5
            measures[name][i] = wrong.sum(), (own != labels).sum()
            differ[f"rounds that differ, {name}"][i] = (wrong != (own != labels)).sum()
    return Sample(np.array([rounds]), {**measures, **differ})


def numbers(sample: Sample) -> Numbers:
    found = {}
    for name, gamma in AGENTS.items():
        label = name if gamma is None else f"γ = {name}"
        own, plain = sample.measures[name].T
        found[f"mistakes over the listing's, {label}"] = estimates.ratio_of_means(own, plain)
        share = sample.measures[f"rounds that differ, {name}"].sum()
        found[f"rounds that differ, {label}"] = estimates.plain(share)
    return found


CLAIM = Claim(
    id="algorithm-1",
    origin=Origin.OURS,
    statement="Our Banditron and Perceptron make the mistakes of the paper's listings",
    source="Algorithm 1, equations (2) and (3)",
    paper="the same mistakes",
    setting="""`SynNonSep-v0`, 1000 rounds in the quick form and 5000 in the full one; gamma = 2^-1
        to 2^-14. The listings are written out round by round in numpy. They are given the same
        documents and the same uniform random numbers as the agents, so the two must not differ in a
        single round. The numerator is that of Lemma 4's proof, 1[y~ = r]; the listing prints 1[y^ =
        r], for which Lemma 4 does not hold.""",
    measure="""number of rounds in which only one of agent and listing is wrong, over all seeds; the
        agent's mistakes divided by the listing's.""",
    rule="a part for each gamma and for the Perceptron: no round differs.",
    any_size="a round that differs is a counterexample, whatever follows.",
    headline=["mistakes over the listing's, γ = 2^-5", "mistakes over the listing's, Perceptron"],
    experiment=Experiment(
        name="reference",
        simulate=reference,
        quick=Size(seeds=4, settings={"rounds": 1000}, seeds_per_call=1),
        full=Size(seeds=10, settings={"rounds": 5000}, seeds_per_call=2),
    ),
    numbers=numbers,
    judge=each(never, of="rounds that differ, *"),
)
