"""Publishes the board of off-policy estimators, ``ope-v1``: its rows and the page made from them.

``python -m tools.ope_board --logs 400`` plays all scenarios on the seeds 0, 1, .. and writes
``leaderboards/results/ope-v1``; without ``--logs`` only the page is made again, from the rows. The
estimators of skdr-eval and PyMAB take part where they are installed.
"""

import argparse
import io
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pandas
from scipy import stats

from banditgym.files import whole_files
from leaderboards.ope import Log
from tools.ope_scenarios import BATCHES, CLIP, SCENARIOS, SIZES, Estimate, Estimator, rows

FOLDER = Path(__file__).parents[1] / "leaderboards/results/ope-v1"
ROWS = "ope-v1.csv.gz"
LEVEL = 0.95
_AT_ONCE = 100  # logs
Frame = Any  # of pandas, whose annotations do not follow what is done here
_RESAMPLES = 500


def peers() -> dict[str, Estimator]:
    """The estimators of other libraries, by name, of those that are installed."""
    found: dict[str, Estimator] = {}
    try:
        from skdr_eval.core import dr_value_with_clip  # pyright: ignore[reportMissingImports]
    except ImportError:
        pass
    else:

        def skdr(log: Log, policy: np.ndarray) -> dict[str, Any]:
            table = np.asarray(log.propensities)
            marginal = (table * np.asarray(log.predictions)).sum(axis=1)  # it has E[Y | x] alone
            return dr_value_with_clip(
                table, policy, np.asarray(log.rewards), marginal, np.asarray(log.actions),
                np.ones_like(policy),
            )  # fmt: skip

        for name in ("DR", "SNDR"):
            found[f"skdr-eval {metadata.version('skdr-eval')} {name}"] = (
                lambda log, policy, name=name: _by_error(skdr(log, policy)[name])
            )
    try:
        from pymab import offline  # pyright: ignore[reportMissingImports]
        from pymab.statistics import BootstrapConfig  # pyright: ignore[reportMissingImports]
    except ImportError:
        return found

    def pymab(method: str) -> Estimator:
        def estimate(log: Log, policy: np.ndarray) -> Estimate:
            arms = np.asarray(log.actions)
            played = np.asarray(log.propensities)[np.arange(len(arms)), arms]
            data = offline.LoggedBanditDataset(
                actions=arms, rewards=np.asarray(log.rewards), propensities=played,
                n_arms=policy.shape[1],
            )  # fmt: skip
            told = offline.estimate_policy_value(
                data,
                _Policy(policy),
                config=offline.EstimatorConfig(
                    method=method, bootstrap=BootstrapConfig(n_resamples=_RESAMPLES)
                ),
                reward_model=_Model(np.asarray(log.predictions)),
            )
            sure = str(told.overlap_status).endswith("adequate")
            return Estimate(told.estimate, told.ci_lower, told.ci_upper, sure)

        return estimate

    version = metadata.version("pymab")
    return found | {f"PyMAB {version} {name}": pymab(name) for name in ("snips", "dr")}


def _by_error(result: Any) -> Estimate:
    half = stats.norm.ppf((1 + LEVEL) / 2) * result.SE_if
    return Estimate(
        result.V_hat, result.V_hat - half, result.V_hat + half, not result.pareto_k > 0.7
    )


class _Policy:
    def __init__(self, table: np.ndarray):
        self._table = table

    def probabilities_batch(self, contexts: Any, *, n_events: int) -> np.ndarray:
        return self._table / self._table.sum(axis=1, keepdims=True)

    def probabilities(self, context: Any) -> np.ndarray:
        raise NotImplementedError


class _Model:
    def __init__(self, table: np.ndarray):
        self._table = table

    def predict_event(self, event_index: int, context: Any) -> np.ndarray:
        return self._table[event_index]


