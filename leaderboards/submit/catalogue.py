"""A submission, which is a folder with its manifest, and the list of published submissions."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from leaderboards.run.keys.sources import of_files
from leaderboards.submit import folder as folders
from leaderboards.submit import manifest as manifests
from leaderboards.submit.entry_point import file_of
from leaderboards.submit.folder import LEDGER, MANIFEST, RESULTS, Folder
from leaderboards.submit.ledger import Ledger, events
from leaderboards.submit.manifest import Manifest, canonical
from leaderboards.submit.problems import Problem, SubmissionError

ROOT = Path(__file__).parents[1] / "submissions"
SELF_RUN, WITHDRAWN = "self-run", "withdrawn"  # events of a submission's ledger


@dataclass(frozen=True, eq=False)
class Submission:
    """A folder whose files and manifest were read and are valid."""

    folder: Folder
    manifest: Manifest

    @property
    def spec(self) -> str:
        """Its name in rows of results: ``name==version@hash``, with 16 digits of the hash."""
        return f"{self.manifest.title}@{self.folder.hash[:16]}"

    @cached_property
    def sources(self) -> str:
        """Hash of its files and all that they use, of ours and of libraries, as in its rows."""
        return of_files(self.folder.files, self.folder.hash)

    @property
    def results(self) -> Path:
        """The folder of its published rows of results."""
        return self.folder.path / RESULTS

    @cached_property
    def ledger(self) -> Ledger:
        """The ledger of its publications and withdrawals."""
        return Ledger(self.folder.path / LEDGER)

    @property
    def identity(self) -> dict[str, str]:
        """How ledgers name this version: ``name``, ``version`` and ``hash`` of its files."""
        manifest = self.manifest
        return {"name": manifest.name, "version": manifest.version, "hash": self.folder.hash}

    def note(self, event: str, **facts: Any) -> None:
        """Append an event of this version to its ledger."""
        self.ledger.append({"event": event, **self.identity, **facts})

    @property
    def code_file(self) -> str:
        """The agent's file, as a path within the folder."""
        return file_of(self.folder, self.manifest.entry)[0]

    def code(self, staged: Path | None = None) -> str:
        """The agent's spec for ``agents.resolve``, in the folder that its files are copied to.

        Without a folder the spec's path is relative.
        """
        entry = self.manifest.entry
        if staged is not None:
            place, name = file_of(self.folder, entry)
            entry = f"{staged / place}:{name}"
        values = self.manifest.hyperparameters.items()
        given = ", ".join(f"{key}={value!r}" for key, value in values)
        return entry + (f"({given})" if given else "")

    def withdrawn(self) -> bool:
        """Whether this version was withdrawn."""
        noted = events(self.ledger.entries(), WITHDRAWN)
        return any(entry.get("version") == self.manifest.version for entry in noted)


def opened(path: str | Path, root: Path = ROOT) -> Submission:
    """Read a submission, and compare it with the published ones.

    Raises
    ------
    SubmissionError
        With every problem: in the files or the manifest, a name that is taken, a published version
        whose files have changed.
    """
    folder = folders.read(path)
    found = Submission(folder, manifests.read(folder))
    problems = _taken(found, root) + _altered(found)
    if problems:
        raise SubmissionError(*problems)
    return found


def published(root: Path = ROOT) -> list[Submission]:
    """The submissions of the repository, by name.

    Raises
    ------
    SubmissionError
        If one of them is invalid, or its folder has another name.
    """
    found = []
    for path in sorted(root.glob("*")):
        if not path.is_dir() or path.name == "__pycache__":
            continue
        one = opened(path, root)
        if one.manifest.name != path.name:
            what = f"the folder is called {path.name!r}"
            file = f"{path.name}/{MANIFEST}"
            raise SubmissionError(Problem(file, "name", what, "give both one name"))
        found.append(one)
    return found


def _taken(submission: Submission, root: Path) -> list[Problem]:
    """The problem if a submission in another folder, by other authors, has this name."""
    manifest = submission.manifest
    for path in sorted(root.glob("*")):
        if not path.is_dir() or canonical(path.name) != canonical(manifest.name):
            continue
        if path.resolve() == submission.folder.path.resolve():
            continue
        try:
            other = manifests.read(folders.read(path))
        except SubmissionError:
            other = None
        if other is None or other.contact != manifest.contact or path.name != manifest.name:
            what = f"{path.name!r} is the name of another submission"
            return [Problem(MANIFEST, "name", what, "choose another name")]
        return _altered(submission, Submission(folders.read(path), other).ledger)
    return []


def _altered(submission: Submission, ledger: Ledger | None = None) -> list[Problem]:
    """The problem if this version was published with other files."""
    try:
        entries = (ledger or submission.ledger).entries()
    except ValueError as error:
        return [Problem(LEDGER, "", str(error), "restore the repository's file")]
    version = submission.manifest.version
    published = [one for one in events(entries, SELF_RUN) if one.get("version") == version]
    if all(one.get("hash") == submission.folder.hash for one in published):
        return []
    what = f"version {version} is published, and its files have changed since"
    return [Problem(MANIFEST, "version", what, "a change needs a new version: raise it")]
