"""Compiled kernels as host code looks at them: numbers of the loaded code, and its stages as text."""

import hashlib
import json
import os
import re
import tempfile
import warnings
from collections import namedtuple
from collections.abc import Mapping

from ... import _assembler, _devices, _native
from ..._memory import CPU, CUDA, DTYPES, ROCM
from ...errors import UnsupportedError
from ..runtime.cache import _base32
from .target import GPUTarget

# Triton's names of stages in the order of compilation, and the library's.
_STAGES = {"cuda": {"ttir": "tile", "ttgir": "simt", "llir": "llvm", "ptx": "ptx", "cubin": None},
           "hip": {"ttir": "tile", "ttgir": "simt", "llir": "llvm", "amdgcn": "amdgcn", "hsaco": "hsaco"},
           "vulkan": {"ttir": "tile", "ttgir": "simt", "spirv-asm": "spirv-asm", "spirv": "spirv"}, "cpu": {"ttir": "tile"}}
_LANGUAGE_STAGES = {"ttir": "tile"}
_BINARIES = "cubin", "hsaco", "spirv"


class Stages(Mapping):
    """A mapping from a stage's name to its text, or bytes; each is made when it is asked for."""

    def __init__(self, compiled):
        self._compiled, self._texts = compiled, {}

    def _known(self):
        return _STAGES.get(self._compiled.target.partition(":")[0], _LANGUAGE_STAGES)

    def __iter__(self):
        return iter(["source", *self._known()])

    def __len__(self):
        return 1 + len(self._known())

    def __contains__(self, stage):
        return stage == "source" or stage in self._known()

    def __getitem__(self, stage):
        if stage not in self._texts:
            self._texts[stage] = self._make(stage)
        return self._texts[stage]

    def _make(self, stage):
        known = self._known()
        if stage == "source":
            return self._compiled.function.src
        if stage == "sass" and "cubin" in known:
            return _assembler.disassemble(self._compiled._assemble())
        if stage not in known:
            raise KeyError(f"no stage '{stage}' of a kernel for {self._compiled.target}; its stages are {', '.join(sorted(self))}")
        if stage == "cubin":
            self._compiled._check_parameters()
            return self._compiled._assemble()
        made = self._compiled._emit(known[stage])[0]
        if stage in _BINARIES:
            return made
        text = made.decode("utf-8", "replace")
        return self._compiled._rename(text) if stage == "ptx" else text

    def __repr__(self):
        return f"<stages {', '.join(self)} of {self._compiled!r}>"


_PTX_NAME = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)
# What Triton's options say of its compiler, for code that looks.
OPTION_FACTS = {"ptx_options": None, "ir_override": None, "enable_reflect_ftz": False, "instrumentation_mode": "", "sanitize_overflow": True,
                "supported_fp8_dtypes": ("fp8e4b15", "fp8e4b8", "fp8e4nv", "fp8e5", "fp8e5b16"), "deprecated_fp8_dot_operand_dtypes": (),
                "default_dot_input_precision": "ieee", "allowed_dot_input_precisions": ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"),
                "max_num_imprecise_acc_default": 0}
_METADATA = {"name": None, "hash": None, "target": None, "num_warps": 4, "num_stages": 3, "num_ctas": 1, "maxnreg": None,
             "debug": False, "shared": 0, "cluster_dims": (1, 1, 1), "warp_size": 32, "tmem_size": 0,
             "global_scratch_size": 0, "global_scratch_align": 1, "profile_scratch_size": 0, "profile_scratch_align": 1,
             "backend_name": None, "arch": None, "enable_fp_fusion": True, "launch_cooperative_grid": False,
             "launch_pdl": False, "extern_libs": (), "ptx_version": None, "triton_version": None,
             **OPTION_FACTS}
KernelMetadata = namedtuple("KernelMetadata", sorted(_METADATA))


_KINDS = {"cpu": CPU, "cuda": CUDA, "hip": ROCM}


class Specialization:
    """What the `repr` of a kernel is asked with: types and constants by parameter."""

    def __init__(self, fn, signature, constants):
        self.fn, self.signature, self.constants = fn, dict(signature), constants


