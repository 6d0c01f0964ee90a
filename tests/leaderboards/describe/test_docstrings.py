"""What is extracted from docstrings."""

import dataclasses
import re

import pytest

from agents import Agent, naming
from banditgym.registration import ENVIRONMENTS
from banditgym.vector_env import load_env, settings_of
from leaderboards.describe import docstrings


class Base:
    """Another summary.

    Parameters
    ----------
    ridge : float, optional
        :math:`\\lambda > 0`, told

        in two paragraphs.
    """


class Example(Base):
    r"""What it does,
    on two lines.

    It plays

    .. math:: a_t = \arg\max_k \; x_k
        \text{ costs nothing}

    and so that a round costs :math:`O(K d^2)` per replicate, ``n`` of them: nothing
    else. It sleeps.

    Parameters
    ----------
    alpha, beta : float
        Widths :math:`\alpha \ge 0` and :math:`\sqrt{2 \log(1/\delta)}`.
    ridge
        As in Base.

    Notes
    -----
    Memory costs nothing.

    References
    ----------
    A. Author. A Title.
    WWW 2010.
    """


def test_a_docstring_is_taken_apart():
    assert docstrings.summary(Example) == "What it does, on two lines."
    assert docstrings.costs(Example) == (
        "A round costs O(K d²) per replicate, n of them: nothing else."
    )
    assert docstrings.parameters(Example) == {
        "alpha": ("float", "Widths α ≥ 0 and √(2 log(1/δ))."),
        "beta": ("float", "Widths α ≥ 0 and √(2 log(1/δ))."),
        "ridge": ("float, optional", "λ > 0, told in two paragraphs."),
    }
    assert docstrings.references(Example) == "A. Author. A Title. WWW 2010."


def test_what_nobody_wrote_is_empty():
    class Silent(Base):
        pass

    @dataclasses.dataclass
    class Plain:
        alpha: float = 1.0

    for kind in (Silent, Plain):
        assert docstrings.summary(kind) == docstrings.costs(kind) == ""
    assert docstrings.references(Plain) == ""


@pytest.mark.parametrize("name", naming.named())
def test_every_hyperparameter_of_ours_has_a_meaning_in_plain_words(name):
    kind: type[Agent] = naming.named()[name]
    said = docstrings.parameters(kind)
    for field in dataclasses.fields(kind):
        assert said[field.name][1], field.name
    texts = [docstrings.summary(kind), docstrings.costs(kind), *sum(said.values(), ())]
    assert docstrings.summary(kind)
    assert not re.search(r"[\\\\`{}]|:math:", " ".join(texts))


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_every_setting_of_ours_has_a_meaning(name):
    kind = load_env(ENVIRONMENTS[name].path)
    said = docstrings.parameters(kind)
    for setting in settings_of(kind).keys() - {"max_episode_steps"}:
        assert said[setting][1], setting
