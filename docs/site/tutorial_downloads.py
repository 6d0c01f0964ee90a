"""Takes the zip file from each tutorial's page: its bytes hold the time of the build."""

import re
from typing import Any

_ZIP = re.compile(r"\n *\.\. container:: sphx-glr-download sphx-glr-download-zip\n\n.*\n")


def process(app: Any, page: str, source: list[str]) -> None:
    """Sphinx's event ``source-read``."""
    if page.startswith("tutorials/"):
        source[0] = _ZIP.sub("\n", source[0])


def setup(app: Any) -> dict[str, bool]:
    """Connect."""
    app.connect("source-read", process)
    return {"parallel_read_safe": True}
