"""Stories and topics line by line."""

import gzip

import pytest

from banditgym.data import files
from banditgym.data.lyrl2004 import FILES, HAS_TOPIC, found, read_topics, stories


def written(folder, text):
    path = folder / "file.dat"
    path.write_text(text, newline="")
    return path


def test_files_are_found_packed_or_not(tmp_path):
    assert found(tmp_path) == dict.fromkeys(FILES)
    (tmp_path / FILES[1]).touch()
    (tmp_path / f"{FILES[2]}.gz").write_bytes(gzip.compress(b""))
    (tmp_path / FILES[3]).mkdir()  # a folder is no file
    there = {FILES[1]: tmp_path / FILES[1], FILES[2]: tmp_path / f"{FILES[2]}.gz"}
    assert found(tmp_path) == dict.fromkeys(FILES) | there


@pytest.mark.parametrize("block", [1, 1 << 20])
def test_stories_have_their_line_their_id_and_their_words(tmp_path, monkeypatch, block):
    monkeypatch.setattr(files, "GROUP_BYTES", block)
    text = "\n.I 2286\n.W\na b\nc .W\n\n.I\t7 \r\n\n.W\r\n.I 2287\n.W\n.x a"
    read = [
        (line, story, b"".join(words).split())
        for line, story, words in stories(written(tmp_path, text))
    ]
    assert read == [(2, 2286, [b"a", b"b", b"c", b".W"]), (7, 7, []), (10, 2287, [b".x", b"a"])]


def test_a_file_may_have_no_stories(tmp_path):
    assert list(stories(written(tmp_path, ""))) == []
    assert list(stories(written(tmp_path, "\n \n"))) == []


def test_topics_are_bits_at_the_stories_ids(tmp_path):
    far = 3_000_000
    path = written(tmp_path, f"B 7 1\nX 7 1\n\nA 7 1\nX  9\t1\nC 65536 1\nB {far} 1\nC 0 1\n")
    bits = read_topics(path, ("A", "B", "C"))
    assert {j: b for j, b in enumerate(bits) if b} == {
        0: HAS_TOPIC | 4,
        7: HAS_TOPIC | 3,
        9: HAS_TOPIC,
        65536: HAS_TOPIC | 4,
        far: HAS_TOPIC | 2,
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("word\n.I 1\n.W\n", "line 1: expected '.I <story>', got 'word'"),
        (".W\n", "line 1: expected '.I <story>', got '.W'"),
        (".I 1\nword\n", "line 2: expected '.W', got 'word'"),
        (".I 1\n.I 2\n.W\n", "line 2: story 1 has no line '.W'"),
        (".I 1\n.W\na\n.W\n", "line 4: expected '.I <story>', got '.W'"),
        (".I 1\n.W\n.I 2\n", "line 3: story 2 has no line '.W'"),
        ("\n.I one\n", "line 2: a story's id must be an integer in 0..99999999, got 'one'"),
        (".I\n", "line 1: a story's id must be an integer in 0..99999999, got ''"),
        (".I 1 7\n", "line 1: a story's id must be an integer in 0..99999999, got '1 7'"),
        (".I -5\n", "line 1: a story's id must be an integer in 0..99999999, got '-5'"),
        (".I 100000000\n", "line 1: a story's id .* got '100000000'"),
    ],
)
def test_a_malformed_story_is_blamed(tmp_path, text, message):
    with pytest.raises(ValueError, match=f"file.dat, {message}$"):
        list(stories(written(tmp_path, text)))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("MCAT 2286", "expected '<topic> <story> 1', got 'MCAT 2286'"),
        ("MCAT 2286 0", "expected '<topic> <story> 1', got 'MCAT 2286 0'"),
        ("MCAT 2286 1 1", "expected '<topic> <story> 1', got 'MCAT 2286 1 1'"),
        ("MCAT x 1", "a story's id must be an integer in 0..99999999, got 'x'"),
    ],
)
def test_a_malformed_topic_is_blamed(tmp_path, line, message):
    path = written(tmp_path, f"MCAT 7 1\n\n{line}\n")
    with pytest.raises(ValueError, match=f"file.dat, line 3: {message}$"):
        read_topics(path, ("MCAT",))
