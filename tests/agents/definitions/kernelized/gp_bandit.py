"""The agent of three parts, for one replicate: that of the agent which has the same parts."""

import inspect
from dataclasses import asdict

from tests.agents.definitions.kernelized import (
    bbkb,
    bkb,
    dtcucb,
    gpts,
    gpucb,
    qffts,
    rffucb,
    sorucb,
)

SAME_PARTS = {
    ("Exact", "UCB", "EveryRound"): gpucb,
    ("Exact", "ThompsonSampling", "EveryRound"): gpts,
    ("Nystrom", "UCB", "EveryRound"): bkb,
    ("Nystrom", "UCB", "VarianceBatches"): bbkb,
    ("FixedNystrom", "UCB", "EveryRound"): sorucb,
    ("RandomFourier", "UCB", "EveryRound"): rffucb,
    ("QuadratureFourier", "ThompsonSampling", "EveryRound"): qffts,
}


def Definition(task, draws, *, posterior, rule, batching, **known):
    names = tuple(type(part).__name__ for part in (posterior, rule, batching))
    module = SAME_PARTS[names]
    if names[0] == "FixedNystrom" and posterior.variance == "dtc":
        module = dtcucb
    given = asdict(posterior) | asdict(rule) | asdict(batching) | known
    taken = inspect.signature(module.Definition).parameters
    given = {name: value for name, value in given.items() if name in taken}
    return module.Definition(task, draws, **given)