def make_hash(function, native, target, signature, options):
    """What distinguishes a compiled kernel from all others."""
    from ..runtime.cache import triton_key
    # With helpers and constants, where it still has the function that says which they are.
    key = function.src if function.fn is None else function.cache_key
    own = ()  # What no signature has.
    if hasattr(native, "bound"):
        own = native.bound, native.wrapper, native._sources
    elif native is not function and hasattr(native, "fixed_signature"):
        own = native.src,
    return hashlib.sha256(repr((triton_key(), target, signature, options, key, *own)).encode()).hexdigest()


def find_folder(parent, *what):
    """Where the files of a compiled kernel are, or would be."""
    return os.path.join(parent, _base32(make_hash(*what)))


class CompiledKernel:
    """The code that a launch, or `triton.compile`, has compiled. Its properties are computed on demand. Code of
    `triton.compile` is bound to the device that is current when it is first launched or asked for its handles, if that is
    one of its target; from then on launches run this code, whatever the types of their arguments."""

    # Loaded code belongs to the process: it is not part of the state that others read from `__dict__` and send to another.
    __slots__ = "_bound", "_elsewhere", "_code", "_artifact", "__dict__", "__weakref__"

    def __new__(cls, *args, **kwargs):
        self = super().__new__(cls)
        self._bound, self._elsewhere, self._code, self._artifact = None, {}, None, None
        return self

    def __init__(self, function, native, kind, index, signature, options, target=None, src=None):
        self._function, self._native, self._is_ahead = function, native, kind is None
        self._kind, self._index, self.signature, self._options = kind, index, signature, options
        self._text = getattr(native, "fixed_signature", signature)
        self.target = target or _devices.get_target(kind, index)
        self.name = self.src_name = function.__name__
        self._src = src
        self.module = None
        self._numbers = None
        if function._repr is not None:
            source = self.src
            self.name = function.repr(Specialization(source.fn, source.signature, {
                function.arg_names[path[0]]: value for path, value in source.constants.items() if len(path) == 1}))
        self._dump()

    # Attributes of Triton's class, which code that restores one from its state may write into `__dict__`.

    function = property(lambda self: self._function)

    @property
    def asm(self):
        return Stages(self)

    def __reduce__(self):
        return _restore, (vars(self), )

    def _emit(self, stage):
        """(bytes, compatibility, threads, shared bytes). The last stage is kept, since every caller of a framework's compilation asks for
        it: numbers, PTX, machine code."""
        is_last = stage in ("", "ptx", "hsaco", "spirv")
        if is_last and self._artifact is not None:
            return self._artifact
        self._function._ensure_loaded()
        made = self._native._emit(self.target, self._text, self._options, "" if is_last else stage)
        if is_last:
            self._artifact = made
        return made

    @property
    def symbol(self):
        """The kernel's name in `asm`: by PTX and what is made of it the one of `repr`, elsewhere the function's."""
        return self.name if self.target.startswith("cuda:") and _PTX_NAME.fullmatch(self.name) else self.src_name

    def _rename(self, ptx):
        if self.symbol == self.src_name:
            return ptx
        # The kernel and its parameters, which are named after it.
        return re.sub(rf"(?<![\w.%$]){re.escape(self.src_name)}(?=(?:_param_\d+)?(?![\w$]))", self.symbol, ptx)

    def _dump(self):
        """Writes each stage into a folder of its own, named by the hash, if knobs.compilation.dump_ir (TRITON_KERNEL_DUMP)
        says so."""
        from .. import knobs
        if not knobs.compilation.dump_ir:
            return
        folder = os.path.join(knobs.cache.dump_dir, _base32(self.hash))
        os.makedirs(folder, exist_ok=True)
        for stage in self.asm._known():
            if stage == "cubin" and _assembler.find(self._arch) is None:
                continue
            made = self._assemble() if stage == "cubin" else self.asm[stage]
            with open(os.path.join(folder, f"{self.name}.{stage}"), "wb") as file:
                file.write(made if isinstance(made, bytes) else made.encode())

    _arch = property(lambda self: self.target.partition(":")[2])

    def _assemble(self):
        """Machine code for NVIDIA's GPUs."""
        if self._code is None:
            self._code = _assembler.assemble(self.asm["ptx"], self._arch)
        return self._code

    def _check_parameters(self):
        """That other launchers can launch the machine code: its parameters are those of the signature."""
        if self._find_dtypes() is None:
            raise UnsupportedError(f"kernel '{self.name}': asm['cubin'] is for launchers other than Tilerun's, and this kernel takes "
                                   "an argument (a tuple or a descriptor) in parts that they do not pass; asm['sass'] shows its code")
        if re.search(r"\.param \.align 64 \.b8 \w+\[128\]", self.asm["ptx"]):
            raise UnsupportedError(f"kernel '{self.name}': asm['cubin'] is for launchers other than Tilerun's, and this kernel has "
                                   "tensor maps, which they do not pass; compile it with options={'tma': 'off'}, or see asm['sass']")

    def _store(self):
        """Writes machine code for frameworks that launch it themselves (Inductor's static launcher) where they look for it, the
        folder of TRITON_CACHE_DIR, if they have set that and there is an assembler."""
        folder = os.environ.get("TRITON_CACHE_DIR")
        if not folder or not self.target.startswith("cuda:") or self._find_dtypes() is None or _assembler.find(self._arch) is None:
            return
        folder = os.path.join(folder, _base32(self.hash))
        path = os.path.join(folder, f"{self.function.__name__}.cubin")
        if os.path.exists(path):
            with open(path, "rb") as file:
                self._code = file.read()
            return
        from ..runtime.errors import PTXASError
        try:
            code = self._assemble()
        except PTXASError as error:  # One that is older than the PTX, for example.
            warnings.warn(f"{error}\nkernel '{self.name}' is launched by Tilerun, without this file: {path}", RuntimeWarning, stacklevel=3)
            return
        os.makedirs(folder, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
            file.write(code)
        os.replace(file.name, path)  # Other processes find all of it or nothing.

    def _compile(self):
        """Compiles, without touching a device that has a driver: the process may be one that only compiles."""
        if not (self.target.startswith("cpu:") and self._bind()):
            _, _, threads, shared, blocks = self._emit("")
            self._numbers = {"threads": threads, "shared": shared, "blocks": blocks}

    def _tell(self, lowering, storing=0):
        """Tells the listener of knobs.compilation, if there is one, that this was compiled; times are in seconds."""
        from .. import knobs
        listener = knobs.compilation.listener
        if listener is not None:
            stage = [name for name in self.asm._known() if name != "cubin"][-1]
            times = knobs.CompileTimes(0, [(stage, round(lowering * 1e6))], round(storing * 1e6))
            # Whether the library's cache had the code is not known.
            listener(src=self.src, metadata=self.metadata._asdict(), metadata_group={}, times=times, cache_hit=None)

    def _read(self):
        if self._numbers is None:
            if self._is_ahead:
                self._compile()
            else:
                self._numbers = self._native._specialize(self._kind, self._index, self._text, self._options)
        return self._numbers

    def _read_loaded(self):
        """The numbers with those that only the driver knows."""
        self._bind()
        return self._read()

    def _init_handles(self):
        self._read_loaded()

    def _find_dtypes(self):
        """The dtypes of a launch's arguments, None for constants. None if the code takes arguments in parts."""
        from ..runtime._variants import Bound
        from .source import split_signature
        wholes = getattr(self._native, "wholes", {})
        if not all(isinstance(whole, Bound) for whole in wholes.values()):
            return None
        kinds = {name: text.partition(":")[0] for name, text in split_signature(self.signature)}
        if any(kind.startswith("tensordesc") for kind in kinds.values()):
            return None
        return tuple(DTYPES.get(re.sub(r"^\*k?", "", kinds.get(name, ""))) for name in self._function.arg_names)

    def _bind(self):
        """Whether the code is loaded on the device that is here; loads it the first time."""
        if self._bound is None and self._is_ahead:
            kind, index = place = CPU, 0
            if self.target.partition(":")[0] != "cpu":
                kind, index = place = _devices.get_default()
            if kind != _KINDS.get(self.target.partition(":")[0]) or _devices.get_target(kind, index) != self.target:
                return False
            self._bound = self._load(place, self._options)
            if self._bound is not None:
                self._kind, self._index = place
                self._numbers = self._bound.numbers()
        return self._bound is not None

    def _load(self, place, options):
        dtypes = self._find_dtypes()
        if dtypes is None:
            return None
        self._function._ensure_loaded()
        return _native.Specialized(self._native, *place, self._text, options, dtypes, self._run_slowly)

    @property
    def src(self):
        """The function with its signature, constants and facts: an ASTSource."""
        if self._src is None:
            from .source import ASTSource
            self._src = ASTSource.of(self._function, self.signature, getattr(self._native, "wholes", {}))
        return self._src

    @property
    def run(self):
        """A launch by Triton's launcher: the grid's three sizes, stream, function, two times metadata, two hooks, and the
        arguments, with or without the constants. Of code that a launch compiled, the stream is the current one."""
        return self._bound.run if self._bind() else self._run_function

    def _run_function(self, *args, **kwargs):
        if "grid" not in kwargs and len(args) >= 9 and all(type(size) is int for size in args[:3]):
            return self[args[:3]](*args[9:], **kwargs)
        return self[kwargs.pop("grid", (1, ))](*args, **kwargs)

    def _run_slowly(self, x, y, z, stream, function, packed, told, enter, leave, *args):
        """A launch of bound code that is not plain: with hooks, with checks, or on the interpreter."""
        from .. import knobs
        from ..runtime import _copies
        dtypes = self._find_dtypes()
        names = [name for name, dtype in zip(self._function.arg_names, dtypes) if dtype is not None]
        if len(args) == len(dtypes):
            args = [value for value, dtype in zip(args, dtypes) if dtype is not None]
        values, keep = dict(zip(names, args)), []
        tensors = self._function._resolve_all(values, keep)
        kind, index = (CPU, 0) if knobs.runtime.interpret else (self._kind, self._index)
        checks = int(knobs.checks_are_on() and kind == CPU)
        options = self._options
        if checks:
            index, options = _devices.CHECKED, (*options[:4], options[4] or 1, 1, *options[6:])
        code = self._bound
        if (kind, index) != (self._kind, self._index):
            code = self._elsewhere.get((kind, index))
            if code is None:
                code = self._elsewhere[kind, index] = self._load((kind, index), options)
        enter, leave = knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook
        if (enter or leave) and told is None:
            told = self.launch_metadata((x, y, z), stream, *args)
        with _copies.Copies(self.name, kind, index) as copies:
            placed = copies.place(values, tensors)
            if enter:
                enter(told)
            code.launch(x, y, z, stream, None, None, None, None, None, *placed)
            if leave:
                leave(told)

    def launch_metadata(self, grid, stream, *args):
        """The metadata that a launch hook would get."""
        return LaunchMetadata(self.function, self._kind, self._index, grid, dict(zip(self.function.arg_names, args)),
                              lambda: self)

    # Host code divides the device's numbers by these. Where they are not known (for a target that is not here) they are
    # None; a program of the interpreter counts as one register, and what it has in memory as shared memory.

    @property
    def n_regs(self):
        return 1 if self._kind == CPU else self._read_loaded().get("registers")

    @property
    def n_spills(self):
        """32-bit words of a thread's local memory, where spills are."""
        if self._kind == CPU:
            return 0
        local = self._read_loaded().get("local-bytes")
        return None if local is None else local // 4

    @property
    def n_max_threads(self):
        return self._read_loaded().get("max-threads")

    @property
    def shared(self):
        return max(self._read().get("local-bytes", 0), 1) if self._kind == CPU else self._read()["shared"]

    @property
    def num_warps(self):
        """Warps of a program as they are launched; those that only copy count."""
        if not self.target.startswith("cuda:"):
            return self._options[0] or 4
        return self._read()["threads"] // 32

    num_stages = property(lambda self: self._options[1] or 3)
    num_ctas = property(lambda self: self._options[2] or 1)

    @property
    def cluster_dims(self):
        """Of the launch: one block where the kernel could not be divided, whatever num_ctas asks for."""
        return (1 if self._kind == CPU else self._read().get("blocks", 1), 1, 1)

    @property
    def kernel(self):
        return self._emit("")[0]

    @property
    def hash(self):
        return make_hash(self.function, self._native, self.target, self.signature, self._options)

    @property
    def specialization_data(self):
        """The argument of JITFunction.preload."""
        return json.dumps({"name": self.src_name, "signature": self.signature, "options": list(self._options)})

    @property
    def metadata(self):
        from .. import __version__
        target = GPUTarget.parse(self.target)
        return KernelMetadata(**{
            **_METADATA, "name": self.symbol if self.target.startswith("hip:") else self.name, "hash": self.hash, "target": target, "num_warps": self.num_warps,
            "num_stages": self.num_stages, "num_ctas": self.num_ctas, "maxnreg": self._options[3] or None,
            "debug": bool(self._options[4]), "enable_fp_fusion": self._is_fused, "shared": self.shared, "cluster_dims": self.cluster_dims,
            "warp_size": target.warp_size, "backend_name": target.backend, "arch": str(target.arch),
            "sanitize_overflow": self._options[4] != 2, "default_dot_input_precision": "tf32" if target.backend == "cuda" else "ieee",
            "triton_version": __version__})

    packed_metadata = property(lambda self: self.metadata)

    @property
    def _is_fused(self):
        """Whether the kernel's products and sums may be fused."""
        return ("fp-fusion", "false") not in (self._options[6] if len(self._options) > 6 else ())

    def __getitem__(self, grid):
        from .. import knobs
        options = dict(zip(("num_warps", "num_stages", "num_ctas", "maxnreg", "debug"), self._options))
        options = {name: value for name, value in options.items() if value}
        if options.get("debug") == 2:
            options["sanitize_overflow"] = False

        def launch(*args, **kwargs):
            if not kwargs and self._bind():
                sizes = (*grid, 1, 1)[:3] if isinstance(grid, (tuple, list)) else (grid, 1, 1)
                stream = None if self._kind == CPU else _devices._get_stream(self._kind, self._index)
                self._bound.run(*sizes, stream, None, None, None, None, None, *args)
                return self
            # Without the constants, which the kernel has.
            plain = [p.name for p in self.function.params if not p.is_constexpr]
            if len(args) == len(plain) < len(self.function.params):
                constants = {self.function.arg_names[path[0]]: value for path, value in self.src.constants.items() if len(path) == 1}
                named = {name: value for name, value in constants.items() if name not in plain and name not in kwargs}
                args, kwargs = (), {**dict(zip(plain, args)), **named, **kwargs}
            # As it was compiled, whatever the default is by now. Launches with the keyword take longer.
            fusion = {} if self._is_fused == knobs.language.default_fp_fusion else {"enable_fp_fusion": self._is_fused}
            return self.function.run(*args, grid=grid, **{**options, **fusion, **kwargs})

        return _native.make_entry(launch)

    def __repr__(self):
        return f"<kernel '{self.name}' for {self.target}: {self.signature}>"


def _restore(state):
    compiled = CompiledKernel.__new__(CompiledKernel)
    vars(compiled).update(state)
    return compiled


class LaunchMetadata:
    """The metadata for launch hooks: a mapping that is filled on demand."""

    def __init__(self, function, kind, index, grid, values, make_compiled):
        self._function, self._place, self._grid, self._values = function, (kind, index), grid, values
        self._make_compiled = make_compiled

    def get(self):
        kind, index = self._place
        grid = self._grid if isinstance(self._grid, (tuple, list)) else (self._grid, )
        out = {"name": self._function.__name__, "function": self._function, "grid": tuple(grid), "device": index,
               "stream": _devices._get_stream(kind, index) or 0}
        if self._function.launch_metadata is not None:
            out.update(self._function.launch_metadata(grid, self._make_compiled(), self._values))
        return out
