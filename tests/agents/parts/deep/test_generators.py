"""The generators of one replicate; tests of agents compare its draws with those of ``learn``."""

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
