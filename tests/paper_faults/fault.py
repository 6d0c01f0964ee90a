"""Deliberate faults in agents and environments, each of which must change the verdict on a claim.

The module of this folder with a paper's name lists its faults. `tests.paper_faults.mutations` plays
them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent


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


def faults(text: str) -> tuple[Fault, ...]:
    """Faults in the notation of differences, with an empty line between any two.

    ``--- FILE`` names the file of the faults that follow. A fault has its name with the claims that
    must see it in brackets, the old text in lines that begin with ``-``, and the new one in lines
    that begin with ``+``. A space after either sign is not part of the text.

    Examples
    --------
    >>> one, two = faults(
    ...     '''
    ...     --- agents/armed/ucb1.py
    ...     the bonus does not grow [theorem-1, figure-2]
    ...     - growth = log(t)
    ...     + growth = 1.0
    ...
    ...     the bonus is not added [theorem-1]
    ...     - mean[k] + bonus[k]
    ...     + mean[k]
    ...     '''
    ... )
    >>> one.claims, two.file, two.old
    (('theorem-1', 'figure-2'), 'agents/armed/ucb1.py', 'mean[k] + bonus[k]')
    """
    found, file = [], ""
    for block in dedent(text).strip().split("\n\n"):
        lines = block.splitlines()
        if lines[0].startswith("--- "):
            file = lines.pop(0).removeprefix("--- ")
        name, _, claims = " ".join(line for line in lines if line[0] not in "-+").partition(" [")
        old, new = ("\n".join(line[2:] for line in lines if line.startswith(sign)) for sign in "-+")
        told = tuple(claims.removesuffix("]").split(", "))
        found.append(Fault(name=name, file=file, old=old, new=new, claims=told))
    return tuple(found)
