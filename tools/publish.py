"""Publishes results, and pages that are generated only from them.

``python -m tools.publish`` generates the pages of a checkout again; with ``--store FOLDER``
it first takes a finished run of the suite as the published results, with ``--tuned FOLDER`` a
finished one of ``banditgym tune``, and with ``--libraries FOLDER`` one of
``python -m tools.libraries.contest``. Papers' findings are where
``banditgym reproduce --out leaderboards/results/papers`` writes them.
"""

import argparse
import hashlib
import json
import sys
from pathlib import Path

from banditgym.files import whole_files
from banditgym.files.class_paths import names_own
from leaderboards import papers, report
from leaderboards.defaults import SUITE
from leaderboards.papers import paper_page
from leaderboards.papers.records import recalled
from leaderboards.rank.board import Board, build
from leaderboards.report.bounds import captions
from leaderboards.report.markup import escaped
from leaderboards.run.keys.sources import present
from leaderboards.run.plan import plan
from leaderboards.run.store.store import Store
from leaderboards.submit.published import pack
from leaderboards.suites.suite import load
from leaderboards.tuning.tuning_tasks import tuning_tasks
from tools import tuned_results
from tools.libraries import libraries_page
from tools.pages import epochs_page, submissions_page

FOLDER = Path(__file__).parents[1] / "leaderboards"

_LEADERBOARD = """# The leaderboard

This page shows every agent of this package on the suite `{suite}`, with default hyperparameters, on
the problems that it is made for. Each task has {seeds} seeds. All agents play the same environments
with the same random draws.

- The score of a task is the mean gain over uniform play on the same seeds, divided by the mean
  possible gain: {scale}.
- Tables show the mean over the tasks of a ranking, with its 95 % bootstrap interval over seeds, and
  the quartiles of all episodes. A ranking has the tasks of a family, or those that only some of its
  agents can play; tasks with a drifting parameter have one of their own.
- A rank interval contains every rank that the data do not rule out, on these tasks, at these
  horizons; seeds vary, tasks are fixed.
- Until version 0.1.0 scores were interquartile means. [One
  page](../docs/explanation/scores-before-and-after.md) has both boards.
- Times are CPU time on one core, per replicate of those played in lockstep. Compare them only
  within a table.
{tuned}
```
banditgym leaderboard run                          # plays all of this again
banditgym leaderboard run --agent mine.py:Mine     # adds your agent
banditgym leaderboard show {suite} --store leaderboards/results    # these results, seed by seed
```

This page is generated from [the results](results) alone, by `python -m tools.publish`. Every
row has the hash of the sources that its agent's numbers depend on; all of them together have the
hash `{sources}`. The claims of papers and our findings have [pages of their
own](results/papers/README.md). Other libraries' agents and some of these are compared [on another
page](results/libraries-v1.md).
"""

_TUNED = """\
- The column `tuned` has the same agents with one setting per family. It was searched on other
  seeds, among the values that the agent's class declares, in as many trials for every agent of a
  family; `banditgym tune {suite}` searches again. The published ones have the best interquartile
  means, the score until version 0.1.0. Where tuning lost on the seeds that are scored, the tables
  show it. [The settings](results/tuned/{suite}.json) are published with all that was
  found.
"""

_ARMED = """\
The best tuned armed agent, UCB1 with `noise_std=0.0428`, has that place at T = 5,000. There its
mean regret on `coins` is 63, and that of BetaThompson 42; at T = 300,000, on the same seeds, they
are 2,435 and 107. On `rare` its regret is lower at both: 20 against 69, and 25 against 130.
"""

_PAPERS = """# Claims of papers, tested again

This page lists what each paper claims and what `banditgym reproduce` found. Each paper has a page
with the settings, the measures, the rule of every verdict, the numbers with their intervals, and
figures. Rules are written before the runs that they judge; if a rule or a size was changed after a
first look at the numbers, the claim says so. The verdicts can detect errors: they change if agents
or environments have deliberate faults, which `python -m tests.paper_faults.mutations` plays.

The first table counts only the papers' own claims. A bound that exceeds what is possible counts
neither for a paper nor against it.
"""


