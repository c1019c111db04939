"""`triton.compile(ASTSource(…))`: a kernel for a signature and a target."""

import ast
import hashlib
import re

from ... import _source
from ..._memory import DTYPES
from ..language import constexpr, dtype
from .kernel import CompiledKernel
from .target import GPUTarget

_TYPE = re.compile(r"\*?k?\w+")
_DESCRIPTOR = re.compile(r"tensordesc<(\w+)\[(\d+(?:,\d+)*)\](,nan)?>")


class ASTSource:
    """A jit function with the types of its parameters (`{"x": "*fp32", "n": "i32"}`), its constants and facts
    (`{(0,): [["tt.divisibility", 16]]}`). Parameters are given by name or by position. A tensor
    descriptor is written `tensordesc<fp16[64,32]>`."""

    ext, language = "ttir", "python"

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        function = _source.find_function(fn)
        if function is None:
            raise TypeError(f"ASTSource takes a @triton.jit function, not {fn!r}")
        self.fn, self.name, self.attrs = function, function.fn.__name__, dict(attrs or {})
        if not isinstance(signature, dict):
            raise TypeError(f"the signature of '{self.name}' is a dict of types by parameter, not {signature!r}")
        self.signature = {self._find(key): self._check_type(self._find(key), kind) for key, kind in signature.items()}
        named = {self._find(key): value for key, value in (constexprs or {}).items()}
        self._constants = named
        self.constants = {(function.arg_names.index(name), ): value for name, value in named.items()}
        self._facts = {self._find(key): value for key, value in self.attrs.items()}

    @staticmethod
    def of(function, text):
        """The source for a signature as the library writes it, which a launch has compiled."""
        signature, constants, facts = {}, {}, {}
        for name, value in _split(text):
            kind, _, divisibility = value.partition(":")
            if name not in function.arg_names:
                continue  # A part of a tuple or a descriptor.
            if kind.startswith("*") or kind in DTYPES:
                signature[name] = kind
                if divisibility:
                    facts[(function.arg_names.index(name), )] = [["tt.divisibility", int(divisibility)]]
            else:
                signature[name], constants[name] = "constexpr", _read_constant(value)
        made = ASTSource(function, {}, constants, facts)
        made.signature = signature
        return made

    def _find(self, key):
        """The name of the parameter that a key refers to."""
        names = self.fn.arg_names
        if isinstance(key, tuple) and len(key) == 1:
            key = key[0]
        if isinstance(key, int) and 0 <= key < len(names):
            return names[key]
        if key not in names:
            raise ValueError(f"kernel '{self.name}' has no parameter {key!r}; it has {', '.join(names)}")
        return key

    def _check_type(self, name, kind):
        kind = str(kind)
        if kind.startswith("tensordesc"):
            kind = "".join(kind.split())
            found = _DESCRIPTOR.fullmatch(kind)
            if found is None or found.group(1) not in DTYPES:
                raise ValueError(f"parameter '{name}' of kernel '{self.name}' has the type '{kind}'; a tensor descriptor is "
                                 "written tensordesc<fp16[64,32]>, with the dtype and the shape of a block")
            return kind
        word = kind.removeprefix("*").removeprefix("k") if kind.startswith("*") else kind
        if kind != "constexpr" and (not _TYPE.fullmatch(kind) or word not in DTYPES):
            raise ValueError(f"parameter '{name}' of kernel '{self.name}' has the type '{kind}', which does not exist; there are "
                             f"constexpr, {', '.join(DTYPES)}, '*' before one of these for a pointer, and tensordesc<fp16[64,32]>")
        return "*" + word if kind.startswith("*") else kind

    def hash(self):
        return hashlib.sha256(repr((self.fn.cache_key, self.get_text())).encode()).hexdigest()

    def get_text(self):
        """The signature as the library reads it."""
        from ..runtime._variants import write_constant
        entries = []
        for param in self.fn.params:
            name = param.name
            if name in self._constants:
                entries.append(f"{name}={write_constant(self.fn, param, self._constants[name], [])}")
                continue
            kind = self.signature.get(name)
            if kind == "constexpr":
                raise ValueError(f"parameter '{name}' is a constexpr, but constexprs has no value for it")
            if kind is not None:
                divisibility = next((value for fact, value in self._facts.get(name, ()) if fact == "tt.divisibility"), None)
                entries.append(f"{name}={kind}" + (f":{divisibility}" if divisibility else ""))
        return ", ".join(entries)

    def parse_options(self):
        return {}


def _split(text):
    """(name, value) of each entry of a signature; commas in tuples and strings stand for themselves."""
    entries, depth, start = [], 0, 0
    for token in re.finditer(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[(),<>\[\]]|$""", text):
        word = token.group()
        depth += (word in ("(", "[", "<")) - (word in (")", "]", ">"))
        if depth == 0 and word in (",", ""):
            name, equals, value = text[start:token.start()].strip().partition("=")
            if equals:
                entries.append((name, value))
            start = token.end()
    return entries


def _read_constant(text):
    """The value of a constant as signatures write it; the text itself if it is not a literal."""
    words = {"none": None, "true": True, "false": False}
    if text in words:
        return words[text]
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text


def compile(src, target=None, options=None, _env_vars=None):
    """Compiles a source for a target, by default the current device's. No device of that kind is needed."""
    if not isinstance(src, ASTSource):
        raise TypeError(f"an ASTSource is expected, not {src!r}; a file of another compiler's IR cannot be compiled here")
    from ..runtime.jit import OPTIONS, pack_options, read_target_options
    if target is None:
        from ..runtime.driver import driver
        target = driver.active.get_current_target()
    given = dict(options or {})
    options = {name: int(_plain(given.get(name) or 0)) for name in OPTIONS}
    options["options"] = read_target_options(given.get("options"))
    src.fn._ensure_loaded()
    text = target.text if isinstance(target, GPUTarget) else str(target)
    compiled = CompiledKernel(src.fn, src.fn, None, None, src.get_text(), pack_options(options), target=text, src=src)
    compiled._read()
    return compiled


def _plain(value):
    return value.value if isinstance(value, constexpr) else value


class Backend:
    """Facts about a target's compiler."""

    def __init__(self, target):
        self.target = target

    @staticmethod
    def supports_target(target):
        return True

    def hash(self):
        from ..runtime.cache import triton_key
        return f"{triton_key()}-{self.target.text}"


def make_backend(target):
    return Backend(target)


__all__ = ["ASTSource", "compile", "dtype", "make_backend"]
