"""Deliberate faults in agents, each of which must change the verdict on a claim.

A paper's module ``faults`` lists its own. `leaderboards.papers.mutations` plays them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A named change of one line or a few in a source file.

    Parameters
    ----------
    name : str
        What is wrong, in a few words.
    file : str
        The file, from the root of the repository.
    old, new : str
        The text that is replaced, which must occur exactly once in the file, and its replacement.
    claims : sequence of str
        Ids of claims, at least one of which must get another verdict in the quick form.
    """

    name: str
    file: str
    old: str
    new: str
    claims: Sequence[str]

    def apply(self, root: Path) -> None:
        """Change the file below a folder.

        Raises
        ------
        ValueError
            If the old text does not occur exactly once.
        """
        path = root / self.file
        text = path.read_text(encoding="utf-8")
        if (found := text.count(self.old)) != 1:
            raise ValueError(f"{self.name}: the old text occurs {found} times in {self.file}")
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")
