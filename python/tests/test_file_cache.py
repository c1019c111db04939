"""Files that frameworks keep by a key: `triton.runtime.cache`."""

import os

import pytest

import tilerun.triton as triton
from tilerun.triton.runtime import cache

KEY = "ab" * 32
FILES = {}  # Of the other machine.


@pytest.fixture(autouse=True)
def folders(monkeypatch, tmp_path):
    for name in ("CACHE", "DUMP", "OVERRIDE"):
        monkeypatch.setenv(f"TRITON_{name}_DIR", str(tmp_path / name.lower()))
    return tmp_path


class Remote(cache.RemoteCacheBackend):

    def __init__(self, key):
        self._key = key

    def get(self, filenames):
        return {name: FILES[self._key, name] for name in filenames if (self._key, name) in FILES}

    def put(self, filename, data):
        FILES[self._key, filename] = data


def test_files_and_groups(folders):
    manager = cache.get_cache_manager(KEY)
    assert type(manager) is cache.FileCacheManager and manager.cache_dir == str(folders / "cache" / cache._base32(KEY))
    assert manager.get_file("a.txt") is None and not manager.has_file("a.txt")
    path = manager.put("text", "a.txt", binary=False)
    assert path == manager.get_file("a.txt") == os.path.join(manager.cache_dir, "a.txt") and open(path).read() == "text"
    assert open(manager.put(b"\x00\x01", "b.bin"), "rb").read() == b"\x00\x01"
    manager.put("other", "a.txt")
    assert open(path).read() == "other" and sorted(os.listdir(manager.cache_dir)) == ["a.txt", "b.bin"]
    assert manager.get_group("all") is None
    manager.put_group("all", {"a": path, "gone": path + ".gone"})
    again = cache.get_cache_manager(KEY)
    assert again.get_group("all") == {"a": path}
    assert cache.get_cache_manager("cd" * 32).get_file("a.txt") is None


def test_a_write_that_fails_leaves_nothing(monkeypatch):
    manager = cache.get_cache_manager(KEY)
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        manager.put("text", "a.txt")
    assert os.listdir(manager.cache_dir) == []


def test_dumps_and_overrides(folders):
    dumped = cache.get_dump_manager(KEY).put("text", "a.ttir")
    assert dumped == str(folders / "dump" / cache._base32(KEY) / "a.ttir")
    override = cache.get_override_manager(KEY)
    assert override.get_file("a.ttir") is None and not (folders / "override").exists()
    with pytest.raises(RuntimeError, match="nothing is written to it"):
        override.put("text", "a.ttir")
    os.makedirs(override.cache_dir)
    os.rename(dumped, os.path.join(override.cache_dir, "a.ttir"))
    assert open(override.get_file("a.ttir")).read() == "text"


def test_remote_files(monkeypatch):
    with pytest.raises(RuntimeError, match="needs a class of TRITON_REMOTE_CACHE_BACKEND"):
        cache.RemoteCacheManager("key")
    monkeypatch.setenv("TRITON_CACHE_MANAGER", "tilerun.triton.runtime.cache:RemoteCacheManager")
    monkeypatch.setenv("TRITON_REMOTE_CACHE_BACKEND", f"{__name__}:Remote")
    manager = cache.get_cache_manager(KEY)
    assert manager.get_file("a.txt") is None and manager.get_group("all") is None
    path = manager.put("text", "a.txt")
    manager.put_group("all", {"a.txt": path})
    assert FILES[cache._base32(KEY), "a.txt"] == b"text"
    os.unlink(path)
    again = cache.get_cache_manager(KEY)
    assert again.get_group("all") == {"a.txt": path} and open(again.get_file("a.txt")).read() == "text"
    cache.get_dump_manager(KEY).put("text", "dumped")
    assert (cache._base32(KEY), "dumped") not in FILES


def test_base_classes():
    with pytest.raises(TypeError, match="abstract"):
        cache.CacheManager("key")
    for call in (lambda: triton.runtime.RemoteCacheBackend("key").get(["a"]), lambda: cache.RemoteCacheBackend("key").put("a", b"")):
        with pytest.raises(NotImplementedError):
            call()
