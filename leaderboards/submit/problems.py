"""What is wrong with a submission: a line for each problem, with its file, its key and a remedy."""

from collections.abc import Sequence
from dataclasses import dataclass

from banditgym.validation import visible

LONGEST = 300  # characters of each part of a line: what is quoted comes from others


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong.

    Parameters
    ----------
    file : str
        Where, as a path within the submission's folder.
    key : str
        Which key of the file, ``tuning.trials`` for one of a table; empty if it is no key's.
    what : str
        What is wrong.
    remedy : str
        What to do about it.
    """

    file: str
    key: str
    what: str
    remedy: str

    def __str__(self) -> str:
        where = ", ".join(filter(None, (self.file, self.key)))
        return f"{_line(where)}: {_line(self.what)}; {_line(self.remedy)}"


class SubmissionError(ValueError):
    """A submission that cannot be taken, with every problem that was found."""

    def __init__(self, problems: Sequence[Problem]):
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


def _line(text: str) -> str:
    text = " ".join(visible(text).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]} .."
