"""Made-up numbers for the rules, and curves of Figure 1 whose error rates are known."""

import numpy as np
import pytest

from leaderboards.papers.claim import Sample
from leaderboards.papers.kakade2008 import PAPER
from leaderboards.papers.kakade2008.error_rates import ANY_OF_NINE, ENVIRONMENTS, GAMMAS
from leaderboards.papers.verdicts import whole

from ..module_claims import number

CLAIMS = {claim.id: claim for claim in PAPER.claims}


def of_numbers(claim, numbers, half=0.001):
    return CLAIMS[claim].judge({name: number(x, half) for name, x in numbers.items()})


@pytest.fixture(scope="session")
def claims():
    """The claims by id."""
    return CLAIMS


@pytest.fixture(scope="session")
def parts_of():
    """Takes a claim's id and values of its numbers; the verdicts, at narrow intervals."""
    return of_numbers


@pytest.fixture(scope="session")
def judged():
    """As ``parts_of``; the verdict on the whole claim."""
    return lambda claim, numbers: whole(of_numbers(claim, numbers))


@pytest.fixture(scope="session")
def figure_1_sample():
    """Takes ``rate(env, gamma, rounds)``, error rates that it multiplies by 0.9, 1, 1.1."""
    rounds = np.array([100, 300, 1000, 3000, 10_000, 30_000, 100_000])
    seeds = np.array([0.9, 1.0, 1.1])[:, None]

    def made(rate):
        measures = {
            f"{env}, {name}": seeds * rate(env, gamma, rounds) * rounds
            for env in (*ENVIRONMENTS, ANY_OF_NINE)
            for name, gamma in {"Perceptron": 0.0, **GAMMAS}.items()
        }
        return Sample(rounds, measures)

    return made
