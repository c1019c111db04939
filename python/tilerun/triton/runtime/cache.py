"""`triton.runtime.cache`: frameworks' queries about caching, and files of their own. Kernels are kept by the library
(docs/caching.md)."""

import functools
import os

from .. import _missing
from ... import __version__, _native
from ._file_cache import (CacheManager, FileCacheManager, RemoteCacheBackend, RemoteCacheManager, _base32, get_cache_manager,
                          get_dump_manager, get_override_manager)


def default_cache_dir():
    """Where compiled kernels and tunings are kept."""
    given = os.environ.get("TILERUN_CACHE_DIR")
    if given:
        return given
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "tilerun")


@functools.cache
def triton_key():
    """What distinguishes this compiler from others, for keys of frameworks' own caches: another build of the library or
    of a plugin, as an upgrade brings, has another one."""
    return f"tilerun-{__version__}-{_native.compiler_key()}"


__all__ = ["CacheManager", "FileCacheManager", "RemoteCacheBackend", "RemoteCacheManager", "_base32", "default_cache_dir", "get_cache_manager",
           "get_dump_manager", "get_override_manager", "triton_key"]
__getattr__ = _missing.explain(__name__)
