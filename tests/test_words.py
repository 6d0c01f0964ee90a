"""Words that other names have replaced: CONTRIBUTING.md's glossary has one word per thing."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# Each retired word, as a regular expression, and the word of the glossary that took its place. They
# are looked for within names too: in ``BanditWorld`` and ``world_of``. A space stands for an
# underscore or nothing too, as in ``is_told``, and an underscore also ends a word (``\b``).
RETIRED = {
    "learner": "agent",
    "world": "environment",
    "luck": "noise, or random numbers",
    "settle": "a block is played, a batch ends, a cell is finished",
    "witness": "recorder",
    # Turns of phrase that are read twice.
    "is to be had": "can be computed, or is possible",
    "of whom the": "a sentence with its subject first",
    "said of": "about",
    "speaks for": "is equivalent to, or represents",
}

# Words of people for what programs do. Rooms that still have them are not read for these.
SPOKEN = {
    r"\btold\b": "known, given or reported",
    r"\basked\b": "called, or given a question",
    r"\bpay\b": "give a reward, or play",
    r"\bpays\b": "has the reward",
    r"\bis paid\b": "has the reward",
    r"\bmeet\b": "rows of the kernel at the arms, or arms that become known",
    r"\bmet\b": "known",
}
READ_FOR_SPOKEN = (
    "agents/",
    "banditgym/",
    "leaderboards/processes/",
    "leaderboards/sandbox/",
    "some.py",
)  # and the example below

# Results are data, submissions are third-party code, and this file has the words themselves. The
# change log, which tells of earlier names, is not read.
LEFT_OUT = ("leaderboards/results/", "leaderboards/submissions/", "tests/test_words.py")
# Another library's own names of classes, modules and arguments.
THEIR_NAMES = {
    "leaderboards/peers/bayesianbandits.py": {"learner"},  # Arm(.., learner=..)
    "leaderboards/peers/coba.py": {"learner"},  # coba.learners
    "docs/reference/coming-from.md": {"learner"},  # coba's plot_learners
    "tests/leaderboards/peers/test_bayesianbandits.py": {"learner"},
    "tests/leaderboards/peers/test_coba.py": {"learner"},
}
FOLDERS = ("agents", "banditgym", "leaderboards", "docs", "tests", "tools")
KINDS = {".py", ".md", ".toml", ".jinja"}


_EDGE = "(?:(?<![A-Za-z0-9])(?=[A-Za-z])|(?<=[A-Za-z0-9])(?![A-Za-z0-9]))"
PATTERNS = {
    retired: re.compile(retired.replace(r"\b", _EDGE).replace(" ", "[ _]?"), re.IGNORECASE)
    for retired in RETIRED | SPOKEN
}


def texts():
    pages = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*"))]
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "pyproject.toml", *pages):
        name = path.relative_to(ROOT).as_posix()
        if path.suffix in KINDS and not name.startswith(LEFT_OUT):
            yield name, path.read_text()


def found_in(name, text):
    """``"file:line: word, write .."`` for each retired word in a text."""
    words = RETIRED | SPOKEN if name.startswith(READ_FOR_SPOKEN) else RETIRED
    return [
        f"{name}:{number}: {match[0]!r}, write {word!r}"
        for retired, word in words.items()
        if retired not in THEIR_NAMES.get(name, ())
        for number, line in enumerate(text.splitlines(), 1)
        for match in PATTERNS[retired].finditer(line)
    ]


def test_retired_words_stay_out():
    assert [fault for name, text in texts() for fault in found_in(name, text)] == []


@pytest.mark.parametrize("retired", RETIRED | SPOKEN)
def test_each_retired_word_is_found(retired):
    written = re.sub(r"\\b", "", retired).title()
    for name in (written, written.replace(" ", "_"), written.replace(" ", "")):
        assert found_in("some.py", f"first\nA {name}_of") == [
            f"some.py:2: {name!r}, write {(RETIRED | SPOKEN)[retired]!r}"
        ]


def test_learning_is_no_retired_word():
    assert found_in("some.py", "An agent learns; learning rates; what was learned") == []


@pytest.mark.parametrize("name", THEIR_NAMES)
def test_their_names_are_there(name):
    text = (ROOT / name).read_text()
    assert all(re.search(word, text, re.IGNORECASE) for word in THEIR_NAMES[name])
