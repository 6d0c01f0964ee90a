"""The published board of estimators, computed again from its rows."""

import csv
import gzip
import math
import re
from collections import defaultdict

import pandas
import pytest

from tools import ope_board
from tools.ope_scenarios import SCENARIOS


def by_hand(path):
    """Error, bias, coverage, width and share of conclusive logs, by loops over the rows' text."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    truths, groups = defaultdict(dict), defaultdict(list)
    for row in rows:
        truths[row["scenario"], row["size"]][row["seed"]] = float(row["truth"])
        groups[row["scenario"], row["size"], row["estimator"]].append(row)
    found = {}
    for (scenario, size, estimator), own in groups.items():
        value = math.fsum(truths[scenario, size].values()) / len(truths[scenario, size])
        gaps = [float(row["value"] or "nan") - value for row in own]
        inside = [float(row["low"] or "nan") <= value <= float(row["high"] or "nan") for row in own]
        found[scenario, int(size), estimator] = (
            math.sqrt(sum(gap**2 for gap in gaps) / len(gaps)),
            sum(gaps) / len(gaps),
            sum(inside) / len(inside),
            sum(float(row["high"]) - float(row["low"]) for row in own) / len(own),
            sum(row["conclusive"] == "True" for row in own) / len(own),
        )
    return found


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A board of three logs of each scenario."""
    folder = tmp_path_factory.mktemp("board")
    ope_board.main(["--logs", "3", "--out", str(folder)])
    return folder


def test_a_small_board_is_made_from_its_rows_and_again_the_same(small):
    first = (small / "README.md").read_text(encoding="utf-8")
    (small / "README.md").unlink()
    ope_board.main(["--out", str(small)])
    assert (small / "README.md").read_text(encoding="utf-8") == first
    assert all(f"## {one.name}\n" in first for one in SCENARIOS)
    check(first, by_hand(small / ope_board.ROWS))


def check(page, expected):
    """Every line of the page's tables has the numbers of the rows."""
    seen = 0
    for part in re.split(r"^## ", page, flags=re.M)[2:]:
        scenario = part.split("\n")[0]
        for line in part.split("\n"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if len(cells) != 11 or cells[0] in ("estimator", "---"):
                continue
            for size, own in zip(ope_board.SIZES, (cells[1:6], cells[6:]), strict=True):
                error, bias, coverage, width, sure = expected[scenario, size, cells[0]]
                shares = [f"{coverage:.3f}", f"{width:.2f}", f"{100 * sure:.0f} %"]
                assert [own[2].split(" ")[0], *own[3:]] == shares, line
                assert float(own[0]) == pytest.approx(error, abs=6e-4)
                assert float(own[1]) == pytest.approx(bias, abs=6e-4)
                seen += 1
    assert seen == len(expected)


def test_the_published_page_is_that_of_its_rows():
    page = (ope_board.FOLDER / "README.md").read_text(encoding="utf-8")
    check(page, by_hand(ope_board.FOLDER / ope_board.ROWS))
    assert page == ope_board.page(pandas.read_csv(ope_board.FOLDER / ope_board.ROWS))


def made_up(errors, width=1.0):
    """Rows of the scenario "uniform" whose truth is 0: errors of estimators, by their names."""
    return pandas.DataFrame([
        {"scenario": "uniform", "size": size, "seed": seed, "truth": 0.0, "estimator": name,
         "value": gap, "low": gap - width, "high": gap + width, "conclusive": True}
        for name, gaps in errors.items()
        for size in (500, 2000)
        for seed, gap in enumerate(gaps)
    ])  # fmt: skip


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ({"ips": [0.1, -0.2] * 20, "dr": [0.3, -0.4] * 20}, "**ips**"),
        ({"ips": [0.1, -0.4] * 20, "dr": [0.4, -0.1] * 20}, "undecided: dr, ips"),
        ({"ips": [0.9, -2.0] * 20, "dr": [0.9, -0.9] * 20}, "**dr**"),
        ({"ips": [2.0, -2.0] * 20}, "none: no interval covers"),
        ({"direct": [0.0] * 40, "dr": [0.9, -0.9] * 20}, "**dr**"),
    ],
)
def test_the_rule_of_recommendations(errors, expected):
    found = ope_board.recommended(made_up(errors), "uniform")
    assert found == expected or set(found.split(": ")[-1].split(", ")) == set(
        expected.split(": ")[-1].split(", ")
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["--logs", "1"], "--logs is 1: give 2 or more"), ([], "no such file")],
)
def test_wrong_arguments(arguments, message, tmp_path, capsys):
    with pytest.raises(SystemExit):
        ope_board.main([*arguments, "--out", str(tmp_path)])
    assert message in capsys.readouterr().err
