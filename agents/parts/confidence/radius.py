"""Checks of the hyperparameters of a radius and of a scale."""

from banditgym.validation import brief, nonnegative, probability


def check_radius(
    radius: str | float,
    named: tuple[str, ...],
    *,
    delta: float,
    noise_std: float | None,
    param_norm: float | None,
) -> None:
    """Raise ValueError for illegal hyperparameters of a radius.

    ``radius`` must be one of ``named`` or a number >= 0.
    """
    probability("delta", delta)
    for name, value in (("noise_std", noise_std), ("param_norm", param_norm)):
        if value is not None:
            nonnegative(name, value)
    check_named("radius", radius, named)


def check_named(name: str, value: str | float, named: tuple[str, ...]) -> None:
    """Raise ValueError unless a hyperparameter is one of ``named`` or a number >= 0."""
    if not isinstance(value, str):
        nonnegative(name, value)
    elif value not in named:
        raise ValueError(f"{name} must be {', '.join(named)} or a number, got {brief(value)}")
