"""``banditgym submit check``: checks files and the agent, plays a short episode per family."""

from collections.abc import Callable
from pathlib import Path

from agents.check.small_environments import ENVIRONMENTS
from leaderboards.run.confinement import Confinement
from leaderboards.submit import asking, playing
from leaderboards.submit.catalogue import Submission
from leaderboards.submit.problems import Problem, SubmissionError
from leaderboards.suites.suite import Suite, SuiteTask

ROUNDS = 50
SEEDS = (0, 1)


def check(
    submission: Submission,
    *,
    confinement: Confinement,
    say: Callable[[str], None] = lambda line: None,
) -> None:
    """Check a submission whose files are valid.

    Parameters
    ----------
    confinement : Confinement
        Where its code runs.
    say : callable
        Called with a line before each step that takes seconds, and one for each that went well.

    Raises
    ------
    SubmissionError
        With every problem.
    """
    with playing.staged(submission) as folder:
        suites = {family: small(family) for family in ENVIRONMENTS}
        every = [task for suite in suites.values() for task in suite.tasks]
        say("making the agent where it will play; the first time, code is compiled ..")
        description = asking.described(submission, folder, every, confinement.isolation)
        first = {
            family: task
            for family, suite in suites.items()
            for task in reversed(suite.tasks)
            if task.name in description.plays
        }
        if not first:
            what, remedy = "it plays no task of any family", "set accepts to task types that exist"
            raise SubmissionError(Problem(submission.code_file, "", what, remedy))
        say(f"the agent can be made; it plays {', '.join(first)}")
        say("running check_agent on it ..")
        asking.check(submission, folder, confinement.isolation)
        say("it passes check_agent")
        _play(submission, folder, [(suites[f], t) for f, t in first.items()], confinement, say)


def _play(
    submission: Submission,
    folder: Path,
    chosen: list[tuple[Suite, SuiteTask]],
    confinement: Confinement,
    say: Callable[[str], None],
) -> None:
    problems = []
    say(f"playing {ROUNDS} rounds of each family ..")
    for suite, task in chosen:
        wanted = {task.name: SEEDS}
        (rows,) = playing.rows(submission, folder, suite, wanted, confinement, workers=1)
        said = [row.error for row in rows if row.error] or [
            f"in round {round_} it is stopped by the fault {kind}"
            for row in rows
            for round_, kind in row.faults
        ]
        if said:
            what = f"a short episode of {task.family} fails: {said[0]}"
            problems.append(Problem(submission.code_file, "", what, "correct the agent"))
            continue
        last = [(row.measures or {})["reward"][-1] for row in rows]
        mean = sum(last) / len(last) / ROUNDS
        say(f"{task.family}: {ROUNDS} rounds of {task.env}, mean reward {mean:.3g}")
    if problems:
        raise SubmissionError(*problems)


def small(family: str) -> Suite:
    """A suite of the small environments on which ``check_agent`` checks a family."""
    tasks = tuple(
        SuiteTask(
            name=f"{family}-{number}",
            env=env,
            settings=settings,
            horizon=ROUNDS,
            family=family,
            measure="reward",
        )
        for number, (env, settings) in enumerate(ENVIRONMENTS[family])
        if all(isinstance(value, int | float | str | list | dict) for value in settings.values())
    )
    return Suite(
        name=f"small-{family}", title="", seeds=SEEDS, tasks=tasks, hash="", n_seeds=len(SEEDS)
    )
