"""Verdicts on the parts of a claim, and on the whole of it."""

from collections.abc import Mapping
from enum import StrEnum


class Verdict(StrEnum):
    """The verdict on a claim, or on a part of one; `MEANINGS` explains each."""

    REPRODUCED = "reproduced"
    PARTLY = "partly"
    NOT_REPRODUCED = "not reproduced"
    OPEN = "open at this size"
    INCONCLUSIVE = "inconclusive"
    VACUOUS = "vacuous here"
    CANNOT_RUN = "cannot be run here"


Parts = Mapping[str, Verdict]
"""Verdicts on the parts of a claim, by their names; none of them is PARTLY."""

MEANINGS = {
    Verdict.REPRODUCED: "the rule holds for the whole 95 % interval of every number that it judges",
    Verdict.PARTLY: (
        "some parts are reproduced, and the others are not reproduced, open or inconclusive; each "
        "part has its own verdict"
    ),
    Verdict.NOT_REPRODUCED: "the rule fails for the whole interval, at a size that can decide it",
    Verdict.OPEN: (
        "the rule fails at this size, but the paper's size is larger, and more rounds could still "
        "lead to a reproduction"
    ),
    Verdict.INCONCLUSIVE: (
        "the interval contains the limit, so that more seeds could decide either way; or a control "
        "that the rule depends on fails; or, of a whole claim, no part is reproduced and some are "
        "inconclusive"
    ),
    Verdict.VACUOUS: (
        "the bound exceeds what is possible in this run, so that nothing could violate it; this "
        "counts neither for the claim nor against it"
    ),
    Verdict.CANNOT_RUN: "the claim's section names the obstacle",
}


def whole(parts: Parts) -> Verdict:
    """The verdict on a claim with these parts.

    Vacuous parts do not count beside others. If the others agree, theirs is the verdict. If only
    some are reproduced it is PARTLY; if none is, INCONCLUSIVE or else OPEN.

    Raises
    ------
    ValueError
        If there is no part.
    """
    if not parts:
        raise ValueError("a verdict needs at least one part")
    counted = set(parts.values()) - {Verdict.VACUOUS} or {Verdict.VACUOUS}
    if len(counted) == 1:
        return counted.pop()
    mixed = (Verdict.INCONCLUSIVE, Verdict.OPEN)
    if Verdict.REPRODUCED in counted:
        return Verdict.PARTLY
    return next(verdict for verdict in mixed if verdict in counted)


def at_smaller_size(parts: Parts) -> Parts:
    """The parts at a size below the paper's: what is not reproduced is open."""
    return {
        name: Verdict.OPEN if verdict is Verdict.NOT_REPRODUCED else verdict
        for name, verdict in parts.items()
    }
