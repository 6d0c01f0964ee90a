"""Extracts summary, parameters, costs and references from numpydoc docstrings as plain text."""

import inspect
import re
from typing import Any

_SYMBOLS = {
    r"\ldots": "..", r"\dots": "..", r"\langle": "<", r"\rangle": ">", r"\lVert": "‖",
    r"\rVert": "‖", r"\Vert": "‖", r"\|": "‖", r"\infty": "∞", r"\in": "∈", r"\ge": "≥",
    r"\le": "≤", r"\ne": "≠", r"\times": "×", r"\cdot": "·", r"\sqrt": "√", r"\sum": "Σ",
    r"\top": "ᵀ", r"\pm": "±", r"\to": "→", r"\,": " ", r"\;": " ", r"\quad": " ", r"\qquad": " ",
    r"\ll": "≪", r"\gg": "≫", r"\approx": "≈", r"\sim": "~", r"\lceil": "⌈", r"\rceil": "⌉",
    r"\lfloor": "⌊", r"\rfloor": "⌋", r"\{": "{", r"\}": "}", r"\varepsilon": "ε",
    r"\alpha": "α", r"\beta": "β", r"\gamma": "γ", r"\delta": "δ", r"\epsilon": "ε", r"\eta": "η",
    r"\theta": "θ", r"\lambda": "λ", r"\mu": "μ", r"\nu": "ν", r"\xi": "ξ", r"\pi": "π",
    r"\rho": "ρ", r"\sigma": "σ", r"\tau": "τ", r"\phi": "φ", r"\Phi": "Φ", r"\omega": "ω",
    r"\Delta": "Δ", r"\Sigma": "Σ", r"\Pi": "Π", r"\star": "*", r"\ast": "*", r"\prime": "'",
}  # fmt: skip


def summary(thing: object) -> str:
    """The first paragraph of a docstring; "" if there is none."""
    return plain(_own(thing).partition("\n\n")[0])


def costs(thing: object) -> str:
    """The sentences of a docstring about the cost of a round; "" if there are none."""
    told = []
    for paragraph in _sections(thing)[""].split("\n\n"):
        # Displayed formulas are indented and contain no sentence about cost.
        lines = [one for one in paragraph.splitlines() if not one.startswith((" ", ".. math::"))]
        told += re.split(r"(?<=[.:]) (?=[A-Z])", plain(" ".join(lines)))
    told = [one for one in told if re.search(r"\bcosts?\b", one)]
    # Drop the beginning of a sentence that mentions the cost only at its end.
    told = [re.sub(r"^.*(?:so that|:) a (?=round costs)", "A ", one) for one in told]
    return " ".join(re.sub(r"[:;,]$", ".", one) for one in told)


def parameters(kind: type) -> dict[str, tuple[str, str]]:
    """Type and meaning of every parameter by name, including those that base classes describe."""
    found: dict[str, tuple[str, str]] = {}
    untyped: dict[str, tuple[str, str]] = {}  # entries that only point to a base class
    for base in kind.__mro__:
        text = _sections(base).get("Parameters", "")
        for head, body in re.findall(r"^(\S.*)\n((?:[ \t]+.*\n?|\n)*)", text + "\n", re.MULTILINE):
            names, _, type_of = head.partition(" : ")
            for name in names.split(","):
                known = found if type_of else untyped
                known.setdefault(name.strip(), (plain(type_of), plain(body)))
    return untyped | found


def references(thing: object) -> str:
    """The section of references on one line; "" if there is none."""
    return plain(_sections(thing).get("References", ""))


def plain(text: str) -> str:
    r"""Text of a docstring on one line, without markup and with Unicode signs for TeX commands.

    >>> plain(r"``alpha`` is :math:`\alpha \ge 0` in :math:`O(K d^2)`")
    'alpha is α ≥ 0 in O(K d²)'
    """
    text = re.sub(r":math:`([^`]*)`", lambda found: _formula(found[1]), text)
    text = re.sub(r":\w+:`~?([^`]*)`", r"\1", text)
    return " ".join(text.replace("`", "").replace("\\", "").split())


def _formula(tex: str) -> str:
    tex = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"(\1)/(\2)", tex)
    tex = re.sub(r"\\(?:mathbb|mathcal|mathrm|text|operatorname|bar|tilde)\b ?", "", tex)
    tex = re.sub(r"\\hat ?(\\[A-Za-z]+|\w)", "\\1\u0302", tex)  # a combining circumflex
    tex = re.sub(r"\\sqrt ?\{([^{}]*)\}", r"\\sqrt(\1)", tex)
    tex = re.sub(r"\\(log|det|max|min|exp|ln|arg|tr)(?![a-z])", r" \1", tex)
    tex = re.sub(
        r"\\[A-Za-z]+|\\[^A-Za-z\s]", lambda found: _SYMBOLS.get(found[0], found[0][1:]), tex
    )
    tex = tex.replace("^2", "²").replace("^3", "³").replace("^ᵀ", "ᵀ").replace("^{-1}", "⁻¹")
    return re.sub(r"[{}]", "", re.sub(r"([_^])\{([^{}])\}", r"\1\2", tex))


def _sections(thing: object) -> dict[str, str]:
    """The sections of a docstring by their titles; the first has the title ""."""
    first, *others = re.split(r"^(\w[\w ]*)\n-{3,}\n", _own(thing), flags=re.M)
    return {"": first} | dict(zip(others[::2], others[1::2], strict=True))


def _own(thing: Any) -> str:
    """Its own docstring, not a base class's, nor the signature that dataclasses generate."""
    text = inspect.cleandoc(thing.__doc__ or "")
    return "" if text.startswith(f"{thing.__name__}(") else text
