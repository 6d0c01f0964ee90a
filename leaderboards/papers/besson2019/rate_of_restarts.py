"""The claim of besson2019's theorem: the growth of GLR-klUCB's regret with T."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from agents import KLUCB, GLRklUCB
from banditgym.envs.besson_problems import PROBLEMS
from leaderboards.papers.claim import Claim, Experiment, Numbers, Origin, Sample, Size
from leaderboards.papers.panels import growth
from leaderboards.papers.rules import above, below, given
from leaderboards.papers.russac2019.regret_rate import horizons, numbers
from leaderboards.papers.simulations import Run, curves
from leaderboards.papers.verdicts import Parts

MEANS = np.array(PROBLEMS["PB1"][1])


def rates(seeds: Sequence[int], longest: int) -> Sample:
    """Dynamic regret at the ends of runs of three lengths, the means of PB1 in equal segments."""
    ends: dict[str, list[np.ndarray]] = {"GLR-klUCB": [], "KL-UCB": []}
    for horizon in horizons(longest).tolist():
        changes = [horizon * s // len(MEANS) for s in range(1, len(MEANS))]
        place = {"means": MEANS, "changes": changes, "horizon": horizon}
        runs = {
            name: Run(agent, "DriftingArmedBandit-v0", place)
            for name, agent in (("GLR-klUCB", GLRklUCB()), ("KL-UCB", KLUCB()))
        }
        sample = curves(seeds, runs, rounds=[horizon])
        for name, kept in ends.items():
            kept.append(sample.at_end(name))
    return Sample(horizons(longest), {name: np.stack(of, axis=1) for name, of in ends.items()})


def judge(numbers: Numbers) -> Parts:
    control = above(numbers["exponent, KL-UCB"], 0.9)
    return {"exponent, GLR-klUCB": given(control, below(numbers["exponent, GLR-klUCB"], 0.65))}


CLAIMS = (
    Claim(
        id="theorem-rate",
        statement="""GLR-klUCB attains a regret of order sqrt(T A Y log T) on easy instances, for A
            arms and Y changes, without knowing Y""",
        source="abstract",
        origin=Origin.THEOREM,
        paper="exponent of T: at most 1/2",
        setting="""`DriftingArmedBandit-v0` with the means of PB1, in five segments of equal length,
            at three horizons, each 4 times the one before. The longest is 80 000. We read these
            instances as easy: a segment is long, and every change is at least 0.2. `GLRklUCB`
            restarts the arm that has changed, and knows T.""",
        measure="slope of the log of mean regret at T against log T over the three horizons.",
        rule="""the slope lies below 0.65; sqrt(log T) adds 0.05 to 1/2 at these T. As a control,
            the slope of KL-UCB must lie above 0.9, because regret is linear for a rule that does
            not forget; otherwise the part is inconclusive.""",
        experiment=Experiment(
            name="theorem-rate",
            simulate=rates,
            quick=Size(seeds=20, settings={"longest": 80_000}, seeds_per_call=10),
            full=Size(seeds=100, settings={"longest": 80_000}, seeds_per_call=10),
            draw=partial(growth, title="Means of PB1"),
            caption="Mean regret at T for runs of three lengths; both axes are logarithmic.",
        ),
        numbers=numbers,
        judge=judge,
        headline=["exponent, GLR-klUCB", "exponent, KL-UCB"],
    ),
)
