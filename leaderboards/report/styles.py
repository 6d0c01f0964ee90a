"""Styles of agents in all pictures: each agent's name determines its colour and dash.

Agents of this package that play the same family never share a style, and their styles do not depend
on which other agents are drawn. An agent with other hyperparameters than its defaults, or one of
two versions, has its class's colour and a dash by the rest of its label. Third-party agents are
drawn thick: the alphabetically first is black, and the others have colours that are free in the
picture. If two labels of a picture would have the same style, the later one takes the next free
style.
"""

import functools
import itertools
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from leaderboards.suites.baselines_file import UNIFORM

# Okabe and Ito's colours, which colour-blind readers can distinguish; without yellow, which is too
# faint for a line, and with black last.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
BLACK = COLOURS[-1]
GREY = "#767676"

# Lengths of strokes and gaps in units of the line's width, the same for matplotlib and plotly.
DASHES: tuple[tuple[float, ...], ...] = (
    (),
    (5, 1.5),
    (1, 1),
    (6, 1.5, 1, 1.5),
    (10, 3),
    (1, 3),
    (3, 1, 3, 5),
)
OF_CLASSES = 3  # dashes for defaults; the others distinguish versions of a class
# Further ones for defaults, of families with more agents than these have styles.
OF_LARGE_FAMILIES: tuple[tuple[float, ...], ...] = ((8, 1.5, 1, 1.5, 1, 1.5), (3, 3), (2, 1, 6, 1))


@dataclass(frozen=True)
class Style:
    """The colour and the dash of a line."""

    colour: str
    dashes: tuple[float, ...]

    @property
    def line(self):
        """The dash as matplotlib takes it."""
        return (0, self.dashes) if self.dashes else "solid"

    @property
    def svg(self) -> str:
        """The dash in SVG's format, for a line that is two units wide."""
        return " ".join(f"{2 * length:g}" for length in self.dashes)

    @property
    def plotly(self) -> str:
        """The dash in plotly's format, for a line that is two pixels wide."""
        return ",".join(f"{2 * length:g}px" for length in self.dashes) or "solid"


BASELINE = Style(GREY, (1, 2))


def style(label: str) -> Style:
    """The style of an agent of this package, or of one that is alone in a picture."""
    return styles([label])[label]


def styles(labels: Iterable[str]) -> dict[str, Style]:
    """The style of every agent of a picture, all different as long as there are enough styles.

    Parameters
    ----------
    labels : iterable of str
        Labels of agents: the class and the hyperparameters that differ from their defaults.
    """
    found: dict[str, Style] = {}
    fixed = _of_classes()
    # Agents whose style follows from their name alone come first.
    for label in sorted(set(labels), key=lambda label: (label not in fixed, label)):
        wanted = fixed.get(label)
        if wanted is None:
            taken = set(found.values())
            free = [look for look in _wished(label) if look not in taken]
            if _is_third_party(label):
                free.sort(key=lambda look: look.colour in {one.colour for one in taken})
            wanted = free[0] if free else next(_wished(label))
        found[label] = wanted
    return found


@functools.cache
def _of_classes() -> dict[str, Style]:
    """The styles of this package's agents, by their position among the agents of their families."""
    from agents.naming import families_of, named  # slow to import, and a table draws nothing
    from agents.parts.wrapping import Wrapping

    found: dict[str, Style] = dict.fromkeys(UNIFORM, BASELINE)
    dashes = (*DASHES[:OF_CLASSES], *OF_LARGE_FAMILIES)
    looks = [Style(colour, dash) for dash in dashes for colour in COLOURS[:-1]]
    taken: dict[str, set[Style]] = {}
    for name, kind in named().items():
        if name not in found and not issubclass(kind, Wrapping):  # each of these is a version
            others = [taken.setdefault(family, set()) for family in families_of(kind)]
            found[name] = next(look for look in looks if look not in set().union(*others))
            for other in others:
                other.add(found[name])
    return found


def _is_third_party(label: str) -> bool:
    """Whether a label begins with no class of this package."""
    from agents.naming import named

    return re.split(r"\W", label)[0] not in named()


def _wished(label: str):
    """The styles that a version of a class or a third-party agent may have, the preferred first."""
    of_class = _of_classes().get(re.split(r"\W", label)[0])
    if of_class is None or of_class is BASELINE:
        colour, dashes = BLACK, DASHES
    else:
        colour, dashes = of_class.colour, DASHES[OF_CLASSES:]
    turn = 0 if _is_third_party(label) else zlib.crc32(label.encode()) % len(dashes)
    own = [Style(colour, dash) for dash in (*dashes[turn:], *dashes[:turn])]
    rest = (Style(other, dash) for dash in DASHES for other in COLOURS)
    return itertools.chain(own, rest)
