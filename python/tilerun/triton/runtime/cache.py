"""`triton.runtime.cache`: frameworks' queries about caching. Kernels are kept by the library
(docs/caching.md)."""

import base64
import functools
import os

from .. import _missing
from ... import __version__, _native


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


def _base32(key):
    """A hash, which is hexadecimal, as frameworks name folders by it."""
    return base64.b32encode(bytes.fromhex(key)).decode().rstrip("=")


__all__ = ["default_cache_dir", "triton_key"]
__getattr__ = _missing.explain(__name__)
