"""Whether the package ``agents`` is ours: other packages and folders have that name too."""

import importlib.util
from pathlib import Path


def other_agents() -> str | None:
    """One line on the package that is imported in place of our ``agents``; None if it is ours.

    The source is checked, because an installer may have written another package's files over ours.
    """
    try:
        found = importlib.util.find_spec("agents")
    except ValueError:  # a module without a specification, made by hand
        return None
    place = Path(found.origin) if found is not None and found.origin else None
    try:
        ours = place is not None and "AGENTS" in place.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        ours = False
    if ours:
        return None
    where = place or next(iter((found and found.submodule_search_locations) or ()), "nowhere")
    return (
        f"the package agents is found at {where}, which is not the one that comes with banditgym: "
        "uninstall or rename it, then install banditgym again (pip install --force-reinstall "
        "--no-deps banditgym), or use a virtual environment of its own"
    )
