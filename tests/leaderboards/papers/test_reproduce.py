"""A tiny paper from start to end: calls for some seeds, findings, table, plain data; failures."""

import io
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from rich.console import Console

from leaderboards.papers import paper_page
from leaderboards.papers.claim import Sample, Verdict
from leaderboards.papers.reproduce import between, joined, reproduce
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
        Verdict.NOT_REPRODUCED,
        Verdict.CANNOT_RUN,
    ]


def test_samples_do_not_depend_on_calls(done, tiny):
    alone = tiny.PAPER.claims[0].experiment.simulate([4], horizon=150)
    np.testing.assert_array_equal(
        done.samples["race"].measures["UCB1"][4], alone.measures["UCB1"][0]
    )


def test_table_and_plain_data(done):
    console = Console(width=120, file=io.StringIO())
    with console.capture() as capture:
        console.print(done.table())
    text = capture.get()
    for word in (
        "tiny2030",
        "half",
        "0.5 | 1/2",
        "UCB1 / uniform",
        "no simulation",
        "not reproduced",
        "quick",
    ):
        assert word in text
    assert between(done.findings[0].numbers["UCB1 / uniform"]) in text
    records = json.loads(json.dumps(done.records(), allow_nan=False))
    assert [r["verdict"] for r in records] == ["reproduced", "not reproduced", "cannot be run here"]
    first = records[0]["numbers"]["UCB1 / uniform"]
    assert first["low"] < first["value"] < first["high"]
    assert records[2]["obstacle"] == "no simulation"


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

size = claim.Size(seeds=4)
experiment = claim.Experiment(
    name="slow", simulate=simulate, quick=size, full=size, seeds_per_call=1
)
texts = dict.fromkeys(["id", "statement", "source", "paper", "setting", "measure", "rule"], "-")
one = claim.Claim(experiment=experiment, numbers=dict, judge=dict, **texts)
paper = claim.Paper(name="p", title="", reference="", claims=(one,))
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
    command = "`banditgym reproduce tiny2030 --claim tenth --set horizon=30`"
    assert command in paper_page.markdown(done)
    with pytest.raises(
        ValueError, match="no experiment of tiny2030 to run has a setting 'horizn'; did"
    ):
        reproduce(tiny.PAPER, given={"horizn": 30}, executor=Here)
