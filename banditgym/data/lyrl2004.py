r"""The files of LYRL2004, line by line: stories with their words, and stories with their topics.

Stemmed words, in the five files ``lyrl2004_tokens_train.dat`` and ``.._test_pt0.dat`` to
``.._test_pt3.dat``::

    .I 2286
    .W
    recov recov recov excit bring mexic
    ...

and topics, in ``rcv1-v2.topics.qrels``: lines ``<topic> <story> 1``. Each may be packed as .gz.

References
----------
D. Lewis, Y. Yang, T. Rose, F. Li, RCV1: A New Benchmark Collection for Text Categorization
Research, Journal of Machine Learning Research 5, 2004.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from banditgym.data.files import line_groups
from banditgym.validation import brief

TOKENS = ("train", "test_pt0", "test_pt1", "test_pt2", "test_pt3")
FILES = (*(f"lyrl2004_tokens_{part}.dat" for part in TOKENS), "rcv1-v2.topics.qrels")

HAS_TOPIC = 128  # bit of a story that has any topic
_MOST_ID = 10**8  # no story has a larger id, for which the table of topics would be too large


def found(folder: Path) -> dict[str, Path | None]:
    """The path of each of the six files of a folder, packed or not; None where one is missing."""
    return {
        name: next((p for p in (folder / name, folder / f"{name}.gz") if p.is_file()), None)
        for name in FILES
    }


def read_topics(path: Path, topics: Sequence[str]) -> bytearray:
    """Bits of every story, at its id: bit j for ``topics[j]``, and ``HAS_TOPIC`` for any topic.

    Raises
    ------
    ValueError
        If a line is malformed, with the file and the line.
    """
    bit_of = {topic.encode(): 1 << j for j, topic in enumerate(topics)}
    bits = bytearray(1 << 16)
    for first, lines in line_groups(path):
        for number, line in enumerate(lines, first):
            words = line.split()
            if not words:
                continue
            if len(words) != 3 or words[2] != b"1":
                raise malformed(path, number, f"expected '<topic> <story> 1', got {_shown(line)}")
            story = _story(path, number, words[1])
            if story >= len(bits):
                bits.extend(bytes(max(len(bits), story + 1 - len(bits))))
            bits[story] |= bit_of.get(words[0], 0) | HAS_TOPIC
    return bits


def stories(path: Path) -> Iterator[tuple[int, int, list[bytes]]]:
    """Line, id and lines of words of every story of a file.

    Raises
    ------
    ValueError
        If a line is malformed, with the file and the line.
    """
    start = story = -1
    text: list[bytes] | None = None
    for first, lines in line_groups(path):
        for number, line in enumerate(lines, first):
            mark = line.split(maxsplit=1)[0] if line.startswith(b".") else b""
            if mark == b".I":
                if text is not None:
                    yield start, story, text
                elif story >= 0:
                    raise malformed(path, number, f"story {story} has no line '.W'")
                start, story, text = number, _story(path, number, line[2:]), None
            elif mark == b".W" and text is None and story >= 0:
                text = []
            elif mark == b".W" or (text is None and line.strip()):
                before = "'.I <story>'" if story < 0 or mark else "'.W'"
                raise malformed(path, number, f"expected {before}, got {_shown(line)}")
            elif text is not None:
                text.append(line)
    if text is not None:
        yield start, story, text
    elif story >= 0:
        raise malformed(path, start, f"story {story} has no line '.W'")


def _story(path: Path, number: int, word: bytes) -> int:
    try:
        story = int(word)
    except ValueError:
        story = -1
    if not 0 <= story < _MOST_ID:
        raise malformed(
            path,
            number,
            f"a story's id must be an integer in 0..{_MOST_ID - 1}, got {_shown(word)}",
        )
    return story


def malformed(path: Path, number: int, fault: str) -> ValueError:
    """The error for a malformed line."""
    return ValueError(f"{path}, line {number}: {fault}")


def _shown(text: bytes) -> str:
    return brief(text.strip().decode(errors="backslashreplace"))
