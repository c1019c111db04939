"""The key of the compiler, which frameworks put into the keys of their own caches: another build has another one."""

import os
import shutil
import struct

import pytest
from tilerun import triton
from tilerun.triton.compiler.compiler import triton_key
from tilerun.triton.runtime import cache

BUILD = os.environ["TILERUN_BUILD"]
ASK = "from tilerun.triton.runtime.cache import triton_key; print(triton_key())"


def change_build_id(path):
    with open(path, "r+b") as file:
        data = file.read()
        notes = [data.find(struct.pack("<III", 4, size, 3) + b"GNU\0") for size in (20, 16, 8)]
        at = max(notes)
        assert at >= 0, f"{path} has no build id"
        file.seek(at + 16)
        file.write(bytes([data[at + 16] ^ 1]))


@pytest.fixture
def ask_copy(tmp_path, run_python):
    """Queries a copy of the library and its plugins in which some files have another build id."""

    def ask(name, *changed):
        lib = tmp_path / name
        plugins = lib / "tilerun" / "plugins"
        plugins.mkdir(parents=True)
        shutil.copy(os.path.join(BUILD, "lib", "libtilerun.so"), lib / "libtilerun.so.0.1")
        for plugin in ("cpu", "cuda"):
            shutil.copy(os.path.join(BUILD, "lib", "tilerun", "plugins", f"libtilerun-{plugin}.so"), plugins)
        for file in changed:
            change_build_id(lib / file)
        known = run_python("-c", "from tilerun import _native; print(*(p[0] for p in _native.list_plugins()))",
                           LD_LIBRARY_PATH=str(lib)).stdout.split()
        assert len(known) == 2 and all(path.startswith(str(tmp_path)) for path in known), known
        return run_python("-c", ASK, LD_LIBRARY_PATH=str(lib)).stdout.strip()

    return ask


def test_is_the_same_everywhere(run_python):
    key = triton_key()
    assert key == cache.triton_key() == run_python("-c", ASK).stdout.strip()
    digits = key.rpartition("-")[2]
    assert len(digits) == 64 and int(digits, 16)


def test_another_build_has_another_key(ask_copy):
    same = ask_copy("same")
    assert ask_copy("again") == same
    keys = [same, ask_copy("library", "libtilerun.so.0.1"), ask_copy("plugin", "tilerun/plugins/libtilerun-cuda.so"),
            ask_copy("other", "tilerun/plugins/libtilerun-cpu.so")]
    assert len(set(keys)) == 4


def test_what_frameworks_hash_has_it(monkeypatch):
    """`make_backend(target).hash()` and a compiled kernel's `hash`."""

    @triton.jit
    def kernel(x):
        pass

    target = triton.compiler.GPUTarget("cpu", "interpreter", 1)
    compiled = triton.compile(triton.compiler.ASTSource(kernel, {"x": "*fp32"}), target)
    before = (triton.compiler.make_backend(target).hash(), compiled.hash)
    assert before == (triton.compiler.make_backend(target).hash(), compiled.hash)
    monkeypatch.setattr(cache, "triton_key", lambda: "another")
    after = (triton.compiler.make_backend(target).hash(), compiled.hash)
    assert before[0] != after[0] and before[1] != after[1]
