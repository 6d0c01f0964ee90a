"""Environments that break a promise, registered one at a time."""

import gymnasium
import pytest


def pytest_generate_tests(metafunc):
    """``faulty``: each environment of the test's file that ``says`` what check_env should say."""
    if "faulty" in metafunc.fixturenames:
        theirs = vars(metafunc.module).values()
        own = [
            value
            for value in theirs
            if isinstance(value, type)
            and value.__module__ == metafunc.module.__name__
            and hasattr(value, "says")
        ]
        assert own
        metafunc.parametrize("faulty", own)


@pytest.fixture
def registered(faulty):
    """The id of the faulty environment."""
    name = f"{faulty.__name__}-v0"
    gymnasium.register(
        name,
        entry_point="banditgym.single:SingleBandit",
        vector_entry_point="banditgym.vector_env:make_env",
        kwargs={"entry": f"{faulty.__module__}:{faulty.__name__}"},
    )
    yield name
    del gymnasium.registry[name]
