"""`triton.compile(ASTSource(…))`: a kernel for a signature and a target."""

import ast
import hashlib
import os
import re
import time
import types

from ... import _host_values
from ..._memory import DTYPES
from ...errors import UnsupportedError
from ..language import constexpr, dtype
from .kernel import CompiledKernel
from .target import GPUTarget

_TYPE = re.compile(r"\*?k?\w+")
_DESCRIPTOR = re.compile(r"tensordesc<(\w+)\[(\d+(?:,\d+)*)\](,nan)?>")


class _RunTimeValue:
    """Stands for an argument of which only the type is known; without a type, for one that the signature leaves out."""

    data_ptr = None  # Nothing looks for attributes in what has memory.

    def __init__(self, kind=None, facts=""):
        self.kind, self.facts = kind, facts  # ":16:small", as signatures have it.


class ASTSource:
    """A jit function with the types of its parameters (`{"x": "*fp32", "n": "i32"}`), its constants and facts
    (`{(0,): [["tt.divisibility", 16], ["tt.pointer_range", 32]]}`; the second means memory below 2 GiB). Parameters are named, or told by their place. A tensor descriptor is written
    `tensordesc<fp16[64,32]>`, and a tuple as one of types, by its class if it has names; `(0, 1)` is the second item of the
    first parameter."""

    ext, language = "ttir", "python"

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        function = _host_values.find_function(fn)
        if function is None:
            raise TypeError(f"ASTSource takes a @triton.jit function, not {fn!r}")
        self.fn, self.name, self.attrs = function, function.__name__, dict(attrs or {})
        if not isinstance(signature, dict):
            raise TypeError(f"the signature of '{self.name}' is a dict of types by parameter, not {signature!r}")
        self.signature = {self._find(key): self._check_type(self._find(key), kind) for key, kind in signature.items()}
        self._constants = {self._find_path(key): value for key, value in (constexprs or {}).items()}
        self.constants = {(function.arg_names.index(name), *path): value for (name, *path), value in self._constants.items()}
        self._facts = {self._find_path(key): value for key, value in self.attrs.items()}

    @staticmethod
    def of(function, text, wholes):
        """The source for a signature as the library writes it, which a launch has compiled. `wholes`: the arguments that the
        signature has in parts or not at all, as `_variants.find` describes them."""
        from ..runtime._variants import Bound, Part
        entries, signature, constants, facts = dict(split_signature(text)), {}, {}, {}

        def describe(path, value):
            if isinstance(value, Bound):
                constants[path] = value.value
                return "constexpr"
            if isinstance(value, tuple):
                return _host_values.make_like(type(value), [describe((*path, i), item) for i, item in enumerate(value)])
            entry = entries[value.name]
            kind, *words = entry.split(":")
            if value.block is not None:
                padding = ",nan" if value.padding == "nan" else ""
                return f"tensordesc<{kind.removeprefix('*')}[{','.join(map(str, value.block))}]{padding}>"
            if not kind.startswith("*") and kind not in DTYPES:
                return describe(path, Bound(_read_constant(entry)))
            if words:
                facts[path] = [["tt.pointer_range", 32] if word == "small" else ["tt.divisibility", int(word)] for word in words]
            return "u1" if kind == "i1" else kind

        constant = {param.name for param in function.params if param.is_const}
        for at, name in enumerate(function.arg_names):
            if name in wholes or name in entries:
                kind = describe((at, ), wholes.get(name, Part(name)))
                signature[name] = "*k" + kind[1:] if name in constant and str(kind).startswith("*") else kind
        return ASTSource(function, signature, constants, facts)

    def _find(self, key):
        """The name of the parameter that a key refers to."""
        names = self.fn.arg_names
        if isinstance(key, int) and 0 <= key < len(names):
            return names[key]
        if key not in names:
            raise ValueError(f"kernel '{self.name}' has no parameter {key!r}; it has {', '.join(names)}")
        return key

    def _find_path(self, key):
        """The name of the parameter that a key means, and the places in its tuples."""
        name, *path = key if isinstance(key, tuple) and key else (key, )
        if not path:
            return (self._find(name), )
        name = self._find(name)
        kind = self.signature.get(name)
        for at in path:
            if not isinstance(kind, tuple) or type(at) is not int or not 0 <= at < len(kind):
                raise ValueError(f"kernel '{self.name}' has no parameter {key!r}: the type of '{name}' is "
                                 f"{self.signature.get(name, 'not given')}")
            kind = kind[at]
        return (name, *path)

    def _check_type(self, name, kind):
        if isinstance(kind, tuple):
            nesting = _host_values.explain_nesting(kind)
            if nesting is not None:
                raise ValueError(f"parameter '{name}' of kernel '{self.name}' has a tuple of types that {nesting}")
            return _host_values.make_like(type(kind), [self._check_type(f"{name}[{i}]", item) for i, item in enumerate(kind)])
        kind = str(kind)
        if kind.startswith("tensordesc"):
            kind = "".join(kind.split())
            found = _DESCRIPTOR.fullmatch(kind)
            if found is None or found.group(1) not in DTYPES:
                raise ValueError(f"parameter '{name}' of kernel '{self.name}' has the type '{kind}'; a tensor descriptor is "
                                 "written tensordesc<fp16[64,32]>, with the dtype and the shape of a block")
            return kind
        star = re.match(r"\*?k?", kind).group() if kind.startswith("*") else ""  # "*k": nothing may be written through it.
        word = kind[len(star):]
        known = "i1" if word == "u1" else word  # As Triton calls booleans.
        if kind != "constexpr" and (not _TYPE.fullmatch(kind) or known not in DTYPES):
            raise ValueError(f"parameter '{name}' of kernel '{self.name}' has the type '{kind}', which does not exist; types are "
                             f"constexpr, {', '.join(DTYPES)}, '*' before one of these for a pointer, tensordesc<fp16[64,32]>, and "
                             "tuples of these")
        return star + word

    def hash(self):
        native, text = self.resolve()
        key = self.fn.cache_key, text
        if native is not self.fn:
            key += native.wrapper, native.bound
        return hashlib.sha256(repr(key).encode()).hexdigest()

    def get_text(self):
        """The signature as the library reads it."""
        return self.resolve()[1]

    def resolve(self):
        """(the native kernel, its signature as the library reads it). The kernel is one around the function if there are
        arguments that the library's signatures do not have, such as tuples."""
        from ..runtime import _variants
        from ..runtime._callables import lock
        from ..runtime._values import unwrap_argument
        self.fn._ensure_loaded()
        values, whole, defaults = {}, set(), set()
        for param in self.fn.params:
            name = param.name
            if (name, ) in self._constants:
                values[name] = unwrap_argument(self._constants[name, ])
                if isinstance(values[name], (tuple, list, dict)) or _host_values.is_enum_member(values[name]):
                    whole.add(name)
            elif name in self.signature:
                values[name] = self._stand_in((name, ), self.signature[name], param.is_constexpr)
            else:
                values[name] = unwrap_argument(param.default) if param.has_default else _RunTimeValue()
                defaults.add(name)
        native, values = _variants.find(self.fn, values, lock, frozenset(whole))
        entries, params = [], {param.name: param for param in self.fn.params}
        for name, value in values.items():
            if isinstance(value, _RunTimeValue):
                if value.kind is not None:
                    entries.append(f"{name}={value.kind}{value.facts}")
            elif native is not self.fn or name not in defaults:  # The library knows the function's own.
                entries.append(f"{name}={_variants.write_constant(self.fn, params[name], value, [])}")
        return native, ", ".join(entries)

    def _stand_in(self, path, kind, is_constant):
        """What takes the place of an argument of a type."""
        from ..runtime._variants import constant_fields
        shown = path[0] + "".join(f"[{at}]" for at in path[1:])
        if path in self._constants:
            value = self._constants[path]
            return value if isinstance(value, constexpr) else constexpr(value)
        if isinstance(kind, tuple):
            constants = constant_fields(type(kind))
            return _host_values.make_like(type(kind), [self._stand_in((*path, i), item, is_constant or i in constants)
                                                       for i, item in enumerate(kind)])
        if kind == "constexpr":
            raise ValueError(f"parameter '{shown}' is a constexpr, but constexprs has no value for it")
        if is_constant and len(path) > 1:
            raise ValueError(f"parameter '{shown}' is declared as tl.constexpr, but the signature has the type '{kind}'; write "
                             "'constexpr', and its value in constexprs")
        facts = {fact: value for fact, value in self._facts.get(path, ())}
        words = [facts.get("tt.divisibility"), "small" if facts.get("tt.pointer_range") == 32 else None]
        return _RunTimeValue(re.sub(r"\bu1$", "i1", kind), "".join(f":{word}" for word in words if word))

    def parse_options(self):
        return {}

    def find_writes(self, target="cpu:interpreter"):
        """The names of the parameters that the kernel may write through on a target, which kernels can ask for. Of arguments
        in parts, those of the parts."""
        from ..runtime._options import pack_options
        native, signature = self.resolve()
        options = pack_options(dict.fromkeys(("num_warps", "num_stages", "num_ctas", "maxnreg", "debug"), 0))
        return frozenset(native._emit(target, signature, options, "writes")[0].decode().split())

    def make_ir(self, target, options, codegen_fns, module_map, context):
        """The parameters that the kernel writes, as PyTorch's analysis of Triton's IR finds them. Numbers count as unknown
        until the launch, whatever `constexprs` says: another value may take another branch."""
        from .._C import ir
        constants = {path: value for path, value in self._constants.items() if len(path) > 1 or self.signature[path[0]] == "constexpr"}
        source = ASTSource(self.fn, self.signature, {path[0] if len(path) == 1 else path: value for path, value in constants.items()})
        parameters = []
        for name, kind in self.signature.items():
            if str(kind).startswith("*"):
                parameters.append(name)
            elif str(kind).startswith("tensordesc"):
                # Strides and sizes follow the base.
                parameters += [name] + [None] * 2 * len(_DESCRIPTOR.fullmatch(kind).group(2).split(","))
        text = target.text if isinstance(target, GPUTarget) else "cpu:interpreter"
        return ir.module(self.name, parameters, source.find_writes(text))


