"""A small part of the corpus under every setting that needs no other version. 50 seconds."""

import pytest

from tools.portability import compare, dispatch
from tools.portability.dispatch import PLAIN, Setting, binds, settings
from tools.portability.setting_runs import play

pytestmark = pytest.mark.processes

# Draws through factorisations and elementary functions, decisions through posteriors.
PART = (
    "env/LinearBandit-v0/noise_student_t",
    "env/EllipsoidBandit-v0/long",
    "env/LpBallBandit-v0/p_1_3",
    "env/KernelBandit-v0/matern_1.5",
    "env/KernelBandit-v0/hartmann6",
    "play/armed",
    "play/sphere",
    "play/linear-few",
    "play/kernel-data",
)
# Compiled anew, and so few.
COMPILED = ("env/LpBallBandit-v0/p_1_3", "env/OnlineConvex-v0/decaying")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("portability")


@pytest.fixture(scope="module")
def plain(folder):
    played = play(PLAIN, [*PART, *COMPILED], folder)
    assert (played.error, played.errors) == (None, {})
    return played


@pytest.fixture(scope="module")
def here(plain):
    return settings(plain.machine)


def everything():
    """Every setting that any machine can force."""
    machine = {
        "features": ["avx", "avx2", "avx512f"],
        "numpy_dispatch": ["X86_V3", "X86_V4"],
        "libc": "glibc-2.36",
    }
    able, lacking = settings(machine)
    assert lacking == {}
    return [setting.name for setting in able]


# The least that each library can do: at once in the plain lane, alone in the nightly one.
LIBRARIES = ("openblas-sandybridge", "numpy-baseline", "glibc-no-fma")


def test_bits_are_equal_where_every_library_does_the_least_that_it_can(plain, here, folder):
    able, _ = here
    least = [setting for setting in able if setting.name in LIBRARIES]
    variables = {key: value for setting in least for key, value in setting.variables.items()}
    played = play(Setting("least", "", "none", variables), PART, folder)
    assert (played.error, played.errors) == (None, {})
    moved = [k for k, v in played.hashes.items() if v != plain.hashes[k]]
    assert moved == []
    for setting in least:
        assert bound(setting, plain, played)


def bound(setting, plain, played):
    """Whether a setting had its effect; OpenBLAS' has none where it takes that code anyway."""
    if binds(setting, plain.controls, played.controls):
        return True
    core = setting.variables.get("OPENBLAS_CORETYPE")
    return core is not None and core in plain.controls["openblas"]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.nightly] * (name != "numba-generic"))
        for name in everything()
    ],
)
def test_bits_are_equal_under_every_setting_that_binds(name, plain, here, folder):
    able, lacking = here
    if name in lacking:
        assert "no" in lacking[name]  # this CPU or library has nothing of the kind to turn off
        return
    (setting,) = [setting for setting in able if setting.name == name]
    played = play(setting, COMPILED if setting.compiles else PART, folder)
    assert (played.error, played.errors) == (None, {})
    assert bound(setting, plain, played)
    moved = [k for k, v in played.hashes.items() if v != plain.hashes[k]]
    assert moved == []


def test_a_machine_without_a_feature_says_so():
    machine = {"features": ["avx"], "numpy_dispatch": [], "libc": "-"}
    able, lacking = settings(machine)
    assert [s.name for s in able] == ["openblas-sandybridge", "numba-generic", "all-together"]
    assert lacking == {
        "openblas-haswell": "this CPU has no avx2",
        "openblas-skylakex": "this CPU has no avx512f",
        "numpy-no-avx512": "NumPy dispatches on nothing of the kind here",
        "numpy-baseline": "NumPy dispatches on nothing of the kind here",
        "glibc-no-fma": "the C library is not glibc",
    }
    assert able[-1].control == "numba+openblas"


def test_older_names_of_features_are_those_that_numpy_tells():
    dispatched = ["AVX2", "FMA3", "AVX512F", "AVX512_SKX"]
    machine = {"features": ["avx2"], "numpy_dispatch": dispatched, "libc": "glibc-2.36"}
    off = {s.name: s.variables.get("NPY_DISABLE_CPU_FEATURES") for s in settings(machine)[0]}
    assert off["numpy-no-avx512"] == "AVX512F AVX512_SKX"
    assert off["numpy-baseline"] == off["all-together"] == " ".join(dispatched)


