"""The metadata of `pip install .`: it agrees with the tree and with the tested versions."""

import os
import re
import tomllib

import tilerun

from conftest import ROOT


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


PROJECT = tomllib.loads(read("pyproject.toml"))


def test_one_version():
    version = PROJECT["project"]["version"]
    assert tilerun.__version__ == version
    assert re.search(r"project\(Tilerun[^)]*VERSION ([0-9.]+)", read("CMakeLists.txt"))[1] == version


def test_one_binary_for_the_pythons_that_are_named():
    """The limited API's version, the tag, the least Python, the module's suffix."""
    settings, project = PROJECT["tool"]["scikit-build"], PROJECT["project"]
    assert settings["wheel"]["py-api"] == "cp311" and project["requires-python"] == ">=3.11"
    build = read("python/CMakeLists.txt")
    assert "Py_LIMITED_API=0x030B0000" in build and 'SUFFIX .abi3.so' in build
    named = {c.rpartition(" :: ")[2] for c in project["classifiers"] if re.search(r":: 3\.\d+$", c)}
    assert named == {"3.11", "3.12", "3.13"}


def test_files_that_are_named():
    settings, project = PROJECT["tool"]["scikit-build"], PROJECT["project"]
    for name in [project["readme"], *project["license-files"], *settings["wheel"]["packages"],
                 os.path.join(settings["cmake"]["source-dir"], "CMakeLists.txt")]:
        assert os.path.exists(os.path.join(ROOT, name)), name
    assert "Apache License" in read("LICENSE") and project["license"] == "Apache-2.0"
    assert os.path.realpath(os.path.join(ROOT, settings["wheel"]["packages"][0], "__init__.py")) == os.path.realpath(
        tilerun.__file__)


def test_the_wheel_brings_the_command(run_python):
    """Its entry runs the program that is found, with its arguments and its exit code."""
    assert PROJECT["project"]["scripts"] == {"tilerun": "tilerun._command:main"}
    assert "/bin/tilerun" in read("python/wheel/CMakeLists.txt")
    entry = "import sys; sys.argv = ['tilerun'] + sys.argv[1:]; from tilerun._command import main; main()"
    assert run_python("-c", entry, "version").stdout.startswith("tilerun ")
    assert "did you mean" in run_python("-c", entry, "rum", fails=True).stderr


def test_nothing_is_needed_to_import():
    """Numpy and torch are used if they are installed."""
    assert "dependencies" not in PROJECT["project"]


def test_versions_that_the_compiler_knows():
    """What conditions of a kernel's file are compared with."""
    from tilerun import triton
    assert f'kTritonVersion{{"{triton.__version__}"}}' in read("frontend/module/Module.h")
    source = read("frontend/module/Conditions.cpp")
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=").replace(".", ", ")
    assert f"kOldestPython[] = {{{oldest}}}" in source
