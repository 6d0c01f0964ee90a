"""Published results are read by others' programs as their schema and description say."""

import gzip
import json
from dataclasses import asdict

import jsonschema
import pyarrow.parquet as parquet
import pytest

from leaderboards.run.store.row_schema import Row, as_line, read_line
from leaderboards.run.store.store import Store
from tests.leaderboards.run.store.test_row_schema import STORED
from tools.pages import results_data

VALIDATOR = jsonschema.Draft202012Validator(results_data.row_schema())
LINES = results_data.files(results_data.RESULTS)


@pytest.mark.parametrize("path", LINES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_published_lines_are_valid(path):
    """The first of each agent: the lines of an agent differ in numbers alone."""
    seen = set()
    with gzip.open(path) as lines:
        for line in lines:
            agent = line[: line.index(b'"hyperparameters"')], b'"error": null' in line
            if agent not in seen:
                seen.add(agent)
                VALIDATOR.validate(json.loads(line))
    assert len(seen) >= 2


@pytest.mark.parametrize("line", STORED, ids=range(len(STORED)))
def test_lines_of_older_schemas_are_valid_once_they_are_read(line):
    VALIDATOR.validate(json.loads(as_line(read_line(line))))


GOOD = json.loads(as_line(read_line(STORED[-3])))


def test_the_example_is_valid():
    VALIDATOR.validate(GOOD)
    assert GOOD["error"] is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("schema", 5),
        ("seed", -2),
        ("seed", 1.5),
        ("measures", None),
        ("rounds", None),
        ("rounds", []),
        ("measures", {"regret": ["1"]}),
        ("seconds", [1.0]),
        ("seconds", [1.0, -1.0]),
        ("isolation", "some"),
        ("faults", [[0, "crash"]]),
        ("seed_hex", "0"),
        ("bytes", -1),
        ("refused", 1),
        ("versions", {"numpy": 2}),
        ("another", 1),
    ],
)
def test_the_schema_refuses_what_reading_refuses(field, value):
    wrong = GOOD | {field: value}
    assert not VALIDATOR.is_valid(wrong)
    if field != "schema":
        with pytest.raises(ValueError, match="not|is|without"):
            read_line(json.dumps(wrong).encode())


def test_every_field_is_required_and_described():
    schema = results_data.row_schema()
    assert set(schema["required"]) == {"schema", *Row.__dataclass_fields__}
    assert all(len(part["description"]) > 10 for part in schema["properties"].values())


@pytest.mark.filterwarnings("default")  # of mlcroissant's libraries
def test_the_description_is_valid_and_reads_the_results():
    import mlcroissant

    described = mlcroissant.Dataset(jsonld=results_data.RESULTS / "croissant.json")
    assert described.metadata.issues.errors == set()
    name = "episodes-best-arm-v1-best-arm-v1"
    first = {k.split("/")[1]: v for k, v in next(iter(described.records(name))).items()}
    with gzip.open(results_data.RESULTS / "best-arm-v1" / "best-arm-v1.jsonl.gz") as lines:
        line = json.loads(next(iter(lines)))
    as_text = {key: v.decode() if isinstance(v, bytes) else v for key, v in first.items()}
    assert as_text == {name: line[name] for name in results_data.COLUMNS}


def test_parquet_has_every_row(tmp_path):
    rows = [read_line(line) for line in STORED]
    with Store(tmp_path / "results") as store:
        store.append(rows)
    (written,) = (tmp_path / "results").iterdir()
    packed = written.with_name("results.jsonl.gz")
    packed.write_bytes(gzip.compress(written.read_bytes()))
    written.unlink()
    kept = Store(packed.parent).rows()
    assert results_data.write_parquet(packed.parent, tmp_path / "r.parquet") == len(kept) > 2
    table = parquet.read_table(tmp_path / "r.parquet").to_pylist()
    for record, row in zip(table, kept, strict=True):
        assert record.pop("settings") == "default"
        record["hyperparameters"] = json.loads(record["hyperparameters"])
        record["versions"] = json.loads(record["versions"])
        record["measures"] = dict(record["measures"]) if row.measures else row.measures
        assert record == {name: asdict(row)[name] for name in record}
