"""Questions to a submission's code: which tasks it plays, and whether it passes ``check_agent``.

The code answers where it plays, in the sandbox. Nobody checks the answers: a false one harms only
that submission.
"""

import contextlib
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agents.agent import Agent
from agents.check.questioned import FACTS, FOREIGN, REFUSED, Questioned
from agents.play import task_of
from banditgym.tasks import Task
from leaderboards.run.outcomes import make
from leaderboards.run.reasons import describe, one_line
from leaderboards.submit.catalogue import Submission
from leaderboards.submit.folder import MANIFEST
from leaderboards.submit.problems import Problem, SubmissionError
from leaderboards.suites.suite import SuiteTask

_CODE = f"{Questioned.__module__}:{Questioned.__name__}"


@dataclass(frozen=True)
class Description:
    """What a submission says about its agent.

    Attributes
    ----------
    plays : tuple of str
        The tasks that it plays, by name.
    refusals : dict of str to str
        Tasks of those families that it refuses, with its reasons.
    """

    plays: tuple[str, ...] = ()
    refusals: dict[str, str] = field(default_factory=dict)


def described(
    submission: Submission,
    folder: Path,
    tasks: Sequence[SuiteTask],
    isolation: str,
    seconds: float = math.inf,
) -> Description:
    """Make the agent where it plays, and ask which tasks it plays.

    Parameters
    ----------
    folder : Path
        Where its files are staged.
    tasks : sequence of SuiteTask
        The agent is told what agents may know of each task, and no seed.
    isolation : str
        As for ``playing.rows``.
    seconds : float
        Wall-clock seconds that the answers may take together.

    Raises
    ------
    SubmissionError
        If they take longer, or the agent cannot be made, is a full-information agent, or takes
        other facts from the task than ``submission.toml`` lists.
    """
    plays, refusals = [], {}
    end = time.monotonic() + seconds
    with _asked(submission, folder, isolation, contract=False, seconds=seconds) as agent:
        for task in tasks:
            if time.monotonic() > end:
                raise ValueError(f"it takes more than {seconds:g} s to say what it plays")
            try:
                known = task_of(make(task, 1))
            except OSError:  # its data is missing; its rows will say so
                continue
            reason = _reason(agent, known)
            if reason is None:
                plays.append(task.name)
            elif FOREIGN not in reason:
                refusals[task.name] = one_line(reason.rpartition(REFUSED)[2])
    return Description(tuple(plays), refusals)


def check(submission: Submission, folder: Path, isolation: str) -> None:
    """Run ``agents.check_agent`` on the agent, where it plays.

    Raises
    ------
    SubmissionError
        With the rules that it breaks.
    """
    with _asked(submission, folder, isolation, contract=True) as agent:
        # Starting the process takes a task: the first one serves.
        _reason(agent, task_of(make(_ANY, 1)))


_ANY = SuiteTask(name="any", env="ArmedBandit-v0", settings={}, horizon=2, family="armed")


def _reason(agent: Agent, task: Task) -> str | None:
    try:
        agent.reset(task, n=1, seed=0)
    except ValueError as error:
        reason = str(error)
        if FOREIGN in reason or REFUSED in reason:
            return reason
        raise
    return None


@contextlib.contextmanager
def _asked(
    submission: Submission,
    folder: Path,
    isolation: str,
    *,
    contract: bool,
    seconds: float = math.inf,
) -> Iterator[Agent]:
    """The agent that answers for the submission; any exception becomes a problem."""
    declared = submission.manifest.facts
    with contextlib.ExitStack() as stack:
        try:
            if isolation == "none":
                spec = submission.code(folder)
                yield Questioned(spec=spec, declared=declared, contract=contract)
            else:
                given = f"spec={submission.code()!r}, declared={declared!r}, contract={contract}"
                spec = f"{_CODE}({given})"
                from leaderboards.sandbox.limits import Limits
                from leaderboards.sandbox.sandboxed_agent import SandboxedAgent

                limits = Limits(start_wall=min(Limits.start_wall, seconds))
                made = SandboxedAgent(
                    spec=spec, folder=str(folder), isolation=isolation, limits=limits
                )
                yield stack.enter_context(made)
        except (Exception, SystemExit) as error:
            raise SubmissionError(_problem(submission, folder, error)) from None


def _problem(submission: Submission, folder: Path, error: BaseException) -> Problem:
    text = str(error) if isinstance(error, ValueError | AssertionError) else describe(error)
    text = text.rpartition(f"{_CODE}(")[2].partition("): ")[2] if _CODE in text else text
    text = one_line(text.replace(f"{folder}/", "")).removeprefix("ValueError: ")
    for name in ("AssertionError", "Questioned", "ValueError"):
        text = text.removeprefix(f"{name}: ")
    if text.startswith(FACTS):
        facts = text.removeprefix(FACTS).strip()
        listed = ", ".join(submission.manifest.facts) or "nothing"
        what = f"the agent takes {facts or 'nothing'} from the task, not {listed}"
        names = ", ".join(f'"{name}"' for name in facts.split(", ") if name)
        return Problem(MANIFEST, "facts", what, f"write facts = [{names}]")
    return Problem(submission.code_file, "", text, "correct the agent or submission.toml")
