"""Pictures of an episode, drawn by matplotlib, which is imported for the first of them."""

from typing import Any

import numpy as np

from banditgym.pictures.episode_record import EpisodeRecord
from banditgym.rounds.kinds import NUMBER

_INK, _BAD, _PALE = "#0072B2", "#D55E00", "#bbbbbb"
_SIZE, _DPI = (8.0, 3.2), 80  # inches: 640 x 256 pixels


class Frames:
    """The pictures of an episode, one after the other.

    Axes, their ticks and titles are drawn only when a limit changes, and kept as pixels; a
    picture draws the numbers into a copy.

    Parameters
    ----------
    record : EpisodeRecord
    name : str
        The environment's, for the title.
    """

    def __init__(self, record: EpisodeRecord, name: str):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        self._figure = Figure(figsize=_SIZE, dpi=_DPI)
        self._canvas = FigureCanvasAgg(self._figure)
        self._figure.suptitle(name, x=0.01, y=0.98, ha="left", fontsize=10)
        self._background: Any = None
        left = (_Arms(record), _Means(record)) if record.arms else (_Points(record),)
        self._parts: list[_Part] = [*left, _Total(record)]
        axes = self._figure.subplots(1, len(self._parts))
        self._figure.subplots_adjust(left=0.07, right=0.98, bottom=0.16, top=0.8, wspace=0.3)
        for part, on in zip(self._parts, axes, strict=True):
            on.spines[["top", "right"]].set_visible(False)
            on.tick_params(labelsize=8, color=_PALE)
            part.begin(on)
            for artist in part.artists:
                artist.set_animated(True)

    def picture(self) -> np.ndarray:
        """The episode so far: (256, 640, 3), uint8, an array of its own."""
        changed = [part.update() for part in self._parts]
        if self._background is None or any(changed):
            self._canvas.draw()  # without the animated artists
            self._background = self._canvas.copy_from_bbox(self._figure.bbox)
        self._canvas.restore_region(self._background)
        for part in self._parts:
            for artist in part.artists:
                part.axes.draw_artist(artist)
        return np.asarray(self._canvas.buffer_rgba())[..., :3].copy()


class _Part:
    """One of the pictures side by side: ``update`` says whether its axes have changed."""

    def __init__(self, record: EpisodeRecord):
        self.record = record
        self.artists: list[Any] = []

    def begin(self, axes: Any) -> None:
        self.axes = axes

    def update(self) -> bool:
        raise NotImplementedError

    def _show(self, across: tuple[float, float] | None, up: tuple[float, float] | None) -> bool:
        """Make the axes hold these ranges, with room to grow, so that it is rarely done."""
        changed = False
        for needed, get, put in (
            (across, self.axes.get_xlim, self.axes.set_xlim),
            (up, self.axes.get_ylim, self.axes.set_ylim),
        ):
            if needed is None:
                continue
            low, high = get()
            if needed[0] < low or needed[1] > high:
                room = (needed[1] - needed[0]) / 2
                low = needed[0] - room if needed[0] < low else low
                put(low, needed[1] + room if needed[1] > high else high)
                changed = True
        return changed


class _Arms(_Part):
    def begin(self, axes: Any) -> None:
        super().begin(axes)
        arms = np.arange(len(self.record.plays))
        axes.set_title(f"plays of each {self.record.kind}", loc="left", fontsize=9)
        axes.set(xlim=(-0.6, len(arms) - 0.4), ylim=(0, 10))
        (self._bars,) = axes.plot([], [], color=_INK, lw=max(1.0, min(12.0, 130 / len(arms))))
        self._bars.set_solid_capstyle("butt")
        self.artists = [self._bars]

    def update(self) -> bool:
        plays = self.record.plays
        x = np.repeat(np.arange(len(plays), dtype=float), 3)
        y = np.stack([np.zeros(len(plays)), plays, np.full(len(plays), np.nan)], 1).ravel()
        self._bars.set_data(x, y)
        return self._show(None, (0.0, float(plays.max(initial=0))))


class _Means(_Part):
    def begin(self, axes: Any) -> None:
        super().begin(axes)
        axes.set_title("mean of its observed rewards", loc="left", fontsize=9)
        axes.set(xlim=(-0.6, len(self.record.plays) - 0.4), ylim=(0, 1))
        (self._means,) = axes.plot([], [], "o", color=_BAD, ms=4)
        self.artists = [self._means]

    def update(self) -> bool:
        means = self.record.means
        self._means.set_data(np.arange(len(means)), means)
        seen = means[np.isfinite(means)]
        return len(seen) > 0 and self._show(None, (float(seen.min()), float(seen.max())))


class _Points(_Part):
    def begin(self, axes: Any) -> None:
        super().begin(axes)
        if self.record.task.plays is NUMBER:
            title = "outcome by prediction"
        elif self.record.task.dim == 1:
            title = "point by round"
        else:
            title = "points played, two coordinates"
        axes.set_title(title, loc="left", fontsize=9)
        axes.set(xlim=(-0.1, 0.1), ylim=(-0.1, 0.1))
        (self._older,) = axes.plot([], [], ".", color=_INK, ms=3)
        (self._last,) = axes.plot([], [], "o", color=_BAD, ms=5)
        self.artists = [self._older, self._last]

    def update(self) -> bool:
        recent = np.array(self.record.points, float)
        if not len(recent):
            return False
        if recent.shape[1] == 1:
            end = self.record.rounds
            recent = np.column_stack([np.arange(end - len(recent), end), recent])
        self._older.set_data(recent.T)
        self._last.set_data(recent[-1:].T)
        shown = recent[np.isfinite(recent).all(1)]
        if not len(shown):
            return False
        low, high = shown.min(0), shown.max(0)
        return self._show((float(low[0]), float(high[0])), (float(low[1]), float(high[1])))


class _Total(_Part):
    def begin(self, axes: Any) -> None:
        super().begin(axes)
        axes.set(xlim=(0, self.record.task.horizon or 100), ylim=(0, 1))
        axes.set_xlabel("round", fontsize=8)
        self._named = ""
        (self._curve,) = axes.plot([], [], color=_INK, lw=1.6)
        self.artists = [self._curve]

    def update(self) -> bool:
        record = self.record
        rounds, total = np.array([*record.curve, (record.rounds, record.total)]).T
        self._curve.set_data(rounds, total)
        named, self._named = self._named, record.total_name
        if named != self._named:
            self.axes.set_title(f"{self._named} so far", loc="left", fontsize=9)
        changed = self._show((0.0, float(record.rounds)), (float(total.min()), float(total.max())))
        return changed or named != self._named
