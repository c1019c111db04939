"""Compiled kernels as host code looks at them: numbers of the loaded code, and its stages as text."""

import hashlib
import json
from types import SimpleNamespace

from ... import _devices
from ..._memory import CPU
from .target import GPUTarget

# Triton's names of stages, and the library's.
_STAGES = {"cuda": {"ttir": "tile", "ttgir": "simt", "llir": "llvm", "ptx": "ptx"}, "cpu": {"ttir": "tile"}}
_LANGUAGE_STAGES = {"ttir": "tile"}


class Stages:
    """A mapping from a stage's name to its text; each is made when it is asked for."""

    def __init__(self, compiled):
        self._compiled, self._texts = compiled, {}

    def _known(self):
        return _STAGES.get(self._compiled.target.partition(":")[0], _LANGUAGE_STAGES)

    def keys(self):
        return self._known().keys() | {"source"}

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self.keys())

    def __contains__(self, stage):
        return stage in self.keys()

    def __getitem__(self, stage):
        if stage == "source":
            return self._compiled.function.src
        known = self._known()
        if stage not in known:
            known = ", ".join(sorted(self.keys()))
            raise KeyError(f"no stage '{stage}' of a kernel for {self._compiled.target}; there are {known}")
        if stage not in self._texts:
            self._texts[stage] = self._compiled._emit(known[stage])[0].decode("utf-8", "replace")
        return self._texts[stage]

    def get(self, stage, default=None):
        return self[stage] if stage in self else default

    def items(self):
        return [(stage, self[stage]) for stage in self]

    def values(self):
        return [self[stage] for stage in self]


class CompiledKernel:
    """What a launch compiled. Everything about it is found out when it is asked for."""

    def __init__(self, function, native, kind, index, signature, options, target=None):
        self.function, self._native = function, native
        self._kind, self._index, self.signature, self._options = kind, index, signature, options
        self.target = target or _devices.get_target(kind, index)
        self.name = self.src_name = function.fn.__name__
        self.src = function
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

    def run(self, *args, **kwargs):
        return self[kwargs.pop("grid", (1, ))](*args, **kwargs)

    @property
    def n_regs(self):
        return self._read().get("registers", 0)

    @property
    def n_spills(self):
        """32-bit words of a thread's local memory, where spills are."""
        return self._read().get("local-bytes", 0) // 4

    @property
    def n_max_threads(self):
        return self._read().get("max-threads", 0)

    @property
    def shared(self):
        return self._read()["shared"]

    @property
    def kernel(self):
        return self._emit("")[0]

    @property
    def hash(self):
        return hashlib.sha256(repr((self.target, self.signature, self._options, self.function.src)).encode()).hexdigest()

    @property
    def specialization_data(self):
        """What JITFunction.preload takes."""
        return json.dumps({"name": self.name, "signature": self.signature, "options": list(self._options)})

    @property
    def metadata(self):
        num_warps, num_stages, num_ctas, maxnreg, debug, _ = self._options
        target = GPUTarget.parse(self.target)
        return SimpleNamespace(name=self.name, hash=self.hash, target=target, num_warps=num_warps or 4,
                               num_stages=num_stages or 3, num_ctas=num_ctas or 1, maxnreg=maxnreg or None,
                               debug=bool(debug), shared=self._read()["shared"], cluster_dims=(num_ctas or 1, 1, 1),
                               warp_size=target.warp_size, tmem_size=0, global_scratch_size=0, profile_scratch_size=0,
                               backend_name=target.backend, arch=str(target.arch))

    packed_metadata = property(lambda self: self.metadata)

    def __getitem__(self, grid):
        options = dict(zip(("num_warps", "num_stages", "num_ctas", "maxnreg", "debug"), self._options))
        options = {name: value for name, value in options.items() if value}
        return lambda *args, **kwargs: self.function.run(*args, grid=grid, **{**options, **kwargs})

    def __repr__(self):
        return f"<kernel '{self.name}' for {self.target}: {self.signature}>"


class LaunchMetadata:
    """What launch hooks are told: a mapping that is filled when it is asked for."""

    def __init__(self, function, kind, index, grid, values):
        self._function, self._place, self._grid, self._values = function, (kind, index), grid, values

    def get(self):
        kind, index = self._place
        grid = self._grid if isinstance(self._grid, (tuple, list)) else (self._grid, )
        out = {"name": self._function.fn.__name__, "function": self._function, "grid": tuple(grid), "device": index,
               "stream": 0 if kind == CPU else _devices._get_stream(index)}
        if self._function.launch_metadata is not None:
            out.update(self._function.launch_metadata(grid, SimpleNamespace(name=out["name"]), self._values))
        return out
