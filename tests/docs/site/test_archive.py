"""A site as one zip file."""

import zipfile

from docs.site.archive import pack


def test_equal_folders_give_equal_bytes(tmp_path):
    archives = []
    for turn in range(2):
        folder = tmp_path / str(turn)
        (folder / "b").mkdir(parents=True)
        for name in ("b/page.html", "index.html")[:: 1 - 2 * turn]:  # in another order of making
            (folder / name).write_text(f"<p>{name}</p>")
        archives.append(pack(folder, tmp_path / f"{turn}.zip"))
    assert archives[0].read_bytes() == archives[1].read_bytes()
    with zipfile.ZipFile(archives[0]) as archive:
        assert archive.namelist() == ["banditgym-docs/b/page.html", "banditgym-docs/index.html"]
        assert archive.read("banditgym-docs/index.html") == b"<p>index.html</p>"
