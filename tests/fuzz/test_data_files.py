"""Damaged data files: rows are read, or a line says what is wrong and where. 4 seconds."""

import bz2
import gzip
import io
import tempfile
from pathlib import Path

import numpy as np
import pytest
from fuzzing import damaged, examples, readable
from hypothesis import given

from banditgym.entry_points import make_batch


def _npy() -> bytes:
    file = io.BytesIO()
    np.save(file, np.linspace(-1, 1, 18).reshape(6, 3))
    return file.getvalue()


TABLE = b"a,b,c\n1,2,3\n4,5,6\n7,8,9.5\n"
LABELLED = b"1 1:0.5 3:2\n2 2:1\n1 1:1 2:1\n2 3:1\n"
FILES = {
    "rows.npy": ("LinearBandit-v0", "contexts", _npy()),
    "arms.npy": ("KernelBandit-v0", "arms", _npy()),
    "arms.csv": ("LinearBandit-v0", "arms", TABLE[6:]),
    "data.csv": ("KernelBandit-v0", "data", TABLE),
    "data.csv.gz": ("KernelBandit-v0", "data", gzip.compress(TABLE)),
    "data.svm": ("KernelBandit-v0", "data", b"1 0:1.5 2:3\n-2 1:2\n3 0:1 2:1e3\n"),
    "labels.svm": ("MulticlassBandit-v0", "data", LABELLED),
    "labels.svm.bz2": ("MulticlassBandit-v0", "data", bz2.compress(LABELLED)),
}
TOKENS = (
    b"1e400", b"nan", b"99999999999999999999", b":", b",", b"#", b"'", b"'''", b"(" * 50, b"-",
    b"2147483646", b"9" * 140_000,
)  # fmt: skip


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", FILES)
def test_damaged_files(name):
    env, setting, whole = FILES[name]

    @examples(60)
    @given(damaged(whole, TOKENS))
    def check(data):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_bytes(data)
            with readable():
                envs = make_batch(env, 2, {"horizon": 3, setting: str(path)})
                envs.reset(seed=0)
                envs.step(envs.action_space.sample())

    check()