def split_signature(text):
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


def add_small(signature, names):
    """The signature, in which the pointers of these names are to memory below 2 GiB."""
    return ", ".join(f"{name}={text}" + (":small" if name in names and text.startswith("*") else "")
                     for name, text in split_signature(signature))


def _read_constant(text):
    """The value of a constant as signatures write it; the text itself if it is not a literal."""
    words = {"none": None, "true": True, "false": False}
    if text in words:
        return words[text]
    if text.removesuffix("!") in DTYPES:
        return dtype(text.removesuffix("!"))
    try:
        return ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text


def compile(src, target=None, options=None, _env_vars=None):
    """Compiles a source, or a file with tile IR, for a target, by default the current device's. No device of that kind is
    needed."""
    from ..._memory import ROCM
    from ..runtime._tile_ir import IRSource, find_override
    if isinstance(src, (str, os.PathLike)):
        src = IRSource(src)
    if not isinstance(src, (ASTSource, IRSource)):
        raise TypeError(f"an ASTSource is expected, or the path of a file with tile IR, not {src!r}")
    from .. import knobs
    from ..runtime._options import (AMD_OPTIONS, OPTIONS, leave_out_overflow, pack_options, read_option,
                                    read_target_options)
    if target is None:
        from ..runtime.driver import driver
        target = driver.active.get_current_target()
    given = dict(options or {})
    if _plain(given.get("launch_cooperative_grid")):
        raise UnsupportedError(f"kernel '{src.name}': cooperative launches (launch_cooperative_grid=True) are not supported")
    options = {name: read_option(src.name, name, _plain(given.get(name))) for name in (*OPTIONS, *AMD_OPTIONS)}
    if given.get("sanitize_overflow", True) is False:
        options["debug"] = leave_out_overflow(options["debug"])
    options["enable_fp_fusion"] = _plain(given.get("enable_fp_fusion", knobs.language.default_fp_fusion))
    options["options"] = read_target_options(given.get("options"))
    native, signature = src.resolve()
    text = target.text if isinstance(target, GPUTarget) else str(target)
    if text == "cuda:sm_90a" and all(name != "tma" for name, _ in options["options"]):
        # Frameworks launch its machine code themselves, and pass the parameters of the signature alone.
        options["options"] += (("tma", "off"), )
    if text.startswith("cuda:") and all(name != "few-programs" for name, _ in options["options"]):
        # Nor do they look at the grid: indices in 32 bits do not overflow in kernels of theirs.
        options["options"] += (("few-programs", "on"), )
    packed = pack_options(options, kind=ROCM if text.startswith("hip:") else None)
    if isinstance(src, ASTSource):
        native = find_override(src.fn, native, signature, text, packed, _plain(given.get("ir_override"))) or native
    compiled = CompiledKernel(src.fn, native, None, None, signature, packed, target=text, src=src)
    start = time.perf_counter()
    compiled._compile()
    end = time.perf_counter()
    compiled._store()
    compiled._tell(end - start, time.perf_counter() - end)
    return compiled


