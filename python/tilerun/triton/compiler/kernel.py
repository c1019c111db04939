"""Compiled kernels as host code looks at them: numbers of the loaded code, and its stages as text."""

import hashlib
import json
from collections import namedtuple
from collections.abc import Mapping

from ... import _devices, _native
from ..._memory import CPU
from .target import GPUTarget

# Triton's names of stages in the order of compilation, and the library's.
_STAGES = {"cuda": {"ttir": "tile", "ttgir": "simt", "llir": "llvm", "ptx": "ptx"},
           "hip": {"ttir": "tile", "ttgir": "simt", "llir": "llvm", "amdgcn": "amdgcn", "hsaco": "hsaco"},
           "vulkan": {"ttir": "tile", "ttgir": "simt", "spirv-asm": "spirv-asm", "spirv": "spirv"}, "cpu": {"ttir": "tile"}}
_LANGUAGE_STAGES = {"ttir": "tile"}
_BINARIES = "hsaco", "spirv"


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
        if stage == "source":
            return self._compiled.function.src
        known = self._known()
        if stage not in known:
            raise KeyError(f"no stage '{stage}' of a kernel for {self._compiled.target}; there are {', '.join(sorted(self))}")
        if stage not in self._texts:
            made = self._compiled._emit(known[stage])[0]
            self._texts[stage] = made if stage in _BINARIES else made.decode("utf-8", "replace")
        return self._texts[stage]

    def __repr__(self):
        return f"<stages {', '.join(self)} of {self._compiled!r}>"


_METADATA = {"name": None, "hash": None, "target": None, "num_warps": 4, "num_stages": 3, "num_ctas": 1, "maxnreg": None,
             "debug": False, "shared": 0, "cluster_dims": (1, 1, 1), "warp_size": 32, "tmem_size": 0,
             "global_scratch_size": 0, "global_scratch_align": 1, "profile_scratch_size": 0, "profile_scratch_align": 1,
             "backend_name": None, "arch": None, "enable_fp_fusion": True, "launch_cooperative_grid": False,
             "launch_pdl": False, "extern_libs": (), "ptx_version": None, "triton_version": None}
KernelMetadata = namedtuple("KernelMetadata", sorted(_METADATA))


class CompiledKernel:
    """The code that a launch compiled. Its properties are computed on demand."""

    def __init__(self, function, native, kind, index, signature, options, target=None, src=None):
        self.function, self._native = function, native
        self._kind, self._index, self.signature, self._options = kind, index, signature, options
        self.target = target or _devices.get_target(kind, index)
        self.name = self.src_name = function.fn.__name__
        self._src = src
        self.asm = Stages(self)
        self.module = None
        self._numbers = None

    def _emit(self, stage):
        return self._native._emit(self.target, self.signature, self._options, stage)

    def _read(self):
        if self._numbers is None:
            if self._kind is None:
                _, _, threads, shared = self._emit("")
                self._numbers = {"threads": threads, "shared": shared}
            else:
                self._numbers = self._native._specialize(self._kind, self._index, self.signature, self._options)
        return self._numbers

    def _init_handles(self):
        self._read()

    @property
    def src(self):
        """The function with its signature, constants and facts: an ASTSource."""
        if self._src is None:
            from .source import ASTSource
            self._src = ASTSource.of(self.function, self.signature, getattr(self._native, "wholes", {}))
        return self._src

    def run(self, *args, **kwargs):
        """A launch by Triton's launcher: the grid's three sizes, stream, function, two times metadata, two hooks, and the
        arguments. The stream is the current one."""
        if "grid" not in kwargs and len(args) >= 9 and all(type(size) is int for size in args[:3]):
            return self[args[:3]](*args[9:], **kwargs)
        return self[kwargs.pop("grid", (1, ))](*args, **kwargs)

    def launch_metadata(self, grid, stream, *args):
        """The metadata that a launch hook would get."""
        return LaunchMetadata(self.function, self._kind, self._index, grid, dict(zip(self.function.arg_names, args)),
                              lambda: self)

    # Host code divides the device's numbers by these. Where they are not known (for a target that is not here) they are
    # None; a program of the interpreter counts as one register, and what it has in memory as shared memory.

    @property
    def n_regs(self):
        return 1 if self._kind == CPU else self._read().get("registers")

    @property
    def n_spills(self):
        """32-bit words of a thread's local memory, where spills are."""
        if self._kind == CPU:
            return 0
        local = self._read().get("local-bytes")
        return None if local is None else local // 4

    @property
    def n_max_threads(self):
        return self._read().get("max-threads")

    @property
    def shared(self):
        return max(self._read().get("local-bytes", 0), 1) if self._kind == CPU else self._read()["shared"]

    num_warps = property(lambda self: self._options[0] or 4)
    num_stages = property(lambda self: self._options[1] or 3)
    num_ctas = property(lambda self: self._options[2] or 1)

    @property
    def kernel(self):
        return self._emit("")[0]

    @property
    def hash(self):
        from ..runtime.cache import triton_key
        return hashlib.sha256(
            repr((triton_key(), self.target, self.signature, self._options, self.function.src)).encode()).hexdigest()

    @property
    def specialization_data(self):
        """The argument of JITFunction.preload."""
        return json.dumps({"name": self.name, "signature": self.signature, "options": list(self._options)})

    @property
    def metadata(self):
        from .. import __version__
        target = GPUTarget.parse(self.target)
        return KernelMetadata(**{
            **_METADATA, "name": self.name, "hash": self.hash, "target": target, "num_warps": self.num_warps,
            "num_stages": self.num_stages, "num_ctas": self.num_ctas, "maxnreg": self._options[3] or None,
            "debug": bool(self._options[4]), "shared": self.shared, "cluster_dims": (self.num_ctas, 1, 1),
            "warp_size": target.warp_size, "backend_name": target.backend, "arch": str(target.arch),
            "triton_version": __version__})

    packed_metadata = property(lambda self: self.metadata)

    def __getitem__(self, grid):
        options = dict(zip(("num_warps", "num_stages", "num_ctas", "maxnreg", "debug"), self._options))
        options = {name: value for name, value in options.items() if value}
        def launch(*args, **kwargs):
            # Without the constants, which the kernel has.
            plain = [p.name for p in self.function.params if not p.is_constexpr]
            if len(args) == len(plain) < len(self.function.params):
                constants = {self.function.arg_names[path[0]]: value for path, value in self.src.constants.items() if len(path) == 1}
                named = {name: value for name, value in constants.items() if name not in plain and name not in kwargs}
                args, kwargs = (), {**dict(zip(plain, args)), **named, **kwargs}
            return self.function.run(*args, grid=grid, **{**options, **kwargs})

        return _native.make_entry(launch)

    def __repr__(self):
        return f"<kernel '{self.name}' for {self.target}: {self.signature}>"


class LaunchMetadata:
    """The metadata for launch hooks: a mapping that is filled on demand."""

    def __init__(self, function, kind, index, grid, values, make_compiled):
        self._function, self._place, self._grid, self._values = function, (kind, index), grid, values
        self._make_compiled = make_compiled

    def get(self):
        kind, index = self._place
        grid = self._grid if isinstance(self._grid, (tuple, list)) else (self._grid, )
        out = {"name": self._function.fn.__name__, "function": self._function, "grid": tuple(grid), "device": index,
               "stream": _devices._get_stream(kind, index) or 0}
        if self._function.launch_metadata is not None:
            out.update(self._function.launch_metadata(grid, self._make_compiled(), self._values))
        return out
