"""The indices of boards and papers; the published pages themselves are taken as they are."""

from docs.site.restructured import escaped, heading, table
from leaderboards import papers
from leaderboards.defaults import SUITE
from leaderboards.suites import suite
from tools import publish


def pages() -> dict[str, str]:
    """The indices of boards and of papers, and a page for every suite, by path."""
    found = {"boards/index.rst": _boards(), "papers/index.rst": _papers()}
    return found | {f"boards/suites/{name}.rst": _suite(name) for name in suite.available()}


def _boards() -> str:
    lines = heading("Boards", "=")
    lines += ["Published scores. Every number comes from the results that are kept with the code;"]
    lines += [":doc:`/explanation/scores` explains how a score is computed.", ""]
    lines += [".. toctree::", "   :maxdepth: 1", "", f"   All agents on {SUITE} <{SUITE}>"]
    others = [one.name for one in publish.suites(publish.FOLDER)[1:]]
    lines += [f"   {name}" for name in others]
    lines += ["   Other libraries' agents and ours <libraries-v1>"]
    lines += ["   Estimators of off-policy evaluation <ope-v1>"]
    lines += ["   Submissions, on public seeds <submissions>", "   Held-out seeds <epochs>", ""]
    lines += heading("Suites")
    lines += ["A suite is a frozen list of tasks with their settings, horizons and seeds.", ""]
    lines += table(
        ("suite", "tasks"),
        (
            (f":doc:`{name} <suites/{name}>`", escaped(suite.load(name).title))
            for name in suite.available()
        ),
        "24 76",
    )
    names = [f"   suites/{name}" for name in suite.available()]
    return "\n".join([*lines, ".. toctree::", "   :hidden:", "", *names, ""])


def _suite(name: str) -> str:
    found = suite.load(name)
    lines = [*heading(name, "="), f"{escaped(found.title)}.", ""]
    lines += [f"{len(found.tasks)} tasks, {len(found.seeds)} seeds, hash ``{found.hash}``.", ""]
    lines += [".. code-block:: none", "", f"   banditgym leaderboard run {name}", ""]
    rows = []
    for task in found.tasks:
        files = {path: written for written, path in task.files}
        settings = ", ".join(
            f"{key}={files.get(value, value) if isinstance(value, str) else value!r}"
            for key, value in task.settings.items()
        )
        env = f":doc:`{task.env} </environments/{task.env}>`"
        rows.append(
            (escaped(task.name), env, str(task.horizon), escaped(task.ranking), escaped(settings))
        )
    header = ("task", "environment", "rounds", "ranking", "settings")
    return "\n".join([*lines, *table(header, rows, "18 22 10 16 34")])


def _papers() -> str:
    verdicts = publish.FOLDER / "results/papers"
    lines = heading("Papers", "=")
    lines += ["Claims of papers, tested again. A page gives the setting, the measure, the rule of"]
    lines += [
        "the verdict, the numbers with their intervals, and figures. :doc:`claims` has all of"
    ]
    lines += ["them on one page.", ""]
    lines += table(
        ("page", "paper"),
        (
            (f":doc:`{name} <{name}>`", escaped(papers.load(name).reference))
            for name in papers.NAMES
            if (verdicts / f"{name}.md").exists()
        ),
        "24 76",
    )
    names = ["   All claims <claims>", *(f"   {name}" for name in papers.NAMES)]
    return "\n".join([*lines, ".. toctree::", "   :hidden:", "", *names, ""])
