"""The templates of this folder, in which all text is escaped."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import jinja2


def templates() -> "jinja2.Environment":
    """An environment that finds the templates and refuses names that are not given."""
    import jinja2  # slow, and a table needs none

    return jinja2.Environment(
        loader=jinja2.PackageLoader("leaderboards.report", ""),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