def test_a_setting_binds_where_all_of_its_controls_differ():
    plain = dispatch.controls()
    setting = Setting("both", "", "numpy+libm")
    assert not binds(setting, plain, plain)
    assert not binds(setting, plain, plain | {"numpy": "other"})
    assert binds(setting, plain, plain | {"numpy": "other", "libm": "other"})


def test_another_name_of_the_code_does_not_bind():
    plain = {"openblas": "neoversev1 0123abcd", "numpy": "ASIMDHP/SVE 0123abcd"}
    plain |= {
        "numba": "neoverse-v1 0123abcd",
        "versions": "NumPy 2.4.6, SciPy 1.17.1, numba 0.68.1",
    }
    renamed = {
        "openblas": "armv8 0123abcd",
        "numpy": "baseline 0123abcd",
        "numba": "generic 0123abcd",
    }
    moved = {
        "openblas": "armv8 89ab4567",
        "numpy": "baseline 89ab4567",
        "numba": "generic 89ab4567",
    }
    for name in renamed:
        assert not binds(Setting(name, "", name), plain, plain | renamed)
        assert binds(Setting(name, "", name), plain, plain | moved)
    older = {"versions": "NumPy 2.0.2, SciPy 1.17.1, numba 0.68.1"}
    assert binds(Setting("older", "", "versions"), plain, plain | older)


@pytest.fixture
def arm(monkeypatch):
    """An Arm machine with Linux."""
    monkeypatch.setattr(dispatch.platform, "machine", lambda: "aarch64")
    monkeypatch.setattr(dispatch, "cpu_facts", lambda: {"Features": "fp asimd evtstrm sve"})


def test_features_have_the_names_of_the_system(arm, monkeypatch):
    assert dispatch.machine()["features"] == ["asimd", "evtstrm", "fp", "sve"]
    monkeypatch.setattr(dispatch, "cpu_facts", lambda: {"flags": "fpu sse2 avx"})
    assert dispatch.machine()["features"] == ["avx", "fpu", "sse2"]
    monkeypatch.setattr(dispatch, "cpu_facts", dict)
    assert dispatch.machine()["features"] == []


def test_an_arm_machine_lacks_the_settings_that_have_names_of_x86(arm):
    here = dispatch.machine() | {"numpy_dispatch": ["ASIMDHP", "SVE"], "libc": "glibc-2.36"}
    able, lacking = settings(here)
    assert [s.name for s in able] == ["numpy-baseline", "numba-generic", "all-together"]
    needs = "it needs an x86-64 CPU, and this is aarch64"
    assert lacking == {
        **dict.fromkeys(("openblas-sandybridge", "openblas-haswell", "openblas-skylakex"), needs),
        "numpy-no-avx512": "NumPy dispatches on nothing of the kind here",
        "glibc-no-fma": needs,
    }
    assert [setting.what for setting in able[:2]] == [
        "NumPy without ASIMDHP, SVE",
        "kernels for any aarch64 CPU",
    ]
    assert able[-1].control == "numba+numpy"
    assert able[-1].variables.keys() == {
        *("NPY_DISABLE_CPU_FEATURES", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")
    }


def test_a_process_finds_what_the_callers_path_has(folder, tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text(
        "import pathlib\npathlib.Path(__file__).with_name('found').touch()\n"
    )
    monkeypatch.chdir(tmp_path.parent)
    monkeypatch.setenv("PYTHONPATH", tmp_path.name)  # relative; the process has another folder
    played = play(PLAIN, [], folder)
    assert (played.error, (tmp_path / "found").is_file()) == (None, True)


def test_variables_around_us_do_not_reach_a_process(plain, folder, monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Nehalem")
    monkeypatch.setenv("NPY_DISABLE_CPU_FEATURES", "nonsense")
    assert play(PLAIN, [], folder).controls == plain.controls


def test_a_process_that_fails_or_takes_too_long_is_a_row_that_says_why(folder):
    late = play(PLAIN, PART, folder, limit=0.01)
    assert late.error == "ended after 0 s"
    failed = play(Setting("bad", "", "none", {"PYTHONHOME": "/nowhere"}), PART, folder)
    assert failed.error is not None
    assert failed.machine == {}
    unknown = play(PLAIN, ["env/none"], folder)
    assert unknown.error is not None
    assert "no group of the corpus is called 'env/none'" in unknown.error
    row = compare.record(failed, unknown)
    assert (row["error"], row["binds"], row["compared"]) == (failed.error, False, 0)
