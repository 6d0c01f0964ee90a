"""Publishes results, and pages that are generated only from them.

``python -m tools.publish`` generates the pages of a checkout again; with ``--store FOLDER``
it first takes a finished run of the suite (``--suite``) as the published results, with ``--tuned
FOLDER`` a finished one of ``banditgym tune``, and with ``--libraries FOLDER`` one of
``python -m tools.libraries.contest``. Papers' findings are where
``banditgym reproduce --out leaderboards/results/papers`` writes them. The results of the default
suite are in ``results``, those of each other suite in a folder of its name there.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from banditgym.files import whole_files
from banditgym.files.class_paths import names_own
from leaderboards import papers, report
from leaderboards.defaults import SUITE
from leaderboards.papers import paper_page
from leaderboards.papers.records import recalled
from leaderboards.rank.board import Board, build
from leaderboards.report.bounds import captions
from leaderboards.report.templates import markdown
from leaderboards.run.keys.sources import of_agent, present
from leaderboards.run.plan import plan
from leaderboards.run.store.store import Store
from leaderboards.submit.published import pack_apart
from leaderboards.suites.suite import Suite, load
from leaderboards.tuning.tuning_tasks import tuning_tasks
from tools import tuned_results
from tools.libraries import libraries_page
from tools.pages import advice, epochs_page, results_data, submissions_page
from tools.pages.advice import Advice

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOLDER = Path(__file__).parents[1] / "leaderboards"


def results_of(suite: Suite, folder: Path) -> Path:
    """The folder of a suite's published results: one of its own if there is one."""
    own = folder / "results" / suite.name
    return own if own.is_dir() else folder / "results"


def suites(folder: Path) -> list[Suite]:
    """The published suites with a page of their own, the default one first."""
    others = {path.parent.name for path in (folder / "results").glob("*/*.jsonl.gz")}
    return [load(SUITE), *(load(name) for name in sorted(others - {"tuned"}))]


def take(suite: Suite, folder: Path, to: Path) -> None:
    """Pack a finished run of a suite with the current sources into one file.

    Raises
    ------
    ValueError
        If the store lacks a result, or has a failure.
    """
    store = Store(folder)
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
        and row.sources == present(of_agent, row.spec)
    ]
    failed = sorted({f"{row.agent} on {row.task}" for row in rows if row.error and not row.refused})
    if failed:
        raise ValueError(f"{folder} holds failures: {', '.join(failed)}")
    pack_apart(to / f"{suite.name}.jsonl.gz", rows)


def leaderboard_page(board: Board, advised: Sequence[Advice] = ()) -> str:
    """A suite's page: the published board as Markdown, each ranking with its curves."""
    standings = [standing for part in board.sections for standing in part.standings]
    sources = sorted({f"{standing.spec} {standing.sources}" for standing in standings})
    return markdown(
        Path(__file__).parent / "pages" / "leaderboard_page.md.jinja",
        board=board,
        front=board.suite.name == load(SUITE).name,
        old=board.suite.name == "core-v2",  # published before scores were means
        others=[(one.name, one.title) for one in suites(FOLDER)[1:]],
        scale=report.SCALE,
        sources=hashlib.sha256("\n".join(sources).encode()).hexdigest()[:16],
        choices=report.markdown_choices(board),
        advice=advice.lines(advised),
        first=next((one.label for one in board.tuned.get("armed", ())), None),
        ranking=partial(report.markdown_section, board, linked=True),
        captions=captions,
        fronts=report.fronts(board),
    )


def papers_pages(folder: Path) -> dict[str, str]:
    """Each paper's page, and their index, from the findings beside them."""
    texts, records = {}, []
    for name in papers.NAMES:
        found = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        texts[f"{name}.md"] = paper_page.markdown(recalled(papers.load(name), found))
        records.append(found)
    return texts | {"README.md": paper_page.index(records)}


def pages(folder: Path) -> dict[str, str]:
    """Every text that is generated from ``results``, by its path below ``folder``."""
    results = folder / "results"
    own = papers_pages(results / "papers")
    libraries = libraries_page.pages(results)
    found = {}
    for suite in suites(folder):
        place = results_of(suite, folder)
        name = "README.md" if place == results else f"results/{place.name}/README.md"
        found[name] = leaderboard_page(published(suite, folder), advised(suite, folder))
    return found | {
        "submissions/README.md": submissions_page.page(folder / "submissions"),
        "epochs/README.md": epochs_page.page(folder / "epochs", folder / "submissions"),
        **{f"results/{name}": text for name, text in libraries.items()},
        **{f"results/{name}": text for name, text in results_data.texts(results).items()},
        **{f"results/papers/{name}": text for name, text in own.items()},
    }


def published(suite: Suite, folder: Path) -> Board:
    """The board of the published results of a suite, with its tuned column."""
    results = results_of(suite, folder)
    rows = Store(results).rows(suite.hash)
    return tuned_results.beside(build(suite, rows, compared=False), rows, results)


def advised(suite: Suite, folder: Path) -> tuple[Advice, ...]:
    """Which agent for which kind of the suite's tasks, by its published results."""
    return advice.advise(suite, Store(results_of(suite, folder)).rows(suite.hash))


def draw(suite: Suite, folder: Path) -> None:
    """Draw the pictures of a suite's page."""
    board, results = published(suite, folder), results_of(suite, folder)
    for name, figure in report.figures(board).items():
        _save(figure, results / name)
    for name, picture in report.fronts(board).items():
        whole_files.write(results / name, f"{picture.svg}\n")


def _save(figure: "Figure", path: Path) -> None:
    with whole_files.opened(path) as file:
        figure.savefig(file, format="png", dpi=100)


def main() -> None:
    """Take a finished run, if one is named, and generate the pages and figures."""
    parser = argparse.ArgumentParser(prog="python -m tools.publish", description=__doc__)
    parser.add_argument("--suite", default=SUITE, help="of --store and --tuned")
    parser.add_argument("--store", type=Path, help="folder of a finished run to be published")
    parser.add_argument("--libraries", type=Path, help="the same of other libraries' agents")
    parser.add_argument("--tuned", type=Path, help="the same of banditgym tune")
    chosen = parser.parse_args()
    results = FOLDER / "results"
    try:
        suite = load(chosen.suite)
        own = results if chosen.suite == SUITE else results / suite.name
        if chosen.store is not None:
            take(suite, chosen.store, own)
        if chosen.tuned is not None:
            tuned_results.take(tuning_tasks(chosen.suite), chosen.tuned, own)
        if chosen.libraries is not None:
            libraries_page.take(chosen.libraries, results)
        for one in suites(FOLDER):
            draw(one, FOLDER)
        for name, figure in libraries_page.figures(results).items():
            _save(figure, results / name)
        for name, text in pages(FOLDER).items():
            path = FOLDER / name
            path.parent.mkdir(parents=True, exist_ok=True)
            whole_files.write(path, text)
    except (ValueError, OSError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
