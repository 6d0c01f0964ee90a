"""The page in a browser, with and without scripts, if Chromium is installed."""

import dataclasses
import re
import shutil
import subprocess

import matplotlib.image
import numpy as np
import pytest

from leaderboards import report
from leaderboards.rank import board
from leaderboards.report.styles import style
from leaderboards.run.store.store import Row
from leaderboards.suites.baselines_file import Baselines
from leaderboards.suites.suite import Suite, SuiteTask

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ROUNDS = [1, 10, 100, 1000]

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A page of three agents, two of which coincide and one of which is somebody else's."""
    task = SuiteTask(
        name="a-task", env="LinearBandit-v0", settings={}, horizon=1000, family="linear"
    )
    suite = Suite(
        name="made-up", title="Made up", seeds=(0, 1), tasks=(task,), hash="5u17e", n_seeds=2,
        baselines={"a-task": Baselines({0: 500.0, 1: 500.0}, {})},
    )  # fmt: skip
    row = Row(
        suite=suite.hash, task="a-task", agent="LinUCB", spec="LinUCB", hyperparameters={}, seed=0,
        sources="c0ffee", data={}, error=None, rounds=ROUNDS,
        measures={"regret": [1.0, 5.0, 20.0, 50.0]}, seconds=[1e-7, 1e-7], bytes=80, facts=[],
        paper=None,
    )  # fmt: skip
    slow = {"regret": [1.0, 8.0, 60.0, 400.0]}
    rows = [
        dataclasses.replace(row, seed=seed, **other)
        for seed in suite.seeds
        for other in (
            {},
            {"agent": "OFUL", "spec": "OFUL"},
            {"agent": "Mine", "spec": "mine.py:Mine", "measures": slow},
        )
    ]
    path = tmp_path_factory.mktemp("page") / "index.html"
    path.write_text(report.page(board.build(suite, rows)), encoding="utf-8")
    return path


def chromium(tmp_path, *options):
    done = subprocess.run(
        [
            str(CHROMIUM), "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=10000",
            "--window-size=1200,2200", *map(str, options),
        ],
        capture_output=True, text=True, timeout=240, check=True,
    )  # fmt: skip
    return done.stdout


def drawn(path, colour):
    """How many pixels of a picture have a colour."""
    wanted = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)])
    pixels = np.round(255 * matplotlib.image.imread(path)[..., :3])
    return int((np.abs(pixels - wanted).max(axis=-1) < 24).sum())


def test_scripts_draw_the_curves(page, tmp_path):
    dom = chromium(tmp_path, "--dump-dom", page.as_uri())
    names = re.findall(r'class="legendtext"[^>]*>([^<]*)<', dom)
    assert set(names) == {"LinUCB", "OFUL", "Mine", "UniformRandom"}
    assert 'class="js-line"' in dom
    assert "Curves that coincide: LinUCB = OFUL." in dom


def test_a_picture_stands_where_scripts_do_not_run(page, tmp_path):
    frame, picture = tmp_path / "frame.html", tmp_path / "page.png"
    size = 'style="width: 1180px; height: 2180px; border: 0"'
    frame.write_text(f'<iframe sandbox src="{page.as_uri()}" {size}></iframe>')
    chromium(tmp_path, f"--screenshot={picture}", frame.as_uri())
    # Two small strokes of the colour stand in the tables.
    assert drawn(picture, style("LinUCB").colour) > 500


def after(script, page, tmp_path):
    """The page once it has run another script."""
    changed, text = tmp_path / "changed.html", page.read_text(encoding="utf-8")
    changed.write_text(text.replace("</body>", f"<script>{script}</script></body>"))
    return chromium(tmp_path, "--dump-dom", changed.as_uri())


def dashes(dom):
    """How the line of each curve is dashed, and then each one's name."""
    curves = dom[dom.index('<div class="curves') : dom.index('class="soft coinciding"')]
    lines = re.findall(r'class="js-line"[^>]*style="([^"]*)"', curves)
    return [re.findall("dasharray: ([^;]*)", line) for line in lines if "width: 0px" not in line]


def test_on_paper_agents_have_dashes_of_their_own_and_all_is_open(page, tmp_path):
    begins, ends = (f"dispatchEvent(new Event('{name}print'));" for name in ("before", "after"))
    printed = after(begins, page, tmp_path)
    found = [str(dash) for dash in dashes(printed)]
    assert len(set(found)) == 4
    assert found[4:] == found[:4]
    assert '<details class="task" open="">' in printed
    assert '<html lang="en" class="paper">' in printed
    shown = chromium(tmp_path, "--dump-dom", page.as_uri())
    assert dashes(printed) != dashes(shown) == dashes(after(begins + ends, page, tmp_path))


def sorted_by(page, tmp_path, clicks):
    """The agents of the first task's table, and its states of sorting, after clicks on a column."""
    dom = after(
        "document.querySelector('details.task').open = true;"
        f"for (let i = 0; i < {clicks}; i++)"
        " document.querySelectorAll('details.task th button')[2].click();",
        page,
        tmp_path,
    )
    table = re.search(r'<details class="task".*?</table>', dom, re.DOTALL)[0]
    labels = re.findall(r'<td class="name" data-value="([^"]*)"', table)
    return labels, re.findall(r'<th [^>]*aria-sort="(\w+)"', table)


def test_a_task_has_a_table_that_a_click_sorts(page, tmp_path):
    labels, states = sorted_by(page, tmp_path, 1)
    assert labels[-1] == "Mine"  # its regret is the largest
    assert states == ["ascending"]
    labels, states = sorted_by(page, tmp_path, 2)
    assert labels[0] == "Mine"
    assert states == ["descending"]


def test_the_page_fits_a_telephone(page, tmp_path):
    said = "`${document.documentElement.scrollWidth} ${innerWidth}`"
    script = f"<script>parent.postMessage({said}, '*');</script></body>"
    narrow, frame = tmp_path / "narrow.html", tmp_path / "frame.html"
    narrow.write_text(page.read_text(encoding="utf-8").replace("</body>", script))
    frame.write_text(
        "<script>onmessage = sent => { document.title = sent.data; };</script>"
        f'<iframe src="{narrow.as_uri()}" style="width: 390px; height: 800px"></iframe>'
    )
    dom = chromium(tmp_path, "--dump-dom", frame.as_uri())
    assert re.search(r"<title>(.*)</title>", dom)[1] == "390 390"
