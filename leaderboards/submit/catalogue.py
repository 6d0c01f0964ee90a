"""Submissions as a whole: a folder with its manifest, and those that the repository holds."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from banditgym.compiled import source_hash
from leaderboards.ledger import Ledger
from leaderboards.submit import folder as folders
from leaderboards.submit import manifest as manifests
from leaderboards.submit.folder import LEDGER, MANIFEST, RESULTS, Folder
from leaderboards.submit.manifest import Manifest, canonical, file_of
from leaderboards.submit.problems import Problem, SubmissionError

ROOT = Path(__file__).parents[1] / "submissions"
SELF_RUN, WITHDRAWN = "self-run", "withdrawn"  # events of a submission's ledger


@dataclass(frozen=True, eq=False)
class Submission:
    """A folder whose files and manifest were read and found in order."""

    folder: Folder
    manifest: Manifest

    @property
    def spec(self) -> str:
        """What its rows name it by: ``name==version@hash``, of which the hash has 16 digits."""
        return f"{self.manifest.title}@{self.folder.hash[:16]}"

    @property
    def sources(self) -> str:
        """Hash of our sources and its files, as rows have it."""
        return hashlib.sha256((source_hash() + self.folder.hash).encode()).hexdigest()[:16]

    @property
    def results(self) -> Path:
        """The folder of its published rows."""
        return self.folder.path / RESULTS

    @cached_property
    def ledger(self) -> Ledger:
        """What was published of it, and what was withdrawn."""
        return Ledger(self.folder.path / LEDGER)

    @property
    def code_file(self) -> str:
        """The file of the agent, as a path within the folder."""
        return file_of(self.folder, self.manifest.entry)[0]

    def code(self, staged: Path | None = None) -> str:
        """How ``agents.resolve`` names its agent, in the folder that its files are copied to.

        Without a folder it is named as within it.
        """
        entry = self.manifest.entry
        if staged is not None:
            place, name = file_of(self.folder, entry)
            entry = f"{staged / place}:{name}"
        given = ", ".join(
            f"{key}={value!r}" for key, value in self.manifest.hyperparameters.items()
        )
        return entry + (f"({given})" if given else "")

    def withdrawn(self) -> bool:
        """Whether this version was taken off the table."""
        own = self.manifest.version
        return any(
            entry.get("event") == WITHDRAWN and entry.get("version") == own
            for entry in self.ledger.entries()
        )


def opened(path: str | Path, root: Path = ROOT) -> Submission:
    """Read a submission, and compare it with those that are published.

    Raises
    ------
    SubmissionError
        With every problem: of the files, the manifest, a name that is taken, a published version
        whose contents have changed.
    """
    folder = folders.read(path)
    found = Submission(folder, manifests.read(folder))
    problems = _taken(found, root) + _altered(found)
    if problems:
        raise SubmissionError(problems)
    return found


def published(root: Path = ROOT) -> list[Submission]:
    """The submissions of the repository, by name.

    Raises
    ------
    SubmissionError
        If one of them is not in order, or its folder does not have its name.
    """
    found = []
    for path in sorted(path for path in root.glob("*") if path.is_dir()):
        if path.name == "__pycache__":
            continue
        one = opened(path, root)
        if one.manifest.name != path.name:
            what = f"the folder is called {path.name!r}"
            raise SubmissionError(
                [Problem(f"{path.name}/{MANIFEST}", "name", what, "give both one name")]
            )
        found.append(one)
    return found


def _taken(own: Submission, root: Path) -> list[Problem]:
    """Whether another submission has this name: one of another folder and of other authors."""
    for path in sorted(root.glob("*")):
        if not path.is_dir() or canonical(path.name) != canonical(own.manifest.name):
            continue
        if path.resolve() == own.folder.path.resolve():
            continue
        try:
            other = manifests.read(folders.read(path))
        except SubmissionError:
            other = None
        if other is None or other.contact != own.manifest.contact or path.name != own.manifest.name:
            what = f"{path.name!r} is the name of another submission"
            return [Problem(MANIFEST, "name", what, "choose another name")]
        return _altered(own, Submission(folders.read(path), other).ledger)
    return []


def _altered(own: Submission, ledger: Ledger | None = None) -> list[Problem]:
    """Whether this version was published with other contents."""
    try:
        entries = (ledger or own.ledger).entries()
    except ValueError as error:
        return [Problem(LEDGER, "", str(error), "take it as the repository has it")]
    version = own.manifest.version
    published = [
        entry.get("hash")
        for entry in entries
        if entry.get("event") == SELF_RUN and entry.get("version") == version
    ]
    if all(digest == own.folder.hash for digest in published):
        return []
    what = f"version {version} is published, and its files have changed since"
    return [Problem(MANIFEST, "version", what, "a change is a new version: raise it")]
