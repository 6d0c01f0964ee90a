"""A tiny paper with a claim that holds, one that does not, and one that cannot be run."""

import gymnasium
from matplotlib.figure import Figure

import banditgym  # noqa: F401 (registers the environments)
from agents import UCB1, UniformRandom, play
from leaderboards.papers import estimates
from leaderboards.papers.claim import Claim, Experiment, Numbers, Origin, Paper, Sample, Size
from leaderboards.papers.rules import below, each
from leaderboards.papers.verdicts import Parts

CALLS: list[tuple[list[int], int]] = []


def simulate(seeds: list[int], horizon: int) -> Sample:
    CALLS.append((list(seeds), horizon))
    measures, rounds = {}, None
    for agent in (UCB1(), UniformRandom()):
        envs = gymnasium.make_vec("ArmedBandit-v0", len(seeds), means=[0.9, 0.1], horizon=horizon)
        trace = play(envs, agent, seed=seeds)
        rounds = trace.rounds
        measures[type(agent).__name__] = trace.measures["regret"]
    assert rounds is not None
    return Sample(rounds, measures)


def draw(sample: Sample) -> Figure:
    figure = Figure()
    figure.subplots().plot(sample.rounds, sample.measures["UCB1"].mean(axis=0))
    return figure


def numbers(sample: Sample) -> Numbers:
    final = {name: regret[:, -1] for name, regret in sample.measures.items()}
    return {"UCB1 / uniform": estimates.ratio_of_means(final["UCB1"], final["UniformRandom"])}


def tenth(numbers: Numbers) -> Parts:
    return {"UCB1 / uniform": below(numbers["UCB1 / uniform"], 0.01)}


def fails(seeds: list[int]) -> Sample:
    raise ArithmeticError("no idea")


def interrupted(seeds: list[int]) -> Sample:
    raise KeyboardInterrupt


def one_claim(simulate) -> Paper:
    """A paper whose one experiment has another simulation."""
    size = Size(seeds=4, seeds_per_call=2)
    experiment = Experiment(name="lost", simulate=simulate, quick=size, full=size)
    texts = dict.fromkeys(("id", "statement", "source", "paper", "setting", "measure", "rule"), "-")
    claim = Claim(
        **texts, origin=Origin.FIGURE, experiment=experiment, numbers=numbers, judge=each(below, 1)
    )
    return Paper(name="lost", title="-", authors="-", published="-", link="-", claims=(claim,))


EXPERIMENT = Experiment(
    name="race",
    simulate=simulate,
    quick=Size(seeds=7, settings={"horizon": 150}, seeds_per_call=3, of_paper=0.75),
    full=Size(seeds=9, settings={"horizon": 200}, seeds_per_call=3, of_paper=1),
    draw=draw,
    draw_as_printed=draw,
    caption="UCB1's regret.",
)
SHARED = {
    "source": "Figure 1 | left",
    "origin": Origin.FIGURE,
    "setting": "two arms",
    "measure": "ratio of mean regrets",
    "experiment": EXPERIMENT,
    "numbers": numbers,
}
PAPER = Paper(
    name="tiny2030",
    title="A Tiny Paper",
    authors="A. Author",
    published="2030",
    link="https://doi.org/10.0/tiny",
    claims=(
        Claim(
            id="half",
            statement="Better.",
            paper="0.5 | 1/2",
            rule="< 0.8",
            judge=each(below, 0.8),
            amended="It was 0.7.",
            **SHARED,
        ),
        Claim(
            id="tenth",
            statement="Best.",
            paper="0.01",
            rule="< 0.01",
            judge=tenth,
            varied="the horizon",
            **SHARED,
        ),
        Claim(
            id="theory",
            statement="Minimax.",
            source="-",
            origin=Origin.OURS,
            paper="-",
            obstacle="no simulation",
        ),
    ),
)
