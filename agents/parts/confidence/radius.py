"""Checks of the hyperparameters of a radius and of a scale."""

from typing import Any

from banditgym.validation import Check, brief, nonnegative, probability


def check_radius(owner: Any, named: tuple[str, ...]) -> None:
    """Raise ValueError for illegal hyperparameters of an agent's or a part's radius.

    ``radius`` must be one of ``named`` or a number >= 0; ``noise_std`` and ``param_norm`` may be
    None, or not there.
    """
    probability("delta", owner.delta)
    for name in ("noise_std", "param_norm"):
        if getattr(owner, name, None) is not None:
            nonnegative(name, getattr(owner, name))
    named_or_number(*named)("radius", owner.radius)


def named_or_number(*named: str) -> Check:
    """A check that a hyperparameter is one of ``named`` or a number >= 0."""

    def check(name: str, value: Any) -> Any:
        if not isinstance(value, str):
            return nonnegative(name, value)
        if value not in named:
            raise ValueError(f"{name} must be {', '.join(named)} or a number, got {brief(value)}")
        return value

    return check
