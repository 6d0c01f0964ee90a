"""Names and versions across submissions."""

import shutil

import pytest

from leaderboards.submit.catalogue import SELF_RUN, WITHDRAWN, opened, published
from leaderboards.submit.problems import SubmissionError

from ..small_files import replaced


def publish(mine, root, name="turns"):
    shutil.copytree(mine, root / name)
    one = opened(root / name, root)
    one.ledger.append({"event": SELF_RUN, "version": "1.0.0", "hash": one.folder.hash})
    return one


def test_published_submissions_are_read_by_name(mine, root):
    publish(mine, root)
    replaced(mine, '"turns"', '"a-turn"')
    publish(mine, root, "a-turn")
    assert [one.manifest.name for one in published(root)] == ["a-turn", "turns"]
    assert published(root)[0].spec.startswith("a-turn==1.0.0@")


def test_a_name_belongs_to_one_submission(mine, root):
    publish(mine, root)
    assert opened(mine, root).manifest.name == "turns"  # a copy of one's own
    replaced(mine, "author@example.org", "other@example.org")
    with pytest.raises(
        SubmissionError, match="'turns' is the name of another submission; choose another"
    ):
        opened(mine, root)


@pytest.mark.parametrize("name", ["t-urns", "turn-s"])
def test_names_that_read_alike_are_one(mine, root, name):
    publish(mine, root)
    replaced(mine, '"turns"', f'"{name}"')
    with pytest.raises(SubmissionError, match="'turns' is the name of another submission"):
        opened(mine, root)


def test_a_folder_has_the_name_of_its_submission(mine, root):
    shutil.copytree(mine, root / "other")
    with pytest.raises(SubmissionError, match=r"other/submission.toml, name: .* give both one"):
        published(root)


def test_every_publication_of_a_version_has_its_files(mine, root):
    one = publish(mine, root)
    one.ledger.append({"event": SELF_RUN, "version": "1.0.0", "hash": "0" * 64})
    with pytest.raises(SubmissionError, match="a change needs a new version: raise it"):
        opened(root / "turns", root)


@pytest.mark.parametrize("place", ["the repository", "a copy"])
def test_a_published_version_never_changes(mine, root, place):
    publish(mine, root)
    folder = root / "turns" if place == "the repository" else mine
    (folder / "agent.py").write_text((folder / "agent.py").read_text() + "\n# better\n")
    with pytest.raises(SubmissionError, match="a change needs a new version: raise it"):
        opened(folder, root)
    replaced(folder, '"1.0.0"', '"1.0.1"')
    assert opened(folder, root).manifest.version == "1.0.1"


def test_a_withdrawal_is_of_one_version(mine, root):
    one = publish(mine, root)
    assert not one.withdrawn()
    one.ledger.append({"event": WITHDRAWN, "version": "1.0.0"})
    assert one.withdrawn()
    replaced(root / "turns", '"1.0.0"', '"1.0.1"')
    assert not opened(root / "turns", root).withdrawn()


def test_a_ledger_that_was_altered_is_told(mine, root):
    one = publish(mine, root)
    one.ledger.append({"event": WITHDRAWN, "version": "1.0.0"})
    lines = one.ledger.path.read_text().splitlines(keepends=True)
    one.ledger.path.write_text(lines[1])
    with pytest.raises(SubmissionError, match=r"ledger.jsonl: .*neither changed nor dropped"):
        opened(root / "turns", root)
