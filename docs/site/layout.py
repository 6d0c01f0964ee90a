"""Which files of the repository are pages of the site, and where each one is there.

Files of ``docs/`` keep their place, unless the table below gives another one. The repository's
files do not move, because other pages and messages name them by their paths.
"""

from pathlib import Path, PurePosixPath

from leaderboards import papers
from leaderboards.defaults import SUITE
from tools import publish

ROOT = Path(__file__).parents[2]
SITE = "docs/site/"  # what builds the site is no page of it

# File of the repository: page of the site.
MOVED = {
    **{
        f"docs/{name}.md": f"how-to/{name}"
        for name in (
            *("add-a-paper", "add-a-suite", "add-an-agent", "add-an-environment", "choosing"),
            *("clients", "cluster", "comparisons", "environments", "publishing"),
            *("other-libraries", "own-agents", "serving", "stable-baselines3", "submissions"),
            "tuning",
        )
    },
    "docs/sandbox.md": "explanation/sandbox",
    "docs/governance.md": "explanation/governance",
    "CONTRIBUTING.md": "how-to/contributing",
    "CHANGELOG.md": "reference/changelog",
    "banditgym/data/README.md": "how-to/data",
    "leaderboards/README.md": f"boards/{SUITE}",
    **{
        f"leaderboards/results/{suite.name}/README.md": f"boards/{suite.name}"
        for suite in publish.suites(publish.FOLDER)[1:]
    },
    "leaderboards/results/libraries-v1.md": "boards/libraries-v1",
    "leaderboards/results/ope-v1/README.md": "boards/ope-v1",
    "leaderboards/submissions/README.md": "boards/submissions",
    "leaderboards/epochs/README.md": "boards/epochs",
    "leaderboards/results/portability.md": "explanation/portability",
    "leaderboards/results/papers/README.md": "papers/claims",
    **{f"leaderboards/results/papers/{name}.md": f"papers/{name}" for name in papers.NAMES},
    # The README's parts have pages of their own; who follows a link to it begins there.
    "README.md": "index",
}


def sources() -> dict[str, str]:
    """Every file of the repository that is a page: its path, and the name of its page."""
    files = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))
    files += [file for file in MOVED if file != "README.md" and file not in files]
    return {file: page for file in files if (page := page_of(file)) is not None}


def page_of(file: str) -> str | None:
    """The page of the site for a file of the repository or a tutorial; None if it has none."""
    if file in MOVED:
        return MOVED[file]
    path = PurePosixPath(file)
    if path.parts[0] != "docs" or file.startswith(SITE):
        return None
    if not (ROOT / file).is_file():
        return None
    is_page = path.suffix == ".md" or (path.parts[1] == "tutorials" and path.suffix == ".py")
    return path.relative_to("docs").with_suffix("").as_posix() if is_page else None