def play(logs: int, others: dict[str, Estimator]) -> Iterator[Frame]:
    """The rows of all scenarios, some logs at a time."""
    for scenario in SCENARIOS:
        for first in range(0, logs, _AT_ONCE):
            seeds = range(first, min(first + _AT_ONCE, logs))
            yield pandas.DataFrame(rows(scenario, seeds, others=others))
        print(scenario.name, flush=True)


def summary(frame: Frame) -> Frame:
    """Errors and coverage of each scenario, size and estimator."""
    frame = with_errors(frame)
    parts = []
    for (scenario, size, estimator), own in frame.groupby(
        ["scenario", "size", "estimator"], sort=False
    ):
        covered = stats.binomtest(int(own.covered.sum()), len(own)).proportion_ci(LEVEL)
        parts.append({
            "scenario": scenario, "size": size, "estimator": estimator, "logs": len(own),
            "rmse": np.sqrt((own.error**2).mean()), "bias": own.error.mean(),
            "coverage": own.covered.mean(), "low": covered.low, "high": covered.high,
            "width": (own.high - own.low).mean(), "conclusive": own.conclusive.mean(),
        })  # fmt: skip
    return pandas.DataFrame(parts)


def with_errors(frame: Frame) -> Frame:
    """The rows with the errors, and whether the intervals cover.

    The value is the mean truth of the logs of a size. An estimate that is NaN covers nothing.
    """
    logs = frame.drop_duplicates(["scenario", "size", "seed"])
    means = logs.groupby(["scenario", "size"]).truth.mean()
    value = means.loc[list(zip(frame.scenario, frame["size"], strict=True))].to_numpy()
    return frame.assign(
        error=frame.value - value, covered=(frame.low <= value) & (value <= frame.high)
    )


def recommended(frame: Frame, scenario: str) -> str:
    """The estimator to take in a scenario, by the rule that the page states."""
    table = summary(frame[frame.scenario == scenario])
    fails = set(table[table.high < LEVEL].estimator) | {"direct"}
    last = with_errors(frame[frame.scenario == scenario])
    last = last[last["size"] == last["size"].max()]
    squares = last.assign(square=last.error**2).pivot(
        index="seed", columns="estimator", values="square"
    )
    fitting = [name for name in squares.columns if name not in fails]
    if not fitting:
        return "none: no interval covers"
    best = squares[fitting].mean().idxmin()
    tied = [best]
    for name in fitting:
        gap = squares[name] - squares[best]
        if name != best and gap.mean() <= 1.96 * gap.std() / np.sqrt(len(gap)):
            tied.append(name)
    if len(tied) == 1:
        return f"**{best}**"
    return f"undecided: {', '.join(tied)}"


def page(frame: Frame) -> str:
    """The page of the board."""
    table = summary(frame)
    logs = int(table.logs.max())
    lines = [*_HEAD.format(
        logs=logs, sizes=" and ".join(f"{size:,}" for size in SIZES), clip=CLIP, batches=BATCHES,
        peers=_peers(dict.fromkeys(frame.estimator)),
    ).splitlines(), "", "## Which estimator, when", "",
        "| logs | recommended |", "|---|---|"]  # fmt: skip
    lines += [f"| {one.name}: {one.about} | {recommended(frame, one.name)} |" for one in SCENARIOS]
    for one in SCENARIOS:
        own = table[table.scenario == one.name]
        lines += ["", f"## {one.name}", "", f"{one.about[0].upper()}{one.about[1:]}.", ""]
        cells = [f"error, {size:,} | bias | coverage | width | sure" for size in SIZES]
        lines += [f"| estimator | {' | '.join(cells)} |", "|---" * (1 + 5 * len(SIZES)) + "|"]
        for name in dict.fromkeys(own.estimator):
            row = [name]
            for size in SIZES:
                [cell] = own[(own.estimator == name) & (own["size"] == size)].itertuples()
                row += [
                    f"{cell.rmse:.3f}", f"{cell.bias:+.3f}",
                    f"{cell.coverage:.3f} [{cell.low:.2f}, {cell.high:.2f}]",
                    f"{cell.width:.2f}", f"{100 * cell.conclusive:.0f} %",
                ]  # fmt: skip
            lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


