"""Kernels in tile IR, the stage `ttir`: as sources of `triton.compile`, and in the place of compiled kernels
(TRITON_KERNEL_OVERRIDE, the option ir_override)."""

import hashlib
import os
import re

from ... import _native
from ...errors import CompilationError, UnsupportedError
from .. import knobs
from ..compiler.kernel import CompiledKernel, find_folder
from ..compiler.source import split_signature
from ._options import pack_options
from .jit import JITFunction

_KERNEL = re.compile(r"func\.func\s+(?:public\s+)?@(\w+)\s*\((?:(?!func\.func).)*?tile\.kernel", re.DOTALL)
# As the library prints a parameter.
_PARAMETER = re.compile(r"%arg\d+: ((?:!tile\.ptr<)*)(!?[\w.]+)>*(?: \{([^}]*)\})?")
# By MLIR's names of types; integers have no sign there.
_TYPES = {"f16": "fp16", "bf16": "bf16", "f32": "fp32", "f64": "fp64", "f8E5M2": "fp8e5", "f8E4M3FN": "fp8e4nv",
          "f8E4M3FNUZ": "fp8e4b8", "f8E5M2FNUZ": "fp8e5b16", "!tile.f8E4M3B15": "fp8e4b15"}


class TileKernel(_native.Kernel):
    """A kernel in tile IR, which has one signature: the types of its parameters are fixed, and constants are gone. With an
    `owner`, it takes the place of that jit function's code for one signature; else host code sees it as its own function."""

    fn = _repr = launch_metadata = None
    fixed_signature = ""  # What the library takes for the only one.
    wholes = {}
    # What launches ask a jit function for.
    _fail, _resolve, _resolve_all, _check_plain = (vars(JITFunction)[name] for name in ("_fail", "_resolve", "_resolve_all",
                                                                                        "_check_plain"))

    def __init__(self, text, path, owner=None):
        names = _KERNEL.findall(text)
        if "tt.func" in text and not names:
            raise UnsupportedError(f"{path} is in Triton's own dialect; tile IR is expected, as asm['ttir'] and TRITON_KERNEL_DUMP "
                                   "give it")
        if len(names) != 1:
            raise CompilationError(f"{path}: tile IR with one kernel is expected (a func.func with tile.kernel); this has "
                                   f"{', '.join(names) or 'none'}")
        self.__name__ = self.__qualname__ = names[0]
        self.src, self.path, self.owner = text, path, owner
        try:
            self.arg_names = list(self._load_ir(text, self.__name__))
        except CompilationError as error:
            raise CompilationError(f"{path}: {error}") from None
        self._setup(tuple(self.arg_names), (False, ) * len(self.arg_names), {}, (0, 0, 0, 0, 0))

    def __reduce__(self):
        return TileKernel, (self.src, self.path, self.owner)

    @property
    def cache_key(self):
        return hashlib.sha256(self.src.encode()).hexdigest()

    repr = property(lambda self: lambda _: self.__name__)

    def _ensure_loaded(self):
        pass

    def _emit(self, target, signature, options, stage):
        return super()._emit(target, self.fixed_signature, options, stage)

    def _specialize(self, kind, index, signature, options):
        return super()._specialize(kind, index, self.fixed_signature, options)

    def _make_compiled(self, kind, index, signature, options):
        return CompiledKernel(self.owner or self, self, kind, index, signature, options)

    def read_parameters(self):
        """(name, type as signatures write it, divisibility or None) of each parameter."""
        options = pack_options(dict.fromkeys(("num_warps", "num_stages", "num_ctas", "maxnreg", "debug"), 0))
        printed = self._emit("cpu:interpreter", "", options, "tile")[0].decode()
        head = printed[printed.index("func.func"):].partition("attributes")[0]
        out = []
        for (pointers, kind, facts), name in zip(_PARAMETER.findall(head), self.arg_names, strict=True):
            divisibility = re.search(r"tile\.divisibility = (\d+)", facts)
            # A pointer to pointers counts as one to integers, as in signatures of sources.
            kind = "i64" if pointers.count("<") > 1 else _TYPES.get(kind, kind)
            out.append((name, ("*" if pointers else "") + kind, divisibility and int(divisibility[1])))
        return out


class IRSource:
    """A file with a kernel in tile IR, as asm["ttir"] and TRITON_KERNEL_DUMP write it: `triton.compile("kernel.ttir")`."""

    ext, language = "ttir", "ttir"
    constants, attrs = {}, {}

    def __init__(self, path, context=None, backend=None):
        self.path = os.fspath(path)
        suffix = os.path.splitext(self.path)[1].removeprefix(".")
        if suffix != self.ext:
            raise UnsupportedError(f"{self.path}: a kernel is compiled from tile IR, a file NAME.ttir; a stage '{suffix}' is only "
                                   "written")
        with open(self.path, encoding="utf-8") as file:
            self.src = file.read()
        self.fn = TileKernel(self.src, self.path)
        self.name = self.fn.__name__
        self._parameters = self.fn.read_parameters()
        self.signature = dict(enumerate(kind for _, kind, _ in self._parameters))

    def hash(self):
        return hashlib.sha256(self.src.encode()).hexdigest()

    def resolve(self):
        """(the native kernel, its signature for those who look at it)."""
        return self.fn, ", ".join(f"{name}={kind}" + (f":{fact}" if fact else "") for name, kind, fact in self._parameters)

    def parse_options(self):
        return {}


def _find_file(function, native, signature, target, options):
    """The file *.ttir in the folder of a signature's hash, below knobs.cache.override_dir; None if there is none."""
    folder = find_folder(knobs.cache.override_dir, function, native, target, signature, options)
    try:
        files = sorted(os.listdir(folder))
    except OSError:
        return None
    others = [name for name in files if not name.endswith(".ttir")]
    if others or len(files) > 1:
        raise UnsupportedError(f"TRITON_KERNEL_OVERRIDE takes one file *.ttir, with tile IR, and no later stage: remove "
                               f"{', '.join(others or files[1:])} from {folder}")
    return os.path.join(folder, files[0]) if files else None


def find_override(function, native, signature, target, options, path=None):
    """The kernel in tile IR that replaces the code of a signature: the file `path` of the option ir_override, or, if
    knobs.compilation.override (TRITON_KERNEL_OVERRIDE) says so, that of the folder of its hash. None if there is none."""
    if path is not None:
        path = os.fspath(path)
        if not path.endswith(".ttir"):
            raise UnsupportedError(f"kernel '{function.__name__}': ir_override is {path!r}; a file NAME.ttir with tile IR takes the place of a "
                                   "kernel, and no later stage")
    elif knobs.compilation.override:
        path = _find_file(function, native, signature, target, options)
    if path is None:
        return None
    with open(path, encoding="utf-8") as file:
        text = file.read()
    known = function._overrides.get(path)
    if known is None or known.src != text:
        known = TileKernel(text, path, function)
        passed = dict(split_signature(signature))
        unknown = [name for name in known.arg_names if name not in passed]
        if unknown:
            raise CompilationError(f"{path}: kernel '{function.__name__}' has no parameter '{unknown[0]}'")
        function._overrides[path] = known
    return known
