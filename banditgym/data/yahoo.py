r"""Logs of the Yahoo! front page: the articles available, the one shown, the user and the click.

Both collections have one line per event: R6A (2009) with six features of user and article,

::

    1241160900 109513 0 |user 2:0.01 3:0.02 4:0.4 5:0.07 6:0.5 1:1.0 |109498 2:0.3 .. |109509 ..

and R6B (2011) with the user's 136 binary features, of which those that are 1 are listed, and no
features of articles:

::

    1317513291 id-560620 0 |user 1 9 11 13 23 16 18 |id-552077 |id-555224 |id-560620

A line has the time, the article shown, whether it was clicked, the user, and the articles from
which the one shown was drawn uniformly. Feature j is stored at position j - 1.

Bad lines do not end a run. They are dropped, and counted by their reason in ``DROPPED``:

- ``malformed``: the line does not have this form: a feature number is out of range or occurs twice,
  a feature is not a number or is above 1000, the features of the user or of an article occur twice,
  or there is no user;
- ``featureless_user``: the user lacks some of the six features (only R6A; in R6B an empty block is
  a user of zeros);
- ``absent_shown``: the article shown is not among the articles;
- ``featureless_shown``: the article shown lacks some of its features (only R6A);
- ``cut_off``: the last, incomplete line of a file that could not be unpacked to its end.

In R6A an article that lacks some of its features is dropped from its line, and the line is kept:
``featureless_articles`` counts these articles in the kept lines. Empty lines are ignored.

Numbers of up to 15 digits are read to the nearest float64, longer ones to within a few units in the
last place. A quarter of a megabyte of text is in memory at a time, for a log of any length.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from banditgym.data.files import opened
from banditgym.data.yahoo_lines import DROPPED, N_DESCRIBED, N_USER, is_described, parse

CUT_OFF = "cut_off"
REASONS = (*DROPPED, CUT_OFF)
_TEXT = 1 << 18  # bytes of text at a time: its events stay in the processor's cache
_BEGINNING = 1 << 20  # bytes in which a line of either format must occur
_LONGEST = 1 << 24  # the longest line, so that a file without line ends does not fill the memory


@dataclass(frozen=True, kw_only=True, eq=False)
class Events:
    """Events in the order of the log. Articles are padded to the number that a row has room for.

    Parameters
    ----------
    timestamps : int64 ndarray of shape (m,)
        Seconds.
    users : ndarray of shape (m, 6) or (m, 136)
        Features of the users.
    ids : int64 ndarray of shape (m, c)
        The articles in the order of the line, then -1.
    articles : ndarray of shape (m, c, 6) or (m, c, 0)
        Features of the articles; undefined where there is none.
    shown : int64 ndarray of shape (m,)
        Position of the article shown among those of its event.
    clicks : int64 ndarray of shape (m,)
        1 for a click, else 0.
    """

    timestamps: np.ndarray
    users: np.ndarray
    ids: np.ndarray
    articles: np.ndarray
    shown: np.ndarray
    clicks: np.ndarray

    def __len__(self) -> int:
        return len(self.shown)

    def cut(self, start: int, stop: int) -> "Events":
        """Events ``start`` to ``stop``, without copying."""
        return Events(**{name: array[start:stop] for name, array in vars(self).items()})


@dataclass(frozen=True, kw_only=True)
class LogSummary:
    """A summary of a log, from one pass.

    Parameters
    ----------
    n_rows : int
        Number of events.
    most_articles : int
        The largest number of articles of an event.
    user_norm, article_norm : float
        Bounds on the norms of their features; 0 for articles without features.
    user_limits, article_limits : (float, float)
        Least and greatest value of a feature, with 0 between them.
    dropped : dict
        How many lines, or articles, were dropped, by reason.
    """

    n_rows: int
    most_articles: int
    user_norm: float
    article_norm: float
    user_limits: tuple[float, float]
    article_limits: tuple[float, float]
    dropped: dict[str, int]


class YahooLog:
    """A log in one of the two formats: a file or a folder of files, possibly packed (.gz, .bz2).

    In a folder the files whose names begin with ``ydata``, as Yahoo!'s do, are read in the order of
    their names, which is chronological. The first line in either format decides the format.

    Parameters
    ----------
    path : str or Path
        The file or the folder.

    Attributes
    ----------
    described : bool
        Whether articles have features: true for R6A, false for R6B.
    files : tuple of Path
        The files, in the order in which they are read.

    Raises
    ------
    FileNotFoundError
        If there is no such file, or none in the folder; the message says how to get the data.
    ValueError
        If the first file cannot be unpacked, or its start has no line of either format.
    """

    def __init__(self, path: str | Path):
        path = Path(path)
        self.files: tuple[Path, ...]
        if path.is_dir():
            found = (file for file in path.iterdir() if file.name.startswith("ydata"))
            self.files = tuple(sorted(file for file in found if file.is_file()))
        else:
            self.files = (path,) if path.is_file() else ()
        if not self.files:
            missing = (
                f"no file named ydata* in {path}" if path.is_dir() else f"no such file: {path}"
            )
            raise FileNotFoundError(
                f"data: {missing}; logs R6A and R6B are requested from Yahoo! Webscope, see "
                "banditgym/data/README.md; data='R6A' and data='R6B' are simulated"
            )
        kind = _kind_of(self.files[0])
        if kind is None:
            raise ValueError(f"{self.files[0]}: it begins with no line of the formats R6A and R6B")
        self.described = kind

    def events(
        self, rows: int | None = None, dropped: dict[str, int] | None = None
    ) -> Iterator[Events]:
        """The events from the first on, at most ``rows`` of them, in chunks of one or more.

        Parameters
        ----------
        rows : int, optional
            The number of events; to the end of the log if not given.
        dropped : dict, optional
            Its counts, one for each of ``REASONS``, are raised for every line dropped.

        Raises
        ------
        ValueError
            If a file cannot be unpacked, or has an extremely long line.
        """
        counts = np.zeros(len(DROPPED), np.int64)
        room = 32
        for file in self.files:
            for text in _texts(file):
                if text is None:
                    if dropped is not None:
                        dropped[CUT_OFF] += 1
                    continue
                while True:
                    before = counts.copy()
                    most = text.count(b"\n") if rows is None else min(rows, text.count(b"\n"))
                    arrays = _room_for(most, room, self.described)
                    whole = np.frombuffer(text, np.uint8)
                    found = parse(whole, self.described, tuple(arrays.values()), counts)
                    if found >= 0:
                        break
                    room *= 2  # a line has more articles
                if dropped is not None:
                    for name, now, then in zip(DROPPED, counts, before, strict=True):
                        dropped[name] += int(now - then)
                if found:
                    yield Events(**arrays).cut(0, found)
                if rows is not None:
                    rows -= found
                    if not rows:
                        return

    def scan(self, rows: int | None = None) -> LogSummary:
        """A summary of the log, or of its first ``rows`` events, in one pass and constant memory.

        Raises
        ------
        ValueError
            As ``events``, and if there are no events.
        """
        dropped: dict[str, int] = dict.fromkeys(REASONS, 0)
        n_rows = most = 0
        norms, limits = [0.0, 0.0], [(0.0, 0.0), (0.0, 0.0)]
        for events in self.events(rows, dropped):
            n_rows += len(events)
            there = events.ids >= 0
            most = max(most, int(there.sum(axis=1).max()))
            for j, features in enumerate((events.users, events.articles[there])):
                squares = (features * features).sum(axis=1)
                norms[j] = max(norms[j], float(np.sqrt(squares.max(initial=0.0))))
                low, high = limits[j]
                limits[j] = float(features.min(initial=low)), float(features.max(initial=high))
        if not n_rows:
            counts = ", ".join(f"{reason} {number}" for reason, number in dropped.items() if number)
            raise ValueError(f"{self.files[0]}: the log has no events, dropped: {counts}")
        return LogSummary(
            n_rows=n_rows,
            most_articles=most,
            user_norm=norms[0],
            article_norm=norms[1],
            user_limits=limits[0],
            article_limits=limits[1],
            dropped=dropped,
        )


def _room_for(rows: int, articles: int, described: bool) -> dict[str, np.ndarray]:
    """Arrays of ``Events`` to be written."""
    return {
        "timestamps": np.empty(rows, np.int64),
        "users": np.empty((rows, N_DESCRIBED if described else N_USER)),
        "ids": np.empty((rows, articles), np.int64),
        "articles": np.empty((rows, articles, N_DESCRIBED if described else 0)),
        "shown": np.empty(rows, np.int64),
        "clicks": np.empty(rows, np.int64),
    }


def _kind_of(path: Path) -> bool | None:
    """Whether a file is R6A, by its first line in either format; None if there is no such line."""
    looked_at = 0
    for text in _texts(path):
        for line in (text or b"").split(b"\n"):
            kind = is_described(line)
            if kind is not None:
                return kind
            looked_at += len(line)
        if looked_at > _BEGINNING:
            break
    return None


def _texts(path: Path) -> Iterator[bytes | None]:
    """Whole lines, about ``_TEXT`` bytes at a time; None last where the file is cut off."""
    rest: list[bytes] = []  # of a line whose end has not come
    with opened(path) as file:
        while True:
            try:
                # A read of several pieces would lose those before the piece that fails.
                piece = file.read1(_TEXT)  # type: ignore[attr-defined]
            except EOFError:
                yield None
                return
            except Exception as error:  # zlib's is its own, gzip's and bz2's are OSErrors
                raise ValueError(f"{path}: cannot be read: {error}") from error
            if not piece:
                break
            end = piece.rfind(b"\n") + 1
            if end:
                yield b"".join((*rest, piece[:end]))
                rest = [piece[end:]]
            else:
                rest.append(piece)
                if sum(map(len, rest)) > _LONGEST:
                    raise ValueError(f"{path}: a line is longer than {_LONGEST} bytes")
        if any(rest):
            yield b"".join((*rest, b"\n"))
