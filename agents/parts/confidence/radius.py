"""The legal hyperparameters of a radius."""

from banditgym.validation import brief, nonnegative, probability


def check_radius(
    radius: str | float, named: tuple[str, ...], *, delta: float, noise_std: float | None,
    param_norm: float | None,
) -> None:  # fmt: skip
    """Raise ValueError for illegal hyperparameters of a radius.

    ``radius`` must be one of ``named`` or a number >= 0.
    """
    probability("delta", delta)
    for name, value in (("noise_std", noise_std), ("param_norm", param_norm)):
        if value is not None:
            nonnegative(name, value)
    if isinstance(radius, str):
        if radius not in named:
            raise ValueError(f"radius must be {', '.join(named)} or a number, got {brief(radius)}")
    else:
        nonnegative("radius", radius)
