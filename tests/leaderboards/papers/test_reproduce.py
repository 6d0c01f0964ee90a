"""A tiny paper from start to end: calls, findings, table, plain data; failures."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from leaderboards.papers.claim import Sample
from leaderboards.papers.pieces import Pieces
from leaderboards.papers.reproduce import joined, reproduce
from leaderboards.papers.verdicts import Verdict
from leaderboards.processes.workers import Here


@pytest.fixture(scope="module")
def done(tiny):
    tiny.CALLS.clear()
    return reproduce(tiny.PAPER, executor=Here)


def test_every_seed_runs_once_for_all_claims_of_an_experiment(done, tiny):
    assert tiny.CALLS == [([0, 1, 2], 150), ([3, 4, 5], 150), ([6], 150)]
    assert done.samples["race"].measures["UCB1"].shape[0] == 7
    assert [finding.seeds for finding in done.findings] == [7, 7, 0]


def test_findings_in_the_papers_order(done):
    assert [finding.verdict for finding in done.findings] == [
        Verdict.REPRODUCED,
        Verdict.OPEN,  # the paper's size is larger
        Verdict.CANNOT_RUN,
    ]


def test_samples_do_not_depend_on_the_calls(done, tiny):
    alone = tiny.PAPER.claims[0].experiment.simulate([4], horizon=150)
    np.testing.assert_array_equal(
        done.samples["race"].measures["UCB1"][4], alone.measures["UCB1"][0]
    )


def test_a_run_says_how_it_was_made(done, tiny):
    (run,) = done.runs.values()
    assert (run.size, run.settings) == ("0.75 of the paper's size", {"horizon": 150})
    assert run.seconds > 0
    assert len(run.provenances) == 1  # three calls, one provenance
    assert done.command() == "banditgym reproduce tiny2030"
    assert done.command([tiny.PAPER.claims[0]]) == "banditgym reproduce tiny2030 --claim half"


def test_finished_pieces_are_not_played_again(tiny, tmp_path):
    store, first = Pieces(tmp_path), []

    class Fails(Here):
        def submit(self, fn, /, *args, **kwargs):
            first.append(args)
            if len(first) == 3:
                raise KeyboardInterrupt
            return super().submit(fn, *args, **kwargs)

    whole = reproduce(tiny.PAPER, executor=Here)
    tiny.CALLS.clear()
    with pytest.raises(KeyboardInterrupt):
        reproduce(tiny.PAPER, store=store, executor=Fails)
    # The third was not played; of those that were, none had been kept before all were submitted.
    assert tiny.CALLS == [([0, 1, 2], 150), ([3, 4, 5], 150)]
    reproduce(tiny.PAPER, store=store, executor=Here)
    tiny.CALLS.clear()
    again = reproduce(tiny.PAPER, ["half"], store=store, executor=Here)
    assert tiny.CALLS == []
    assert again.findings[0].numbers == whole.findings[0].numbers
    assert again.runs["race"].seconds > 0
    reproduce(tiny.PAPER, full=True, store=store, executor=Here)  # another size
    assert [len(seeds) for seeds, _ in tiny.CALLS] == [3, 3, 3]
    tiny.CALLS.clear()
    next(tmp_path.iterdir()).write_bytes(b"damaged")
    reproduce(tiny.PAPER, store=store, executor=Here)
    reproduce(tiny.PAPER, full=True, store=store, executor=Here)
    assert len(tiny.CALLS) == 1
    tiny.CALLS.clear()
    reproduce(tiny.PAPER, given={"horizon": 150}, store=store, executor=Here)
    assert len(tiny.CALLS) == 3  # what is given may be a file that has changed


def test_claims_by_id_and_the_full_form(tiny):
    tiny.CALLS.clear()
    seen = []
    done = reproduce(
        tiny.PAPER,
        ["tenth"],
        full=True,
        executor=Here,
        progress=lambda fraction, compiling, now="": seen.append((fraction, now)),
    )
    assert tiny.CALLS == [([0, 1, 2], 200), ([3, 4, 5], 200), ([6, 7, 8], 200)]
    assert [finding.claim.id for finding in done.findings] == ["tenth"]
    assert (seen[0], seen[-1]) == ((0, ""), (1, "3 of 3 done"))
    tiny.CALLS.clear()
    reproduce(tiny.PAPER, ["theory"], executor=Here)
    assert tiny.CALLS == []


def test_unknown_claims_are_told_before_anything_runs(tiny):
    tiny.CALLS.clear()
    with pytest.raises(ValueError, match="tiny2030 has no claim 'halve'; did you mean half?"):
        reproduce(tiny.PAPER, ["half", "halve"], executor=Here)
    assert tiny.CALLS == []


def test_an_experiment_that_fails_is_one_line(tiny):
    with pytest.raises(ValueError, match=r"^lost failed: ArithmeticError: no idea"):
        reproduce(tiny.one_claim(tiny.fails), executor=Here)


def test_an_interrupt_ends_the_run_and_its_executor(tiny):
    ended = []

    class Told(Here):
        def shutdown(self, wait=True, *, cancel_futures=False):
            ended.append(cancel_futures)

    with pytest.raises(KeyboardInterrupt):
        reproduce(tiny.one_claim(tiny.interrupted), executor=Told)
    assert ended == [True]


def test_samples_join():
    parts = [Sample(np.array([1, 2]), {"a": np.full((n, 2), n)}) for n in (1, 3)]
    both = joined(parts)
    np.testing.assert_array_equal(both.measures["a"], [[1, 1], [3, 3], [3, 3], [3, 3]])
    np.testing.assert_array_equal(both.rounds, [1, 2])


SLOW = """
import signal, time
from leaderboards.papers import claim, reproduce

signal.signal(signal.SIGINT, signal.default_int_handler)  # where pytest's own is ignored

def simulate(seeds):
    time.sleep(3600)

size = claim.Size(seeds=4, seeds_per_call=1)
experiment = claim.Experiment(name="slow", simulate=simulate, quick=size, full=size)
texts = dict.fromkeys(["id", "statement", "source", "paper", "setting", "measure", "rule"], "-")
origin = claim.Origin.OURS
one = claim.Claim(origin=origin, experiment=experiment, numbers=dict, judge=dict, **texts)
paper = claim.Paper(name="p", title="", authors="", published="", link="", claims=(one,))
reproduce.reproduce(paper, progress=lambda *given: print("running", flush=True))
"""


def test_ctrl_c_ends_workers_too():
    command = [sys.executable, "-c", SLOW]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, **pipes, text=True, start_new_session=True) as run:
        assert run.stdout is not None
        for _ in range(10):  # two seconds: on an idle machine the workers are there
            assert run.stdout.readline() == "running\n"
        os.killpg(run.pid, signal.SIGINT)
        assert run.wait(timeout=300) != 0
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        try:
            os.killpg(run.pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.1)
    os.killpg(run.pid, signal.SIGKILL)
    pytest.fail("a worker outlived the run")


def test_settings_that_are_given_take_the_place_of_an_experiment_s_own(tiny):
    done = reproduce(tiny.PAPER, ["tenth"], given={"horizon": 30}, executor=Here)
    assert [sample.rounds[-1] for sample in done.samples.values()] == [30]
    assert done.command() == "banditgym reproduce tiny2030 --claim tenth --set horizon=30"
    with pytest.raises(
        ValueError, match="no experiment of tiny2030 to run has a setting 'horizn'; did"
    ):
        reproduce(tiny.PAPER, given={"horizn": 30}, executor=Here)
