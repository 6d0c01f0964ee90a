"""Pages of environments say what the code says."""

import pytest

from agents.play import task_of
from banditgym.registration import ENVIRONMENTS
from banditgym.vector_env import load_env, settings_of
from leaderboards.suites import environments

pytest.importorskip("numpydoc", reason="needs the extra [docs]")

from docs.site import environment_pages


@pytest.mark.parametrize("path", sorted({env.path for env in ENVIRONMENTS.values()}))
def test_every_class_says_what_is_hidden(path):
    assert environment_pages.hidden(path).endswith(".")


def test_what_is_hidden_is_one_paragraph_of_the_docstring():
    said = environment_pages.hidden("banditgym.envs.kernelized:KernelBandit")
    assert said == "The function f, its maximum, and where it lies. The kernel is known."
    with pytest.raises(ValueError, match="vector_env:BanditVectorEnv does not say what is hidden"):
        environment_pages.hidden("banditgym.vector_env:BanditVectorEnv")


@pytest.mark.parametrize("name", ["ArmedBandit-v0", "EllipsoidBandit-v0", "SynNonSep-v0"])
def test_a_page_has_every_setting_and_every_fact(name):
    env = ENVIRONMENTS[name]
    page = environment_pages.page(name, env)
    for setting in settings_of(load_env(env.path)):
        assert (f"* - ``{setting}``" in page) == (setting != "max_episode_steps")
    task = task_of(environments.make(name, 1, {}))
    for fact in vars(task):
        assert f"* - ``{fact}``" in page
    assert task.regret in page
    assert environment_pages.hidden(env.path) in page


def test_a_setting_that_an_id_fixes_is_its_default():
    page = environment_pages.page("SynNonSep-v0", ENVIRONMENTS["SynNonSep-v0"])
    after = page.split("``label_noise``")[1].splitlines()[1]
    assert after.strip() == "- ``0.05``"


def test_an_environment_without_regret_says_so():
    page = environment_pages.page("NewsReplay-v0", ENVIRONMENTS["NewsReplay-v0"])
    assert "There is no regret" in page
    assert "clicks_per_10000" in page


def test_agents_of_arms_are_named_where_an_adversary_plays():
    page = environment_pages.page("AdversarialBandit-v0", ENVIRONMENTS["AdversarialBandit-v0"])
    assert {":doc:`/agents/TsallisINF`", ":doc:`/agents/UCB1`"} <= set(
        page.replace(",", "").split()
    )
    assert ":doc:`/agents/TrackAndStop`" not in page