_HEAD = """# ope-v1

Estimators of off-policy evaluation, judged against the truth: the root mean squared error of their
estimates, and the share of logs whose 95 % interval contains the value of the policy.

- Each scenario has {logs} logs of {sizes} rounds, on the seeds 0, 1, ..; all estimators get the
  same logs, propensities and predictions. There are five actions. Coverage has its 95 % binomial
  interval (Clopper and Pearson); width is the mean width of the intervals.
- The evaluated policy plays one action with probability 0.84 and each other with 0.04: in linear
  tasks the best by a parameter that is not quite right, without contexts the second best. In
  `small-overlap` it is uniform.
- Predictions are ridge regressions: of the features of the action, or of each action without
  features. They are cross-fitted over five folds, and where the agent learns, fitted to the
  batches before the round's own, of {batches}. `clipped ips` cuts weights to {clip:g}.
- `sure` is the share of logs from which `evaluate` concludes something: it warns of little overlap,
  and always of `direct`. Errors and coverage count all logs, those too that it warns of.
- `minvar` and `stablevar` need the probabilities of every policy that the agent had, at all
  contexts. A log has those of each round, which suffice where there are no contexts. Contextual
  weights are judged by [the claims of Zhan et al.](../papers/zhan2021.md).
- Intervals are normal ones. {peers}

```
python -m tools.ope_board --logs {logs}    # plays all of this again, some minutes
python -m tools.ope_board               # this page from its rows
```

[The rows](ope-v1.csv.gz) have every estimate. A recommendation follows from them by this rule,
which was fixed before they were played: of the estimators whose coverage is at neither size
significantly below 95 % (its interval reaches 0.95), the one with the smallest mean squared error
at the larger size; `undecided`, if others' errors on the same logs are not significantly larger
(paired, two-sided 5 %). The direct method is never recommended, since nothing but the truth shows
whether its model is right."""


def _peers(names: Iterable[str]) -> str:
    texts = {
        "skdr-eval": """skdr-eval is called by `dr_value_with_clip` with its defaults, the
  propensities logged, and the mean reward of a context, the form of its own models. It chooses the
  clip by the smallest variance, whatever the bias; its interval is 1.96 of its standard errors to
  each side, and it is `sure` unless its Pareto k exceeds 0.7.""",
        "PyMAB": f"""PyMAB has percentile bootstrap intervals, here of {_RESAMPLES}
  resamples; its `ips` is the one here. It is `sure` if it calls the overlap adequate.""",
    }
    named = {name.split(" ")[0] for name in names}
    left = [name for name in texts if name not in named]
    told = [text for name, text in texts.items() if name in named]
    return " ".join(
        [*told, *([f"Not installed, and left out: {', '.join(left)}."] if left else [])]
    )


def main(arguments: list[str] | None = None) -> None:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m tools.ope_board")
    parser.add_argument("--logs", type=int, help="play this many logs of each scenario")
    parser.add_argument("--out", type=Path, default=FOLDER)
    given = parser.parse_args(arguments)
    place = given.out / ROWS
    if given.logs is not None:
        if given.logs < 2:
            parser.error(f"--logs is {given.logs}: give 2 or more")
        others = peers()
        frame = pandas.concat(play(given.logs, others), ignore_index=True)
        given.out.mkdir(parents=True, exist_ok=True)
        text = io.BytesIO()
        frame.to_csv(text, index=False, float_format="%.7g",
                     compression={"method": "gzip", "mtime": 0})  # fmt: skip
        whole_files.write(place, text.getvalue())
    elif not place.is_file():
        parser.error(f"no such file: {place}; play it with --logs 400")
    frame = pandas.read_csv(place)
    whole_files.write(given.out / "README.md", page(frame))


if __name__ == "__main__":
    main()
