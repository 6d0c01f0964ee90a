"""The page of all submissions, generated only from their folders."""

from pathlib import Path

from leaderboards.submit import submission_tables
from leaderboards.submit.catalogue import ROOT, SELF_RUN, Submission, published
from leaderboards.submit.ledger import events
from leaderboards.submit.published import published_rows
from leaderboards.suites.suite import available, load

_PAGE = """# Submissions

Third-party agents, each in its own folder here. [How to enter one](../../docs/submissions.md).

Two kinds of scores are never mixed. Self-run scores, on this page, are on public seeds: any agent
that imports banditgym can rebuild their environments, so they are trusted only as far as the
agent's code was reviewed, and they are not ranked. Verified scores are on secret seeds, and have
[a page of their own](../epochs/README.md).

## Self-run

"""


def page(root: Path = ROOT) -> str:
    """``leaderboards/submissions/README.md``.

    Raises
    ------
    SubmissionError
        If a submission of the repository is not in order.
    """
    scored, withdrawn = [], []
    for submission in published(root):
        if submission.withdrawn():
            withdrawn.append(submission)
        else:
            scored += _scored(submission)
    return _PAGE + submission_tables.of_all(scored, withdrawn)


def _scored(submission: Submission) -> list[submission_tables.Scored]:
    return [
        submission_tables.scored(submission, suite, rows, _date(submission, suite.name))
        for suite in map(load, available())
        if (rows := published_rows(submission, suite))
    ]


def _date(submission: Submission, suite: str) -> str:
    """When this version was last scored on a suite, as its ledger says."""
    dates = [
        str(entry.get("date"))
        for entry in events(submission.ledger.entries(), SELF_RUN)
        if entry.get("suite") == suite
        and entry.get("hash") == submission.folder.hash
        and not entry.get("audit", False)
    ]
    return dates[-1] if dates else submission_tables.NONE
