r"""REUTERS4 from the token files of RCV1-v2 (LYRL2004): words joined with topics in one pass.

A story is kept if it has exactly one of the topics CCAT, ECAT, GCAT and MCAT, labels 0, 1, 2, 3.
Its features are the counts of its words. Words are numbered in the order of their first appearance
in a kept story, so that two passes give the same numbers.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

from banditgym.data.files import opened
from banditgym.data.labelled_rows import Entries, LabelledRows, Summary, Tally, joined
from banditgym.data.lyrl2004 import FILES, HAS_TOPIC, found, malformed, read_topics, stories
from banditgym.validation import whole

TOPICS = ("CCAT", "ECAT", "GCAT", "MCAT")
STORIES, KEPT = 804_414, 673_768  # of the whole collection, and those kept of them

_ROWS = 1024  # of a chunk where the caller does not say
_SEEN = 64  # bit of a story that was read, beside those of its topics
_LABELS = {1 << label: label for label in range(len(TOPICS))}


@dataclass(frozen=True, kw_only=True)
class TokensSummary(Summary):
    """``Summary`` of the token files, and whether stories come by increasing ids."""

    in_order: bool


def scan(folder: str | Path) -> TokensSummary:
    """A summary of the files, from one pass that keeps the list of words in memory.

    Raises
    ------
    FileNotFoundError
        If one of the six files is missing.
    ValueError
        If a file is malformed or cannot be unpacked, with the line; if a story has no topic, or
        occurs twice, or has topics and no text; if fewer than two of the four topics occur; or if
        the whole collection does not give 673 768 rows.
    """
    reader = _Reader(Path(folder))
    for _ in reader.chunks(_ROWS):
        pass
    return reader.summary()


def stream(
    folder: str | Path, summary: TokensSummary, *, rows: int = 4096
) -> Iterator[LabelledRows]:
    """The kept stories in chunks of ``rows``, the last one shorter, in chronological order.

    Raises
    ------
    ValueError
        If ids do not increase (``load`` sorts the stories), or the files no longer agree with
        ``summary``. A chunk never has an index or a width beyond those scanned; other changes are
        noticed when the last row has been read.
    """
    if not summary.in_order:
        raise ValueError(f"stories of {folder} do not come by increasing ids: load sorts them")
    reader = _Reader(Path(folder))
    for _, entries in reader.chunks(whole("rows", rows)):
        if len(reader.words) > summary.dim or reader.tally.width > summary.width:
            raise ValueError(f"{folder}: the files have changed since they were scanned")
        yield LabelledRows.summarised(summary, entries)
    if reader.summary() != summary:
        raise ValueError(f"{folder}: the files have changed since they were scanned")


def load(folder: str | Path) -> LabelledRows:
    """All kept stories by increasing ids; errors are those of ``scan``."""
    reader = _Reader(Path(folder))
    chunks = list(reader.chunks(_ROWS))
    summary = reader.summary()
    ids = np.concatenate([own for own, _ in chunks])
    rows = LabelledRows.summarised(summary, joined([entries for _, entries in chunks]))
    del chunks
    return rows if summary.in_order else rows.take(np.argsort(ids, kind="stable"))


def write_fixture(
    folder: str | Path, n_documents: int = 200, seed: int = 0, *, packed: bool = False
) -> None:
    """Write simulated stories in the format of the six files, with gaps between ids.

    Of 100 stories about 80 have exactly one of the four topics, 16 have two and 4 have none; all
    have C15 too. A story has 20 to 60 words, half of them from the 30 words that its topics favour,
    and half from 100 words that all stories share.
    """
    draw = np.random.default_rng(seed)
    ids = 2286 + np.cumsum(draw.integers(1, 4, size=n_documents))
    texts, judgements = [], []
    for story in ids:
        n_topics = int(draw.choice([0, 1, 2], p=[0.04, 0.80, 0.16]))
        topics = [TOPICS[j] for j in np.sort(draw.choice(len(TOPICS), n_topics, replace=False))]
        words = []
        for _ in range(int(draw.integers(20, 61))):
            favoured = topics and draw.random() < 0.5
            kind = topics[int(draw.integers(len(topics)))].lower() if favoured else "word"
            words.append(f"{kind}{int(draw.integers(30 if favoured else 100))}")
        lines = [" ".join(words[start : start + 12]) for start in range(0, len(words), 12)]
        texts.append("\n".join([f".I {story}", ".W", *lines, "", ""]))
        judgements += [f"{topic} {story} 1\n" for topic in ("C15", *topics)]
    parts = ["".join(texts[j] for j in part) for part in np.array_split(range(n_documents), 5)]
    for name, text in zip(FILES, [*parts, "".join(judgements)], strict=True):
        with opened(Path(folder) / (f"{name}.gz" if packed else name), "wb") as file:
            file.write(text.encode())


class _Reader:
    """One pass over the files: the kept stories and their summary."""

    def __init__(self, folder: Path):
        files = found(folder)
        lacking = [name for name, path in files.items() if path is None]
        if lacking:
            raise FileNotFoundError(
                f"{', '.join(lacking)} not found in {folder}; see banditgym/data/README.md"
            )
        *self._tokens, self._qrels = (path for path in files.values() if path is not None)
        self._folder = folder
        self._topics = read_topics(self._qrels, TOPICS)
        self.words: defaultdict[bytes, int] = defaultdict()
        self.words.default_factory = self.words.__len__
        self.tally = Tally()
        self._n_stories = 0
        self._in_order = True

    def chunks(self, rows: int) -> Iterator[tuple[np.ndarray, Entries]]:
        """The ids of kept stories, and their entries, whose indices increase in a row."""
        last = -1
        ids, labels, lengths, indices, counts = [], [], [], [], []
        for story, label, text in self._kept():
            self._in_order &= story > last
            last = story
            words = Counter(b"".join(text).split())
            ids.append(story)
            labels.append(label)
            lengths.append(len(words))
            indices.extend(map(self.words.__getitem__, words))
            counts.extend(words.values())
            if len(ids) == rows:
                yield self._chunk(ids, labels, lengths, indices, counts)
                ids, labels, lengths, indices, counts = [], [], [], [], []
        if ids:
            yield self._chunk(ids, labels, lengths, indices, counts)

    def summary(self) -> TokensSummary:
        """The summary of the files; call it after all chunks were read."""
        n_topics = sum(1 for bits in self._topics if bits)
        if n_topics != self._n_stories:
            raise ValueError(
                f"{self._folder}: {n_topics} stories have topics, but the token files hold "
                f"{self._n_stories}: are they complete?"
            )
        check_size(self._folder, self._n_stories, self.tally.n_rows, len(self.tally.labels))
        return TokensSummary(
            **self.tally.numbers(),
            labels=TOPICS,
            dim=max(1, len(self.words)),
            in_order=self._in_order,
        )

    def _kept(self) -> Iterator[tuple[int, int, list[bytes]]]:
        for path in self._tokens:
            for number, story, text in stories(path):
                bits = self._topics[story] if story < len(self._topics) else 0
                if not bits:
                    raise malformed(path, number, f"story {story} has no topic in {self._qrels}")
                if bits & _SEEN:
                    raise malformed(path, number, f"story {story} occurs twice")
                self._topics[story] |= _SEEN
                self._n_stories += 1
                label = _LABELS.get(bits ^ HAS_TOPIC)
                if label is not None:
                    yield story, label, text

    def _chunk(self, ids, labels, lengths, indices, counts) -> tuple[np.ndarray, Entries]:
        matrix = sparse.csr_array(
            (
                np.array(counts, dtype=np.float64),
                np.array(indices, dtype=np.int32),
                np.concatenate([[0], np.cumsum(lengths)]),
            ),
            shape=(len(ids), max(1, len(self.words))),
        )
        matrix.sort_indices()
        self.tally.add(matrix.indptr, matrix.data, labels)
        indptr, indices = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)
        return np.array(ids), (indptr, indices, matrix.data, np.array(labels, dtype=np.int64))


def check_size(folder: Path, n_stories: int, n_rows: int, n_labels: int) -> None:
    """Refuse stories that cannot be REUTERS4: the whole collection has a known number of rows."""
    if n_labels < 2:
        raise ValueError(
            f"{folder}: of {n_stories} stories {n_rows} have exactly one of {', '.join(TOPICS)}; "
            f"at least two of these topics must occur, got {n_labels}"
        )
    if n_stories == STORIES and n_rows != KEPT:
        raise ValueError(
            f"{folder}: of the {STORIES} stories of RCV1-v2 {KEPT} have exactly one of "
            f"{', '.join(TOPICS)}, got {n_rows}"
        )
