"""The generators of one replicate; tests of agents compare its draws with those of ``learn``."""

import random

import numpy as np
import pytest

from agents.parts.deep.generators import Generators

torch = pytest.importorskip("torch", reason="needs torch")


def test_torch_has_one_thread_inside_and_as_many_as_before_outside():
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    generators = Generators()
    try:
        with generators.seeding():
            assert torch.get_num_threads() == 1
        with generators.swapped_in(numpy=True):
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(threads)


def test_draws_go_on_where_the_last_block_ended():
    generators = Generators()
    with generators.seeding():
        torch.manual_seed(3)
    with generators.swapped_in(numpy=False):
        first = torch.rand(2)
    outside = torch.rand(2)
    with generators.swapped_in(numpy=False):
        second = torch.rand(2)
    state = torch.get_rng_state()
    torch.manual_seed(3)
    expected = torch.rand(4)
    torch.set_rng_state(state)
    assert torch.equal(torch.cat([first, second]), expected)
    assert not torch.equal(outside, second)


@pytest.fixture
def numpys():
    """numpy's own module of random numbers; its state and Python's are restored at the end."""
    own = np.random
    kept = own.get_state(legacy=False), random.getstate()
    yield own
    own.set_state(kept[0])
    random.setstate(kept[1])


def test_numpys_and_pythons_generators_are_left_as_they_were(numpys):
    generators, before = Generators(), (numpys.get_state(), random.getstate())
    with generators.seeding():
        numpys.seed(5)
        random.seed(6)
    parts = []
    for _ in range(2):
        with generators.swapped_in(numpy=True):
            parts.append(numpys.random_sample(2))
        assert generators.numpy["bit_generator"] == "MT19937"
    after = numpys.get_state(), random.getstate()
    np.testing.assert_array_equal(before[0][1], after[0][1])
    assert before[0][2] == after[0][2]
    assert before[1] == after[1]
    expected = np.random.RandomState(5).random_sample(4)
    np.testing.assert_array_equal(np.concatenate(parts), expected)
    with generators.swapped_in(numpy=False):
        numpys.random_sample(2)  # of the user's generator, not of this one
    with generators.swapped_in(numpy=True):
        drawn = numpys.random_sample(1)
    np.testing.assert_array_equal(drawn, np.random.RandomState(5).random_sample(5)[4:])
