"""``banditgym evaluate``: what other policies would have earned on a log."""

from pathlib import Path
from typing import Annotated, Any

import typer

from leaderboards.commands.messages_out import print_result, prints_aside
from leaderboards.commands.options import Json


def evaluate(
    log: Annotated[Path, typer.Argument(help="A Parquet or CSV file, a round a row.")],
    policy: Annotated[
        list[str] | None,
        typer.Option(
            help="An agent, such as 'LinUCB(alpha=0.5)', which learns from the first rows; a saved "
            "agent's file; or a CSV or Parquet file with the probability of each action, a column "
            "each, in every row of the log. Repeatable."
        ),
    ] = None,
    estimator: Annotated[
        list[str] | None,
        typer.Option(
            help="direct, ips, snips, dr, sndr, minvar or stablevar; repeatable. The verdict is "
            "by the first. By default dr, snips and ips."
        ),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            help="Which column holds what, where it is named differently: action=shown, or "
            "context=age,income; repeatable."
        ),
    ] = None,
    n_arms: Annotated[
        int | None, typer.Option(help="The number of actions, if the log shows fewer.")
    ] = None,
    train: Annotated[
        float, typer.Option(help="The share of the rows, the first ones, that agents learn from.")
    ] = 0.5,
    estimate_propensities: Annotated[
        bool,
        typer.Option(
            "--estimate-propensities", help="Estimate the propensities of a log without them."
        ),
    ] = False,
    adaptive: Annotated[
        bool,
        typer.Option(
            "--adaptive",
            help="The logging agent learned meanwhile; logs of ours say it themselves.",
        ),
    ] = False,
    clip: Annotated[float | None, typer.Option(help="Cut weights to this one.")] = None,
    interval: Annotated[str, typer.Option(help="normal or bootstrap.")] = "normal",
    level: Annotated[float, typer.Option(help="Of the intervals.")] = 0.95,
    as_json: Json = False,
) -> None:
    """Estimate from a log what other policies would have earned, and say if the log suffices.

    Estimates are mean rewards per round, with intervals. The logging policy's own mean reward
    stands beside. An effective sample size below 100, actions that the log cannot have, or few
    dominating weights mean that nothing can be concluded. Agents and saved agents are trusted.
    """
    from banditgym.logs import open_log
    from leaderboards.ope.log_evaluation import DEFAULT, Choice, evaluate_log
    from leaderboards.ope.policies import policy_of

    if not policy:
        raise ValueError("no policy is given: add --policy AGENT, or a file of probabilities")
    if interval not in ("normal", "bootstrap"):
        raise ValueError(f"--interval is {interval!r}: give normal or bootstrap")
    table = open_log(log, _columns(columns), n_arms=n_arms)
    choice = Choice(
        estimators=tuple(dict.fromkeys(estimator or DEFAULT)),
        interval=interval,
        level=level,
        clip=clip,
        estimate_propensities=estimate_propensities,
        learns=adaptive or any(one.get("learns") for one in table.metadata.get("agents", ())),
    )
    with prints_aside():
        policies = [policy_of(one, table) for one in dict.fromkeys(policy)]
        found = evaluate_log(table, policies, choice, train)
    print_result(as_json, found.plain, lambda: _shown(found), allow_nan=False, indent=1)


def _columns(given: list[str] | None) -> dict[str, Any] | None:
    found: dict[str, Any] = {}
    for text in given or ():
        kind, equals, names = text.partition("=")
        if not equals:
            raise ValueError(f"--columns is {text!r}: write KIND=COLUMN, as in action=shown")
        found[kind] = names.split(",") if "," in names else names or None
    return found or None


def _shown(found: Any) -> Any:
    from rich.console import Group
    from rich.text import Text

    from leaderboards.console.narrow import bare_table

    level = f"{100 * found.policies[0].evaluations[0].level:g} % within"
    table = bare_table(
        f"{found.log}, {found.n_rounds:,} rounds: mean reward", ("policy", "estimator"),
        ("value", level, "concludes"), 5,
    )  # fmt: skip
    limits = f"{found.logged_low:.4g} .. {found.logged_high:.4g}"
    table.add_row("as logged", "mean", f"{found.logged:.4g}", limits, "")
    lines, notes = [], {}
    for one in found.policies:
        for each in one.evaluations:
            limits = f"{each.low:.4g} .. {each.high:.4g}"
            sure = "yes" if each.conclusive else "no"
            table.add_row(one.policy, each.estimator, f"{each.value:.4g}", limits, sure)
            notes |= dict.fromkeys(f"{one.policy}, {each.estimator}: {w}" for w in each.warnings)
        first = one.evaluations[0]
        lines.append(
            f"{one.verdict} (effective sample size {first.effective_sample_size:,.0f}, weights up "
            f"to {first.largest_weight:.3g}, smallest propensity {first.smallest_propensity:.3g}, "
            f"Pareto k {first.pareto_k:.2f})"
        )
    return Group(table, *(Text(line) for line in (*lines, *notes, *found.remarks)))
