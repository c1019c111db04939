"""Files that frameworks keep by a key, beside their kernels: `triton.runtime.cache.get_cache_manager`. Kernels of Tilerun are not
among them; the library has a cache of its own (docs/caching.md)."""

import base64
import json
import os
import tempfile
from abc import ABC, abstractmethod

from .. import knobs


class CacheManager(ABC):
    """Where files of one key are kept. Names of TRITON_CACHE_MANAGER are of classes that derive from it."""

    def __init__(self, key, override=False, dump=False):
        pass

    @abstractmethod
    def get_file(self, filename):
        """The path of a file, or None."""

    @abstractmethod
    def put(self, data, filename, binary=True):
        """Keeps bytes or a text; gives the path."""

    @abstractmethod
    def get_group(self, filename):
        """Paths by name of the files of a group, or None."""

    @abstractmethod
    def put_group(self, filename, group):
        """Notes files, paths by name, as the ones of a group."""


def _name_group(filename):
    return f"__grp__{filename}"


class FileCacheManager(CacheManager):
    """In a folder that is named by the key, below `knobs.cache.dir`, or `dump_dir` or `override_dir`."""

    def __init__(self, key, override=False, dump=False):
        self.key = key
        above = knobs.cache.dump_dir if dump else knobs.cache.override_dir if override else knobs.cache.dir
        self.cache_dir = os.path.join(above, key)
        self.lock_path = None if override and not dump else os.path.join(self.cache_dir, "lock")
        if self.lock_path:
            os.makedirs(self.cache_dir, exist_ok=True)

    def _make_path(self, filename):
        return os.path.join(self.cache_dir, filename)

    def has_file(self, filename):
        return os.path.exists(self._make_path(filename))

    def get_file(self, filename):
        return self._make_path(filename) if self.has_file(filename) else None

    def put(self, data, filename, binary=True):
        if not self.lock_path:
            raise RuntimeError(f"{self.cache_dir} holds what users put there to replace kernels; nothing is written to it")
        contents = data if isinstance(data, bytes) else str(data).encode()
        # Other processes see the whole file or none.
        number, temporary = tempfile.mkstemp(prefix=f"tmp.pid_{os.getpid()}_", dir=self.cache_dir)
        try:
            with os.fdopen(number, "wb") as file:
                file.write(contents)
            os.replace(temporary, self._make_path(filename))
        except BaseException:
            os.unlink(temporary)
            raise
        return self._make_path(filename)

    def get_group(self, filename):
        path = self.get_file(_name_group(filename))
        if path is None:
            return None
        with open(path) as file:
            paths = json.load(file).get("child_paths")
        return None if paths is None else {name: path for name, path in paths.items() if os.path.exists(path)}

    def put_group(self, filename, group):
        return self.put(json.dumps({"child_paths": group}), _name_group(filename))


class RemoteCacheBackend:
    """Bytes of one key on another machine; TRITON_REMOTE_CACHE_BACKEND names a class that derives from it."""

    def __init__(self, key):
        pass

    def get(self, filenames):
        """Bytes by name of the files that are there."""
        raise NotImplementedError

    def put(self, filename, data):
        raise NotImplementedError


class RemoteCacheManager(CacheManager):
    """Files of a `RemoteCacheBackend`, with local copies of those that were asked for. Dumps and overrides are local."""

    def __init__(self, key, override=False, dump=False):
        kind = knobs.cache.remote_manager_class
        if not kind:
            raise RuntimeError("RemoteCacheManager needs a class of TRITON_REMOTE_CACHE_BACKEND, which is not set")
        self._backend = kind(key)
        self._is_local = override or dump
        self._local = FileCacheManager(key, override=override, dump=dump)

    def get_file(self, filename):
        if self._is_local:
            return self._local.get_file(filename)
        # The other side is asked each time, as it may count uses.
        found = self._backend.get([filename])
        return self._local.put(found[filename], filename) if filename in found else None

    def put(self, data, filename, binary=True):
        if not self._is_local:
            data = data if isinstance(data, bytes) else str(data).encode()
            self._backend.put(filename, data)
        return self._local.put(data, filename)

    def get_group(self, filename):
        if self._is_local:
            return self._local.get_group(filename)
        path = self.get_file(_name_group(filename))
        if path is None:
            return None
        with open(path) as file:
            names = json.load(file).get("child_paths")
        return None if names is None else {name: self._local.put(data, name) for name, data in self._backend.get(names).items()}

    def put_group(self, filename, group):
        if self._is_local:
            return self._local.put_group(filename, group)
        return self.put(json.dumps({"child_paths": sorted(group)}), _name_group(filename))


def _base32(key):
    """A hash, which is hexadecimal, as frameworks name folders by it."""
    return base64.b32encode(bytes.fromhex(key)).decode().rstrip("=")


def _make(key, **where):
    return (knobs.cache.manager_class or FileCacheManager)(_base32(key), **where)


def get_cache_manager(key):
    """The files of a key, which is a hash in hexadecimal."""
    return _make(key)


def get_override_manager(key):
    return _make(key, override=True)


def get_dump_manager(key):
    return _make(key, dump=True)
