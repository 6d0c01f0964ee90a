"""Masks that lie about empty slots, or that nobody minds, are seen."""

import dataclasses

import numpy as np
import pytest

from banditgym.check import check_env
from banditgym.envs.news import NewsReplay

# Each of these breaks one promise, and says what check_env should say of it.


class Masks(NewsReplay):
    """With an empty slot at least."""

    def __init__(self, *args, **settings):
        super().__init__(*args, n_arms=22, **settings)


class PlaysEmptySlots(Masks):
    says = "empty slot .* must raise ValueError"

    def _reward(self, block, places, actions):
        mask = block.mask[places]
        empty = np.take_along_axis(mask, actions[..., None], axis=2)[..., 0] == 0
        return super()._reward(block, places, np.where(empty, mask.argmax(axis=2), actions))


class SpaceKnowsNoMask(Masks):
    says = "slot .* has no article"

    def _show_mask(self, mask):
        self.single_action_space.mask = self.action_space.mask = None


class ShowsFeaturesOfNobody(Masks):
    says = "an empty slot must have features 0 and id -1"

    def _rounds(self, t, rounds):
        block = super()._rounds(t, rounds)
        return dataclasses.replace(block, features=block.features + 1.0)


class IdsOfNobody(Masks):
    says = "an empty slot must have features 0 and id -1"

    def _rounds(self, t, rounds):
        block = super()._rounds(t, rounds)
        return dataclasses.replace(block, ids=np.maximum(block.ids, 0))


class StandsTwice(Masks):
    says = "an arm stands in two slots"

    def _rounds(self, t, rounds):
        block = super()._rounds(t, rounds)
        return dataclasses.replace(block, ids=np.minimum(block.ids, 7))


class RefusalChangesState(Masks):
    says = "a refused action, empty slot, changes what follows"

    def _reward(self, block, places, actions):
        try:
            return super()._reward(block, places, actions)
        except ValueError as error:
            if "no article" in str(error):
                self._keep, self._block = 1.0, None
            raise


class PaysUnobserved(Masks):
    says = "the reward must be 0 where it is not observed"

    def _reward(self, block, places, actions):
        reward, info = super()._reward(block, places, actions)
        return np.where(info["observed"], reward, 0.25), info


class ShutsEverySlot(Masks):
    says = "action_mask must be int8 of 0 and 1, not all 0 before the end; wrong in round 2"

    def step(self, actions):
        observation, *rest = super().step(actions)
        if self._t == 2:
            observation["action_mask"][:] = 0
        return observation, *rest


def test_a_broken_promise_is_seen(faulty, registered):
    with pytest.raises(AssertionError, match=faulty.says):
        check_env(registered)
