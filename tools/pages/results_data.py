"""The published results as data that other programs read: their JSON Schema, and what is where.

``row.schema.json`` is a JSON Schema of a line of results, and ``croissant.json`` describes the
files of lines in the Croissant format of MLCommons. Both follow from the files of results and
from ``leaderboards.run.store.row_schema`` alone. ``python -m tools.pages.results_data FILE`` writes
all published lines as one Parquet file, for a release.
"""

import argparse
import gzip
import hashlib
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from leaderboards.run.store.row_schema import SCHEMA, Row, checks
from leaderboards.run.store.store import Store

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "leaderboards" / "results"
# What a Croissant description has as columns; the others are nested, and only in the lines.
COLUMNS = {
    "suite": "sc:Text",
    "task": "sc:Text",
    "agent": "sc:Text",
    "spec": "sc:Text",
    "seed": "sc:Integer",
    "refused": "sc:Boolean",
    "error": "sc:Text",
    "bytes": "sc:Integer",
}
_FORMAT = "http://mlcommons.org/croissant/1.0"
# The context that the format's specification gives.
_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    **{
        name: f"cr:{name}"
        for name in (
            *("column", "equivalentProperty", "extract", "field", "fileObject", "fileProperty"),
            *("fileSet", "format", "samplingRate"),
            *("includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path"),
            *("recordSet", "references", "regex", "repeated", "replace", "separator", "source"),
            *("subField", "transform", "citeAs"),
        )
    },
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
}


def described() -> dict[str, str]:
    """What each field of a row is, from the docstring of ``Row``."""
    parameters = (Row.__doc__ or "").split("----------\n")[1]
    parts = re.split(r"^    (\w+) : .*\n", parameters, flags=re.MULTILINE)[1:]
    return {
        name: " ".join(text.replace("``", "").split())
        for name, text in zip(parts[::2], parts[1::2], strict=True)
    }


def row_schema() -> dict[str, Any]:
    """A JSON Schema of a line of the present schema."""
    made, texts = checks(Row).model_json_schema(), described()
    properties: dict[str, Any] = {
        "schema": {"const": SCHEMA, "description": "The version of this schema."}
    }
    for name, kind in made["properties"].items():
        properties[name] = {
            "description": texts[name],
            **{key: value for key, value in kind.items() if key != "title"},
        }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A result of banditgym: one agent on one seed of one task",
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        # What succeeded has numbers.
        "if": {"properties": {"error": {"type": "null"}}},
        "then": {"properties": {"rounds": {"type": "array"}, "measures": {"type": "object"}}},
    }


def files(results: Path) -> list[Path]:
    """The published files with lines, those with tuned settings among them."""
    return [path for path in sorted(results.rglob("*.jsonl.gz")) if gzip.open(path).read(1)]


def croissant(results: Path) -> dict[str, Any]:
    """The Croissant description of the published results."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    address = project["tool"]["banditgym"]["addresses"]["repository"]
    texts = described()
    distribution, records = [], []
    for path in files(results):
        place = path.relative_to(results).as_posix()
        name = place.removesuffix(".jsonl.gz").replace("/", "-")
        distribution.append(
            {
                "@type": "cr:FileObject",
                "@id": name,
                "name": name,
                "contentUrl": place,
                "encodingFormat": "application/jsonlines",
                "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            }
        )
        records.append(
            {
                "@type": "cr:RecordSet",
                "@id": f"episodes-{name}",
                "name": f"episodes-{name}",
                "description": "One agent on one seed of one task; row.schema.json has all fields.",
                "field": [
                    {
                        "@type": "cr:Field",
                        "@id": f"episodes-{name}/{field}",
                        "name": f"episodes-{name}/{field}",
                        "description": texts[field],
                        "dataType": kind,
                        "source": {"fileObject": {"@id": name}, "extract": {"column": field}},
                    }
                    for field, kind in COLUMNS.items()
                ],
            }
        )
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": _FORMAT,
        "name": "banditgym-results",
        "description": "Every episode behind the leaderboards of banditgym: cumulative reward and "
        "regret of each agent on each seed of each task, with its settings.",
        "license": "https://spdx.org/licenses/MIT.html",
        "citeAs": "The banditgym developers. banditgym: bandit environments, agents, and a "
        "leaderboard that can be trusted.",
        "url": address or "https://pypi.org/project/banditgym/",
        "version": project["project"]["version"],
        "distribution": distribution,
        "recordSet": records,
    }


def texts(results: Path) -> dict[str, str]:
    """The two files, by their names below ``results``."""
    made = {"row.schema.json": row_schema(), "croissant.json": croissant(results)}
    return {name: json.dumps(value, indent=1) + "\n" for name, value in made.items()}


def _lines(results: Path) -> Iterator[tuple[str, Row]]:
    """Each published row, and whether its settings are the ``default`` or ``tuned`` ones."""
    for folder in sorted({path.parent for path in files(results)}):
        for row in Store(folder).rows():
            yield "tuned" if folder.name == "tuned" else "default", row


def write_parquet(results: Path, path: Path) -> int:
    """Write all published rows to a Parquet file, and return their number.

    There is one line for each episode. Curves are lists, in step with ``rounds``; ``settings`` is
    ``default`` or ``tuned``; hyperparameters and versions are JSON.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    curves = pa.map_(pa.string(), pa.list_(pa.float64()))
    kinds = {"measures": curves, "rounds": pa.list_(pa.int64()), "seconds": pa.list_(pa.float64())}
    names = ("suite", "task", "agent", "spec", "hyperparameters", "seed", "rounds", "measures")
    names += ("seconds", "bytes", "refused", "error", "full_information", "versions")
    of = {"seed": pa.int64(), "bytes": pa.int64(), "refused": pa.bool_(),
          "full_information": pa.bool_()} | kinds  # fmt: skip
    fields = [(name, of.get(name, pa.string())) for name in names]
    schema = pa.schema([("settings", pa.string()), *fields])
    number, batch = 0, 2000
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        waiting: list[dict[str, Any]] = []

        def flush() -> None:
            writer.write_table(pa.Table.from_pylist(waiting, schema=schema))
            waiting.clear()

        for settings, row in _lines(results):
            record = {name: getattr(row, name) for name in names}
            for name in ("hyperparameters", "versions"):
                record[name] = json.dumps(record[name], sort_keys=True)
            record["measures"] = list((row.measures or {}).items())
            waiting.append({"settings": settings, **record})
            number += 1
            if len(waiting) == batch:
                flush()
        flush()
    return number


def main() -> None:
    """Write the Parquet file."""
    parser = argparse.ArgumentParser(prog="python -m tools.pages.results_data")
    parser.add_argument("file", type=Path, help="the Parquet file to be written")
    path = parser.parse_args().file
    print(f"{write_parquet(RESULTS, path):,} episodes in {path}")


if __name__ == "__main__":
    main()
