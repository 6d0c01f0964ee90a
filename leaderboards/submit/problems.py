"""Problems of a submission: one line for each, with its file, key and remedy."""

from dataclasses import dataclass

from banditgym.validation import visible

LONGEST = 300  # characters of each part of a line: quotations are third-party text


@dataclass(frozen=True)
class Problem:
    """One problem of a submission.

    Parameters
    ----------
    file : str
        A path within the submission's folder.
    key : str
        A key of the file, such as ``tuning.trials`` for one in a table; empty if the problem
        concerns no key.
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
    """An invalid submission, with every problem that was found."""

    def __init__(self, *problems: Problem):
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems


def _line(text: str) -> str:
    text = " ".join(visible(text).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]} .."
