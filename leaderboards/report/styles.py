"""How agents look in every picture: each has a colour and a dash of its own, by its name.

Agents of this package that play one family never share a look, and their looks do not depend on who
else is drawn. An agent off its defaults, or one of two versions, has its class's colour and a dash
that follows from the rest of its label; agents of others are black, and drawn thick. Where two
labels of a picture would look alike, the later one in the alphabet takes the next look that is
free.
"""

import functools
import itertools
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from agents.naming import named
from leaderboards.ends import UNIFORM

# Okabe and Ito's colours, which the colour-blind can tell apart, without the yellow, which is too
# faint for a line, and with black last.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
BLACK = COLOURS[-1]
GREY = "#767676"

# Lengths of strokes and gaps in units of the line's width; matplotlib and plotly are told the same.
DASHES: tuple[tuple[float, ...], ...] = (
    (),
    (5, 1.5),
    (1, 1),
    (6, 1.5, 1, 1.5),
    (10, 3),
    (1, 3),
    (3, 1, 3, 5),
)
OF_CLASSES = 3  # dashes that defaults have; the others tell versions of a class apart


@dataclass(frozen=True)
class Style:
    """A colour, and the dash of a line."""

    colour: str
    dashes: tuple[float, ...]

    @property
    def line(self):
        """The dash as matplotlib takes it."""
        return (0, self.dashes) if self.dashes else "solid"

    @property
    def svg(self) -> str:
        """The dash as SVG takes it, of a line that is two units wide."""
        return " ".join(f"{2 * length:g}" for length in self.dashes)

    @property
    def plotly(self) -> str:
        """The dash as plotly takes it, of a line that is two pixels wide."""
        return ",".join(f"{2 * length:g}px" for length in self.dashes) or "solid"


BASELINE = Style(GREY, (1, 2))


def style(label: str) -> Style:
    """The look of an agent that is alone in a picture, or of this package."""
    return styles([label])[label]


def styles(labels: Iterable[str]) -> dict[str, Style]:
    """The look of every agent of a picture, no two alike as long as there are enough.

    Parameters
    ----------
    labels : iterable of str
        Labels of agents: the class and the hyperparameters off their defaults.
    """
    found: dict[str, Style] = {}
    fixed = _of_classes()
    # Those whose look follows from their name alone come first.
    for label in sorted(set(labels), key=lambda label: (label not in fixed, label)):
        wanted = fixed.get(label)
        if wanted is None:
            taken = set(found.values())
            free = (look for look in _wished(label) if look not in taken)
            wanted = next(free, None) or next(_wished(label))
        found[label] = wanted
    return found


@functools.cache
def _of_classes() -> dict[str, Style]:
    """The looks of this package's agents: their place among those of their families decides."""
    found: dict[str, Style] = dict.fromkeys(UNIFORM, BASELINE)
    looks = [Style(colour, dash) for dash in DASHES[:OF_CLASSES] for colour in COLOURS[:-1]]
    taken: dict[str, set[Style]] = {}
    for name, kind in named().items():
        if name not in found:
            others = [taken.setdefault(task.family, set()) for task in kind.accepts]
            found[name] = next(look for look in looks if look not in set().union(*others))
            for other in others:
                other.add(found[name])
    return found


def _wished(label: str):
    """The looks that a version of a class, or an agent of somebody else's, may have, best first."""
    of_class = _of_classes().get(re.split(r"\W", label)[0])
    mark = zlib.crc32(label.encode())
    if of_class is None or of_class is BASELINE:
        colour, dashes = BLACK, DASHES
    else:
        colour, dashes = of_class.colour, DASHES[OF_CLASSES:]
    turn = mark % len(dashes)
    own = [Style(colour, dash) for dash in (*dashes[turn:], *dashes[:turn])]
    rest = (Style(other, dash) for dash in DASHES for other in COLOURS)
    return itertools.chain(own, rest)