def take(folder: Path, to: Path) -> None:
    """Pack a finished run of the suite with the current sources into one file.

    Raises
    ------
    ValueError
        If the store lacks a result, or has a failure.
    """
    suite, store = load(SUITE), Store(folder)
    todo = plan(suite, None, store)
    if todo.baselines or todo.cells:
        raise ValueError(
            f"{folder} lacks results: continue with banditgym leaderboard run {suite.name}"
        )
    rows = [
        row
        for row in store.rows(suite.hash)
        if row.seed in (-1, *suite.seeds)  # a comparison plays others too
        and names_own(row.spec)
        and row.sources == present(row.spec)
    ]
    failed = sorted({f"{row.agent} on {row.task}" for row in rows if row.error and not row.refused})
    if failed:
        raise ValueError(f"{folder} holds failures: {', '.join(failed)}")
    pack(to / f"{suite.name}.jsonl.gz", rows)


def leaderboard_page(board: Board) -> str:
    """``leaderboards/README.md``: the published board as Markdown, each ranking with its curves."""
    standings = [standing for part in board.sections for standing in part.standings]
    sources = sorted({f"{standing.spec} {standing.sources}" for standing in standings})
    text = _LEADERBOARD.format(
        suite=board.suite.name,
        seeds=board.suite.n_seeds,
        scale=report.SCALE,
        tuned=_TUNED.format(suite=board.suite.name) if board.tuned else "",
        sources=hashlib.sha256("\n".join(sources).encode()).hexdigest()[:16],
    )
    fronts = report.fronts(board)
    text += "\n" + "\n".join(report.markdown_choices(board))
    if [one.label for one in board.tuned.get("armed", ())[:1]] == ["UCB1"]:
        text += f"\n{_ARMED}"
    for section in board.sections:
        ranking = report.markdown_section(board, section, linked=True)
        text += f"\n{ranking}\n![{section.name}: mean curves](results/curves-{section.name}.png)\n"
        if said := captions(section):
            text += "\n" + "".join(f"- {escaped(one)}\n" for one in said)
        if (name := f"front-{section.name}.svg") in fronts:
            text += f"\n![{escaped(fronts[name].said)}](results/{name})\n"
    return text


def papers_pages(folder: Path) -> dict[str, str]:
    """Each paper's page, and their index, from the findings beside them."""
    texts, records = {}, []
    for name in papers.NAMES:
        found = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        texts[f"{name}.md"] = paper_page.markdown(recalled(papers.load(name), found))
        records.append(found)
    return texts | {"README.md": _PAPERS + "\n" + paper_page.index(records)}


def pages(folder: Path) -> dict[str, str]:
    """Every text that is generated from ``results``, by its path below ``folder``."""
    board = published(folder)
    fronts = {name: f"{picture.svg}\n" for name, picture in report.fronts(board).items()}
    own = papers_pages(folder / "results" / "papers")
    libraries = libraries_page.pages(folder / "results")
    return {
        "README.md": leaderboard_page(board),
        **{f"results/{name}": text for name, text in fronts.items()},
        "submissions/README.md": submissions_page.page(folder / "submissions"),
        "epochs/README.md": epochs_page.page(folder / "epochs", folder / "submissions"),
        **{f"results/{name}": text for name, text in libraries.items()},
        **{f"results/papers/{name}": text for name, text in own.items()},
    }


def published(folder: Path) -> Board:
    """The board of the published results, with its tuned column."""
    suite = load(SUITE)
    rows = Store(folder / "results").rows(suite.hash)
    return tuned_results.beside(build(suite, rows), rows, folder / "results")


def main() -> None:
    """Take a finished run, if one is named, and generate the pages and figures."""
    parser = argparse.ArgumentParser(prog="python -m tools.publish", description=__doc__)
    parser.add_argument("--store", type=Path, help="folder of a finished run to be published")
    parser.add_argument("--libraries", type=Path, help="the same of other libraries' agents")
    parser.add_argument("--tuned", type=Path, help="the same of banditgym tune")
    chosen = parser.parse_args()
    try:
        if chosen.store is not None:
            take(chosen.store, FOLDER / "results")
        if chosen.tuned is not None:
            tuned_results.take(tuning_tasks(SUITE), chosen.tuned, FOLDER / "results")
        if chosen.libraries is not None:
            libraries_page.take(chosen.libraries, FOLDER / "results")
        own = report.figures(published(FOLDER))
        for name, figure in {**own, **libraries_page.figures(FOLDER / "results")}.items():
            with whole_files.opened(FOLDER / "results" / name) as file:
                figure.savefig(file, format="png", dpi=100)
        for name, text in pages(FOLDER).items():
            path = FOLDER / name
            path.parent.mkdir(parents=True, exist_ok=True)
            whole_files.write(path, text)
    except (ValueError, OSError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