def _plain(value):
    return value.value if isinstance(value, constexpr) else value


class Options(types.SimpleNamespace):
    """The options of a launch, as attributes."""

    def hash(self):
        return hashlib.sha256(repr(sorted(vars(self).items())).encode()).hexdigest()


class Backend:
    """Facts about a target's compiler."""

    def __init__(self, target):
        self.target = target

    @property
    def binary_ext(self):
        """The stage that a driver loads."""
        return {"cuda": "cubin", "hip": "hsaco", "vulkan": "spirv"}.get(getattr(self.target, "backend", None), "source")

    @staticmethod
    def supports_target(target):
        return True

    def hash(self):
        from ..runtime.cache import triton_key
        return f"{triton_key()}-{self.target.text}"

    def parse_options(self, options):
        """The options of a launch that the compilers know or accept, as attributes."""
        from .. import knobs
        from ..runtime._options import IGNORED_OPTIONS
        from .kernel import OPTION_FACTS
        known = {"num_warps": 4, "num_stages": 3, "num_ctas": 1, "maxnreg": None, "debug": False, "launch_pdl": False,
                 "enable_fp_fusion": knobs.language.default_fp_fusion, "ir_override": None}
        if isinstance(self.target, GPUTarget):
            known |= {"backend_name": self.target.backend, "arch": str(self.target.arch), "warp_size": self.target.warp_size}
        return Options(**{**dict.fromkeys(IGNORED_OPTIONS), **OPTION_FACTS, **known, **options})

    @staticmethod
    def pack_metadata(metadata):
        """What launchers are passed of it."""
        return metadata.num_warps, metadata.num_ctas, metadata.shared

    @staticmethod
    def parse_attr(text):
        """A fact about an argument, as `native_specialize_impl` tells it."""
        return [["tt.divisibility", 16]] if "D" in text else []

    @staticmethod
    def get_arg_specialization(arg, kind, **options):
        from ..runtime.jit import native_specialize_impl
        return native_specialize_impl(None, arg, align=options.get("align", True))[1]

    # What the library has itself.

    def load_dialects(self, context):
        pass

    def get_codegen_implementation(self, options):
        return {}

    def get_module_map(self):
        return {}


def make_backend(target):
    return Backend(target)


def find_late(name):
    """What is built on jit functions, which are built on this package."""
    if name == "IRSource":
        from ..runtime._tile_ir import IRSource
        return IRSource
    return None


__all__ = ["ASTSource", "compile", "dtype", "make_backend"]
