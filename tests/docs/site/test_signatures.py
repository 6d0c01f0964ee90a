"""Signatures of agents name each hyperparameter and its default, as a call would."""

import dataclasses

import pytest

import agents
from docs.site import signatures


@pytest.mark.parametrize("name", agents.AGENTS)
def test_every_hyperparameter_is_named_with_its_default(name):
    kind = getattr(agents, name)
    shown = signatures.signature(kind)
    made = kind()
    for field in dataclasses.fields(kind):
        assert f"{field.name}={getattr(made, field.name)!r}" in shown


def test_values_are_those_of_a_call():
    assert signatures.signature(agents.LinUCB) == "(*, alpha=1.0, ridge=1.0)"
    assert signatures.signature(agents.UniformRandom) == "()"
    assert signatures.signature(agents.Halving) == "(*, hypotheses)"
    assert "posterior=Exact()" in signatures.signature(agents.GPBandit)


def test_other_classes_keep_their_signatures():
    assert signatures.process(None, "class", "x", dict, None, "(*args)", "") is None
    assert signatures.process(None, "function", "x", agents.play, None, "(*args)", "") is None
    assert signatures.process(None, "class", "x", agents.LinTS, None, "(*args)", "") is not None
