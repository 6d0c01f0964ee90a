"""Masks that lie about empty slots, or that nobody minds, are seen."""

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

    def _play(self, actions, t):
        mask = self._buffers.buffer[1][0]
        actions = self._set.read(actions, self.num_envs)
        out = (actions >= 0) & (actions < 22)
        empty = out & (mask[np.arange(len(mask)), np.where(out, actions, 0)] == 0)
        return super()._play(np.where(empty, mask.argmax(axis=1), actions), t)


class SpaceKnowsNoMask(Masks):
    says = "slot .* has no article"

    def _show(self, t):
        shown = super()._show(t)
        self.single_action_space.mask = self.action_space.mask = None
        return shown


class ShowsFeaturesOfNobody(Masks):
    says = "an empty slot must have features 0 and id -1"

    def _show(self, t):
        shown = super()._show(t)
        shown["arms"] = shown["arms"] + 1.0
        shown["arms"].flags.writeable = False
        return shown


class IdsOfNobody(Masks):
    says = "an empty slot must have features 0 and id -1"

    def _show(self, t):
        shown = super()._show(t)
        shown["ids"] = np.maximum(shown["ids"], 0)
        shown["ids"].flags.writeable = False
        return shown


class StandsTwice(Masks):
    says = "an arm stands in two slots"

    def _show(self, t):
        shown = super()._show(t)
        shown["ids"] = np.minimum(shown["ids"], 7)
        shown["ids"].flags.writeable = False
        return shown


class RefusalChangesState(Masks):
    says = "an empty slot changes what follows"

    def _play(self, actions, t):
        try:
            return super()._play(actions, t)
        except ValueError as error:
            if "no article" in str(error):
                self._event[:] = 0, 1
                self._keep = 1.0
            raise


class PaysUnobserved(Masks):
    says = "the reward must be 0 where it is not observed"

    def _play(self, actions, t):
        shown, reward, info = super()._play(actions, t)
        return shown, np.where(info["observed"], reward, 0.25), info


class ShutsEverySlot(Masks):
    says = "action_mask must be int8 of 0 and 1, not all 0 before the end; wrong in round 2"

    def _show(self, t):
        shown = super()._show(t)
        if t == 2:
            shown["action_mask"] = 0 * shown["action_mask"]
            shown["action_mask"].flags.writeable = False
        return shown


def test_a_broken_promise_is_seen(faulty, registered):
    with pytest.raises(AssertionError, match=faulty.says):
        check_env(registered)
