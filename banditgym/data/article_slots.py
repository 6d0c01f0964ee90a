"""The assignment of a changing set of arms to slots."""

import numpy as np

from banditgym.compiled import compiled


@compiled
def place(ids, held, slots):
    """Write into slots (m, c) the slot of each article of ids (m, c), -1 where there is none.

    An article keeps its slot until another article needs it, so an article that becomes available
    again may have the same slot. A new article takes the first slot whose article is not available.
    ``held`` (K,), the last article of each slot or -1, is updated. Returns the first event with
    more than K articles, or -1.
    """
    m, c = ids.shape
    n_slots = held.size
    there = np.empty(n_slots, np.bool_)
    for s in range(m):
        if s > 0:
            same = True
            for k in range(c):
                same &= ids[s, k] == ids[s - 1, k]
            if same:
                for k in range(c):
                    slots[s, k] = slots[s - 1, k]
                continue
        there[:] = False
        strangers = 0
        for k in range(c):
            slots[s, k] = -1
            if ids[s, k] < 0:
                continue
            for slot in range(n_slots):
                if held[slot] == ids[s, k]:
                    slots[s, k] = slot
                    there[slot] = True
            strangers += slots[s, k] < 0
        slot = 0
        for k in range(c):
            if strangers == 0:
                break
            if ids[s, k] < 0 or slots[s, k] >= 0:
                continue
            while slot < n_slots and there[slot]:
                slot += 1
            if slot == n_slots:
                return s
            slots[s, k], held[slot], there[slot] = slot, ids[s, k], True
            strangers -= 1
    return -1
