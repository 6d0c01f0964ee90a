"""Entry points name files of the folder; test_manifest.py has the problems that are told."""

import pytest

from leaderboards.submit import entry_point, manifest
from leaderboards.submit.folder import read

from ..small_files import AGENT, replaced


@pytest.mark.parametrize(
    "entry", ["agent.py:Turns", "agent:Turns", "inner.agent:Turns", "inner:Turns"]
)
def test_entry_points_name_files_of_the_folder(mine, entry):
    (mine / "inner").mkdir()
    for name in ("agent.py", "__init__.py"):
        (mine / "inner" / name).write_text(AGENT)
    replaced(mine, "agent.py:Turns", entry)
    folder = read(mine)
    manifest.read(folder)
    assert entry_point.file_of(folder, entry)[0] in folder.files
