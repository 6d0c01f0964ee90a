"""Hyperparameters of every agent: it plays four rounds, or says in a line what is wrong."""

import dataclasses
from typing import Any

import pytest
from fuzzing import arrays, examples, readable, values
from hypothesis import given
from hypothesis import strategies as st

import agents
from agents.check.small_environments import ENVIRONMENTS
from agents.parts import batching, decision_rules, estimators, posteriors
from banditgym.entry_points import make_batch

PARTS = [
    getattr(package, name)
    for package in (estimators, posteriors, decision_rules, batching)
    for name in package.__all__
    if dataclasses.is_dataclass(getattr(package, name))
]
NAMES = [*agents.AGENTS, "GPBandit", "Halving", "ProjectedHalving"]


def of_fields(kind: type) -> st.SearchStrategy[Any]:
    """An instance with up to three fields off their defaults, or the error of making one."""
    names = [field.name for field in dataclasses.fields(kind) if field.init]
    if not names:
        return st.just((kind, {}))
    return st.dictionaries(st.sampled_from(names), hyperparameter(), max_size=3).map(
        lambda given: (kind, given)
    )


def hyperparameter() -> st.SearchStrategy[Any]:
    return st.one_of(values(), st.sampled_from(PARTS).map(lambda kind: (kind, {})))


def made(kind: type, given: dict[str, Any]) -> Any:
    def part(value: Any) -> Any:
        nested = isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], type)
        return made(*value) if nested and value[0] in PARTS else value

    return kind(**{name: part(value) for name, value in given.items()})


def required(kind: type) -> bool:
    return any(
        field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        for field in dataclasses.fields(kind)
        if field.init
    )


@st.composite
def cases(draw: st.DrawFn, name: str) -> tuple[type, dict[str, Any], str, dict[str, Any]]:
    kind = getattr(agents, name)
    fields = [field.name for field in dataclasses.fields(kind) if field.init]
    chosen = {}
    if fields:
        part = st.sampled_from(PARTS).flatmap(of_fields)
        value = st.one_of(values(), part)
        chosen = draw(st.dictionaries(st.sampled_from(fields), value, max_size=3))
    for field in dataclasses.fields(kind):
        if field.init and required(kind) and field.name not in chosen:
            chosen[field.name] = draw(st.one_of(arrays(), values()))
    families = [task.family for task in kind.accepts]
    env, settings = draw(
        st.sampled_from([row for family in families for row in ENVIRONMENTS[family]])
    )
    return kind, chosen, env, settings


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", NAMES)
def test_hyperparameters(name):
    @examples(15)
    @given(cases(name))
    def check(case):
        kind, chosen, env, settings = case
        envs = make_batch(env, 2, settings | {"horizon": 4})
        with readable():
            agent = made(kind, chosen)
            if agent.refusal(envs.unwrapped.task) is None:
                agents.play(envs, agent, seed=1)
            repr(agent)

    check()
