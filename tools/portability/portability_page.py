"""The results of a run of the corpus: a line for each setting, the stored data, and the page.

They are made only from the records of `tools.portability.compare.record`.
"""

import json
from datetime import UTC, datetime
from typing import Any


def line(row: dict[str, Any]) -> str:
    """One line on a setting's result."""
    if row["error"]:
        return f"{row['setting']}: {row['error']}"
    against = "frozen hashes" if row["binds"] is None else "plain run"
    found = len(row["differ"])
    told = f"{row['compared'] - found - len(row['exempt'])} of {row['compared']} as the {against}"
    if row["binds"] is False:
        told += ", but the setting changes nothing here"
    names = row["differ"] + [f"{group} ({error})" for group, error in row["errors"].items()]
    if row["exempt"]:
        told += f", {len(row['exempt'])} exceptions"
    if names:
        told += "; " + ", ".join(names[:5]) + (f" and {len(names) - 5} more" if names[5:] else "")
    return f"{row['setting']}: {told} ({row['seconds']:.0f} s)"


def files(kept: dict[str, Any]) -> dict[str, str]:
    """The contents of the files that store a run, by file name."""
    data = json.dumps(kept, indent=1) + "\n"
    return {"portability.json": data, "portability.md": page(kept)}


def report(records: list[dict[str, Any]]) -> dict[str, Any]:
    """The stored data of a run: its records and its date."""
    return {"date": datetime.now(UTC).date().isoformat(), "settings": records}


def agrees(records: list[dict[str, Any]]) -> bool:
    """Whether every setting was played to the end and differs only in exempt entries."""
    return not any(
        r["differ"] or r["errors"] or (r["error"] and not r["error"].startswith("not tried"))
        for r in records
    )


_PAGE = """# Equal bits on every CPU

{entries} entries are compared: two episodes of every environment's first rounds, with settings that
reach every kind of draw, and a trace and the final state of every agent in every family that it
plays. A setting makes libraries choose code for another CPU. It *binds* if it changes results of
these libraries whose order of operations is not fixed; only then is equality here evidence. The
plain run is compared with the frozen hashes, every other run with the plain run.

```
python -m tools.portability               # plays all of this again
python -m tools.portability --versions    # and against other versions of NumPy and numba
```

{where} Agents of other libraries, including PyTorch's, are not part of
this comparison.

{arm}{table}
{differences}"""


_WHERE = """Played on {date}, on {cpu}, {libc}, Python {python}, NumPy {numpy}, SciPy {scipy}, numba
{numba}."""

# What one trial found; a run cannot tell it.
_ARM = """On aarch64 the bits are equal under emulation; an Arm chip and macOS have not been tried
yet. QEMU's user mode, with Debian for arm64, played all 808 entries as they are on x86-64: with
generic code, and with that of a Neoverse V1, which has SVE. With the code of an Apple M1 the 46
entries that were played are equal too. A contraction that was planted changed 3 of 4 hashes. Of the
32,000 multiplications and additions in the machine code none is fused.

"""


def page(kept: dict[str, Any]) -> str:
    """The result of a run as Markdown."""
    records = kept["settings"]
    plain = records[0]
    lines = ["| setting | what is forced | binds | equal | differ |", "|---|---|---|---|---|"]
    for r in records:
        bound = {None: "", True: "yes", False: "no: it is so already"}[r["binds"]]
        if r["error"]:
            bound = "–"
        found = len(r["differ"]) + len(r["exempt"])
        equal = f"{r['compared'] - found} of {r['compared']}"
        if r["error"] and r["error"].startswith("not tried"):
            equal = "not tried"
        named = f"{len(r['differ'])}" + (f", {len(r['exempt'])} named below" if r["exempt"] else "")
        lines.append(f"| `{r['setting']}` | {r['what']} | {bound} | {equal} | {named} |")
    notes = []
    for r in records:
        told = [f"- {r['error']}"] if r["error"] else []
        told += [f"- `{group}`: {error}" for group, error in r["errors"].items()]
        told += [f"- `{name}`" for name in r["differ"]]
        told += [f"- `{name}`: {reason}" for name, reason in r["exempt"].items()]
        if told:
            notes.append(f"## {r['setting']}\n\n" + "\n".join(told) + "\n")
    machine = plain["machine"]
    where = f"On {kept['date']} the plain run did not begin."
    if machine:
        where = _WHERE.format(date=kept["date"], **machine)
    return _PAGE.format(
        entries=plain["played"],
        where=where,
        arm="" if machine.get("machine") in ("aarch64", "arm64") else _ARM,
        table="\n".join(lines),
        differences=("\n" + "\n".join(notes)) if notes else "",
    )
