"""Results that no play can have had: of an agent that changed what was measured."""

from collections.abc import Mapping, Sequence

from banditgym import tasks

# Relative to the largest sum of what was paid and lost. Points are legal up to 1e-9 relative
# outside their set, and gain as much at most on the best of it; sums are rounded to less.
_ROUNDING = 1e-6
# Families in which no round's regret is below 0.
_NEVER_NEGATIVE = {
    kind.family for kind in vars(tasks).values() if getattr(kind, "never_negative", False)
}


def impossible(family: str, measures: Mapping[str, Sequence[float | None]]) -> str | None:
    """Why curves cannot be true, None if they may be.

    Parameters
    ----------
    family : str
        Of the task.
    measures : mapping of str to sequence of float
        Cumulative measures of one seed, all at the same rounds. None is what was not finite.
    """
    regret = [value for value in measures.get("regret", []) if value is not None]
    if family not in _NEVER_NEGATIVE or not regret:
        return None
    reward = [value for value in measures.get("reward", []) if value is not None]
    largest = max(map(abs, regret)) + max(map(abs, reward), default=0.0)
    before = 0.0
    for now in regret:
        if now - before < -_ROUNDING * largest:
            lost = f"regret {now:.4g}" if now < 0 else f"regret that falls to {now:.4g}"
            return f"a {lost}: no round's regret is negative here, so it is no result"
        before = now
    return None
