"""How a user wants curves drawn: the scales of the axes, and agents' names and colours."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from banditgym.validation import nearest
from leaderboards.report.curve_lines import Panel
from leaderboards.report.styles import Style

SCALES = ("linear", "log")


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """What replaces the defaults of a picture of curves.

    Parameters
    ----------
    x_scale, y_scale : {"linear", "log"}, optional
        By default both are logarithmic if all curves grow and stay positive. A panel without a
        positive value keeps a linear y-axis.
    labels : mapping of str to str
        The texts of agents, by their labels in tables.
    colours : mapping of str to str
        Their colours, as matplotlib takes them: ``"red"``, ``"#0072B2"``, ``"C1"``.

    Raises
    ------
    ValueError
        If a scale or a colour does not exist, or two agents have one text.
    """

    x_scale: str | None = None
    y_scale: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    colours: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self):
        for axis, scale in (("x", self.x_scale), ("y", self.y_scale)):
            if scale not in (None, *SCALES):
                raise ValueError(f"the {axis}-scale is linear or log, got {scale!r}")
        if self.colours:
            from matplotlib.colors import is_color_like  # slow to import

            for label, colour in self.colours.items():
                if not is_color_like(colour):
                    raise ValueError(
                        f"the colour of {label} is a name or #rrggbb, such as red or #0072B2, "
                        f"got {colour!r}"
                    )

    def check(self, labels: Iterable[str]) -> None:
        """Refuse labels and colours of agents that are not in the picture."""
        there = list(labels)
        for label in (*self.labels, *self.colours):
            if label not in there:
                hint = nearest(label, there) or f"; it has {', '.join(there)}"
                raise ValueError(f"the picture has no agent {label!r}{hint}")
        texts = [self.labels.get(label, label) for label in there]
        for text in self.labels.values():
            if texts.count(text) > 1:
                raise ValueError(f"two agents would be called {text!r}")

    def applied(
        self, panels: Sequence[Panel], looks: Mapping[str, Style]
    ) -> tuple[list[Panel], dict[str, Style]]:
        """The panels with the texts, and the styles by them, with the colours."""
        texts = self.labels
        styles = {
            texts.get(label, label): replace(look, colour=self.colours.get(label, look.colour))
            for label, look in looks.items()
        }
        lines = [
            [
                replace(line, label=texts.get(line.label, line.label), renamed=line.label in texts)
                for line in panel.lines
            ]
            for panel in panels
        ]
        bounds = [
            [replace(bound, name=texts.get(bound.name, bound.name)) for bound in panel.bounds]
            for panel in panels
        ]
        return [
            replace(panel, lines=tuple(lines[i]), bounds=tuple(bounds[i]))
            for i, panel in enumerate(panels)
        ], styles


AS_USUAL = Drawing()
