"""Writes a task as a folder for a program that writes agents; the folder is also a submission."""

import json
import shutil
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

import banditgym.tasks
from leaderboards.describe.docstrings import parameters, summary
from leaderboards.submit import starting
from leaderboards.submit.epochs.ranges import Formula, Ranges
from leaderboards.submit.judge import judged_tasks
from leaderboards.submit.judge.judgement import TOTAL, resources_of
from leaderboards.suites.suite import Suite, SuiteTask

AGENT, README, PUBLIC = "agent.py", "README.md", "public.json"
_HEAD = '''"""An agent that works: change it. README.md has the rules."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import agents
from banditgym.tasks import {task}


@dataclass(kw_only=True, eq=False)
class MyAgent(agents.ScalarAgent):
    accepts: ClassVar = ({task},)
'''


def export(name: str, folder: Path) -> None:
    """Write the problem, a starter agent, its manifest and the public instances into a folder.

    Raises
    ------
    ValueError
        If there is no such task, or the folder is not empty or cannot be made.
    """
    suite, ranges = judged_tasks.chosen(name)
    words = words_of(suite.tasks[0].ranking)
    starting.write(folder)
    manifest = (folder / starting.FILES[0]).read_text(encoding="utf-8")
    kept = manifest.replace("epsilon = 0.05\n", "").replace(
        "facts = []", 'facts = []\nwritten_by = "program"'
    )
    texts = {
        starting.FILES[0]: kept,
        AGENT: _HEAD.format(task=words["task"]) + words["methods"],
        PUBLIC: json.dumps(public(name), indent=1) + "\n",
        README: _readme(name, suite, ranges, words),
    }
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8")
    for task in suite.tasks:
        for file, path in task.files:
            shutil.copyfile(path, folder / file)


def words_of(ranking: str) -> dict[str, str]:
    """The texts of a ranking: its problem, what methods get and return, and those of a starter."""
    file = resources.files("leaderboards.submit.judge") / "starters.toml"
    known = tomllib.loads(file.read_text(encoding="utf-8"))
    own = known[ranking]
    return known.get(own.get("same"), {}) | own


def public(name: str) -> list[dict[str, Any]]:
    """The public instances of a task: environment, settings, horizon and seeds of each."""
    return [
        {"name": task.name, "env": task.env, "horizon": task.horizon, "settings": task.written,
         "seeds": list(task.hidden)}
        for task in judged_tasks.drawn(name, judged_tasks.PUBLIC).tasks
    ]  # fmt: skip


def _readme(name: str, suite: Suite, ranges: Ranges, words: dict[str, str]) -> str:
    text = resources.files("leaderboards.submit.judge") / "task_readme.md"
    kind = getattr(banditgym.tasks, words["task"])
    facts = [f"- `task.{fact}`: {about}" for fact, (_, about) in parameters(kind).items()]
    return text.read_text(encoding="utf-8").format(
        name=name,
        problem=words["problem"].strip(),
        environments="\n".join(_line(task, ranges) for task in suite.tasks),
        choose=words["choose"],
        returns=words["returns"],
        learn=words["learn"],
        kind=words["task"],
        about=summary(kind),
        facts="\n".join(facts),
        limits=resources_of(suite),
        total=f"{TOTAL:g}",
        draws=judged_tasks.DRAWS,
        replicates=judged_tasks.REPLICATES,
    )


def _line(task: SuiteTask, ranges: Ranges) -> str:
    """A line of the table of environments."""
    drawn = {
        name: f"√{among.of}" if isinstance(among, Formula) else f"{among.low} to {among.high}"
        for name, among in ranges.tasks[task.name].items()
    }
    settings = {**{key: json.dumps(value) for key, value in task.written.items()}, **drawn}
    text = ", ".join(f"{key} = {value}" for key, value in settings.items())
    return f"| {task.name} | {task.env} | {task.horizon} | {text} |"
