"""A submission's folder, read into memory once, so that what is hashed is what is played.

Only regular files are read, and their number and size are bounded. Symbolic links are refused,
because their target may change at any time.
"""

import hashlib
import itertools
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from leaderboards.submit.problems import Problem, SubmissionError

MANIFEST = "submission.toml"
RESULTS = "results"  # folder of published rows
LEDGER = "ledger.jsonl"

MOST_FILES = 200
MOST_BYTES = 4 * 2**20  # of all files together
DEEPEST = 6  # nested folders
MOST_ENTRIES = 10_000  # files and folders together, those that are ignored too

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}")
# Python writes these when the code runs. They are ignored: bytecode may differ from its source.
_MADE = {"__pycache__"}


@dataclass(frozen=True, eq=False)
class Folder:
    """The files of a submission.

    Attributes
    ----------
    path : Path
        The folder that was read.
    files : dict of str to bytes
        Contents by path within the folder, with ``/``, in sorted order; without the published rows
        of results and the ledger.
    hash : str
        SHA-256 of all paths and contents, 64 hexadecimal digits.
    """

    path: Path
    files: dict[str, bytes]
    hash: str

    def copy_to(self, target: Path) -> Path:
        """Write the files into an empty or new folder, which is returned.

        All users may read the files, regardless of the umask: in the sandbox the agent may run as
        another user.
        """
        for name, contents in self.files.items():
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(contents)
            path.chmod(0o644)
            for folder in path.relative_to(target).parents:
                (target / folder).chmod(0o755)
        return target


def read(path: str | Path) -> Folder:
    """Read a submission's folder.

    Raises
    ------
    SubmissionError
        With every problem: no folder, no ``submission.toml``, links, devices, names with other
        characters than letters, digits and a few signs, too many or too large files.
    """
    path = Path(path)
    if path.is_symlink() or not path.is_dir():
        what = "it is a symbolic link" if path.is_symlink() else "there is no such folder"
        remedy = "name the folder that holds submission.toml"
        raise SubmissionError(Problem(str(path), "", what, remedy))
    reader = _Reader()
    reader.folder(path, "")
    reader.results(path / RESULTS)
    if MANIFEST not in reader.files and not any(p.file == MANIFEST for p in reader.problems):
        remedy = f"banditgym submit new writes an example of a folder with a {MANIFEST}"
        reader.problems.append(Problem(MANIFEST, "", "there is no such file", remedy))
    if reader.problems:
        raise SubmissionError(*reader.problems)
    files = dict(sorted(reader.files.items()))
    return Folder(path, files, content_hash(files))


def content_hash(files: dict[str, bytes]) -> str:
    """SHA-256 over the sorted paths and contents, each after its length in 8 bytes."""
    digest = hashlib.sha256(b"banditgym submission 1")
    for name, contents in sorted(files.items()):
        for part in (name.encode(), contents):
            digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


class _Reader:
    """Files and problems of a folder and its subfolders."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.problems: list[Problem] = []
        self.size = 0
        self.listed = 0

    def folder(self, path: Path, prefix: str) -> None:
        if prefix.count("/") > DEEPEST:
            self._refuse(prefix, f"folders lie more than {DEEPEST} deep", "move the files up")
            return
        for entry in self._entries(path, prefix):
            name = prefix + entry.name
            if len(self.problems) > MOST_FILES or len(self.files) > MOST_FILES:
                return
            made = entry.name in _MADE or entry.name.endswith(".pyc")
            skipped = made or name in (RESULTS, LEDGER)
            if not skipped and not _NAME.fullmatch(entry.name):
                remedy = "use letters, digits, _, -, + and ., and no . at the beginning"
                self._refuse(name, "its name has other characters", remedy)
            elif entry.is_symlink():
                self._refuse(name, "it is a symbolic link", "put the file itself there")
            elif skipped:
                continue
            elif entry.is_dir(follow_symlinks=False):
                self.folder(Path(entry.path), f"{name}/")
            else:
                self._file(Path(entry.path), name)

    def results(self, path: Path) -> None:
        """Refuse links and pipes in the folder of results: a store reads every file there."""
        if path.is_symlink() or not path.is_dir():
            return
        for entry in self._entries(path, RESULTS):
            if not (entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False)):
                name = f"{RESULTS}/{entry.name}"
                self._refuse(name, "it is not a regular file", "remove it")
            if len(self.problems) > MOST_FILES:
                return

    def _entries(self, path: Path, name: str) -> list[os.DirEntry[str]]:
        """What is in a folder, by name; listings are bounded over all folders."""
        try:
            with os.scandir(path) as there:
                found = list(itertools.islice(there, MOST_ENTRIES + 1 - self.listed))
        except OSError as error:
            self._refuse(name, f"it cannot be read: {error.strerror}", "make it readable")
            return []
        self.listed += len(found)
        if self.listed > MOST_ENTRIES:
            self._refuse(name, f"there are more than {MOST_ENTRIES} files and folders", "drop some")
            return []
        return sorted(found, key=lambda entry: entry.name)

    def _file(self, path: Path, name: str) -> None:
        # The file may have become a link or a pipe since the folder was listed.
        try:
            number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError as error:
            self._refuse(name, f"it cannot be read: {error.strerror}", "make it readable")
            return
        with os.fdopen(number, "rb") as file:
            if not stat.S_ISREG(os.fstat(number).st_mode):
                self._refuse(name, "it is not a regular file", "remove it")
                return
            contents = file.read(MOST_BYTES + 1 - self.size)
        self.size += len(contents)
        if self.size > MOST_BYTES:
            what = f"with it the files take more than {MOST_BYTES // 2**20} MiB"
            self._refuse(name, what, "leave out what the agent does not need")
            self.size = MOST_BYTES
        elif len(self.files) >= MOST_FILES:
            self._refuse(name, f"it is one of more than {MOST_FILES} files", "join or drop some")
            self.files[name] = b""
        else:
            self.files[name] = contents

    def _refuse(self, name: str, what: str, remedy: str) -> None:
        self.problems.append(Problem(name, "", what, remedy))
