"""Templates: the page in HTML, in which all text is escaped, and pages in Markdown."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from leaderboards.report.markup import cell, escaped, table

if TYPE_CHECKING:
    import jinja2


def templates(folder: Path = Path(__file__).parent, *, html: bool = True) -> "jinja2.Environment":
    """An environment that finds a folder's templates and refuses names that are not given."""
    import jinja2  # slow, and a table needs none

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=html,
        keep_trailing_newline=not html,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )


def markdown(template: Path, **values: Any) -> str:
    """The page of Markdown that a template makes of these values.

    Nothing is escaped, except by ``table`` and by the filters ``escaped`` (text that is shown as it
    is) and ``cell`` (Markdown that stands in a table).
    """
    environment = templates(template.parent, html=False)
    environment.filters |= {"cell": cell, "escaped": escaped}
    return environment.get_template(template.name).render(values, table=table)
