"""Shows agents with their hyperparameters and defaults; all classes of agents share one __new__."""

import dataclasses
import inspect
from typing import Any

from agents.agent import Agent


def signature(kind: type) -> str:
    """The keywords of a class and their defaults, as a call would name them, without types."""
    made = {
        field.name: field.default_factory()
        for field in dataclasses.fields(kind)
        if field.default_factory is not dataclasses.MISSING
    }
    found = inspect.signature(kind)
    shown = [
        parameter.replace(
            annotation=parameter.empty, default=made.get(parameter.name, parameter.default)
        )
        for parameter in found.parameters.values()
    ]
    return str(found.replace(parameters=shown, return_annotation=inspect.Signature.empty))


def process(
    app: Any, what: str, name: str, thing: Any, options: Any, shown: str, returned: str
) -> tuple[str, str | None] | None:
    """Sphinx's event ``autodoc-process-signature``; None leaves the signature as it is."""
    if what == "class" and issubclass(thing, Agent) and dataclasses.is_dataclass(thing):
        return signature(thing), None
    return None


def setup(app: Any) -> dict[str, bool]:
    """Connect."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-signature", process)
    return {"parallel_read_safe": True}
