"""`triton.compile(ASTSource(…))`: a kernel for a signature and a target."""

import hashlib

from ..language import constexpr, dtype
from .kernel import CompiledKernel
from .target import GPUTarget


class ASTSource:
    """A jit function with the types of its parameters (`{"x": "*fp32", "n": "i32"}`), its constants and facts
    (`{(0,): [["tt.divisibility", 16]]}`)."""

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        self.fn, self.signature = fn, dict(signature)
        self.name, self.ext, self.language = fn.fn.__name__, "ttir", "python"
        self.attrs = attrs or {}
        names = fn.arg_names
        place = lambda key: names[key[0]] if isinstance(key, tuple) else names[key] if isinstance(key, int) else key
        self.constants = {place(key): value for key, value in (constexprs or {}).items()}
        self.signature = {place(key): value for key, value in self.signature.items()}
        self._facts = {place(key): value for key, value in self.attrs.items()}

    def hash(self):
        return hashlib.sha256(repr((self.fn.cache_key, self.get_text())).encode()).hexdigest()

    def get_text(self):
        entries = []
        for param in self.fn.params:
            name = param.name
            if name in self.constants:
                entries.append(f"{name}={self.fn._write_constant(param, self.constants[name], [])}")
                continue
            kind = self.signature.get(name)
            if kind is None or kind == "constexpr":
                if kind == "constexpr":
                    raise ValueError(f"parameter '{name}' is a constexpr without a value in constexprs")
                continue
            divisibility = next((value for fact, value in self._facts.get(name, ()) if fact == "tt.divisibility"), None)
            entries.append(f"{name}={kind}" + (f":{divisibility}" if divisibility else ""))
        return ", ".join(entries)


def compile(src, target=None, options=None, _env_vars=None):
    """Compiles a source for a target, by default the current device's. No device of that kind is needed."""
    if not isinstance(src, ASTSource):
        raise TypeError(f"an ASTSource is expected, not {src!r}; a file of another compiler's IR cannot be compiled here")
    if target is None:
        from ..runtime.driver import driver
        target = driver.active.get_current_target()
    given = dict(options or {})
    options = tuple(int(_plain(given.get(name) or 0)) for name in ("num_warps", "num_stages", "num_ctas", "maxnreg", "debug"))
    src.fn._ensure_loaded()
    text = target.text if isinstance(target, GPUTarget) else str(target)
    compiled = CompiledKernel(src.fn, src.fn, None, None, src.get_text(), options + (0, ), target=text)
    compiled._read()
    return compiled


def _plain(value):
    return value.value if isinstance(value, constexpr) else value


class _Backend:
    """What is known of a target's compiler."""

    def __init__(self, target):
        self.target = target

    def hash(self):
        return f"tilerun-{self.target.text}"


def make_backend(target):
    return _Backend(target)


__all__ = ["ASTSource", "compile", "dtype", "make_backend"]
