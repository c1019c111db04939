"""The C API (tilerun.h) by ctypes, as far as the measurements need it: several runtimes and caches in one process,
which the Python package does not have. Launches go to PyTorch's context and current stream."""

import ctypes as c
import os

BUNDLE = os.environ.get("TILERUN_BUNDLE", os.path.join(os.path.dirname(__file__), "..", "..", ".."))
POINTER, INTEGER, FLOAT, BOOL, STRING, DTYPE, NONE = 1, 2, 3, 17, 18, 19, 20
DTYPES = {"bool": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "uint8": 6, "uint16": 7, "uint32": 8,
          "uint64": 9, "float8_e5m2": 10, "float8_e4m3fn": 11, "float16": 15, "bfloat16": 16, "float32": 17,
          "float64": 18}


class Value(c.Union):
    _fields_ = [("address", c.c_uint64), ("integer", c.c_int64), ("number", c.c_double), ("text", c.c_char_p)]


class Argument(c.Structure):
    _fields_ = [("kind", c.c_uint16), ("dtype", c.c_uint16), ("reserved", c.c_uint32), ("value", Value)]


class TargetOption(c.Structure):
    _fields_ = [("name", c.c_char_p), ("value", c.c_char_p)]


class CompileOptions(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("num_warps", c.c_uint32), ("num_stages", c.c_uint32),
                ("debug", c.c_uint32), ("checks", c.c_uint32), ("maxnreg", c.c_uint32), ("num_ctas", c.c_uint32),
                ("num_options", c.c_uint32), ("options", c.POINTER(TargetOption))]


class LaunchOptions(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("grid", c.c_uint32 * 3), ("compile", c.POINTER(CompileOptions))]


class RuntimeOptions(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("num_plugins", c.c_uint32), ("plugins", c.c_void_p),
                ("plugin_path", c.c_char_p), ("cache_folder", c.c_char_p), ("user", c.c_void_p), ("log", c.c_void_p)]


class Error(RuntimeError):
    pass


class Library:
    """One runtime and one device; kernels are loaded by file and name. `options`: of the target, for all kernels."""

    def __init__(self, device="cuda:0", cache_folder=None, bundle=BUNDLE, options=None):
        # The common option has a field of its own.
        self.maxnreg = int((options or {}).get("maxnreg", 0))
        pairs = [(name.encode(), value.encode()) for name, value in (options or {}).items() if name != "maxnreg"]
        self.options = (TargetOption * len(pairs))(*(TargetOption(*pair) for pair in pairs))
        self.lib = c.CDLL(os.path.join(bundle, "lib", "libtilerun.so"))
        self.lib.tilerunGetErrorMessage.restype = c.c_char_p
        options = RuntimeOptions(struct_size=c.sizeof(RuntimeOptions),
                                 cache_folder=cache_folder.encode() if cache_folder is not None else None)
        self.runtime, self.device = c.c_void_p(), c.c_void_p()
        self.call("tilerunCreateRuntime", c.byref(options), c.byref(self.runtime))
        self.call("tilerunOpenDevice", self.runtime, device.encode(), None, c.byref(self.device))
        self.streams, self.kernels = {}, {}

    def call(self, name, *arguments):
        if getattr(self.lib, name)(*arguments):
            raise Error(f"{name}: {self.lib.tilerunGetErrorMessage().decode()}")

    def stream(self, native):
        if native not in self.streams:
            stream = c.c_void_p()
            self.call("tilerunAdoptStream", self.device, c.c_uint64(native), c.byref(stream))
            self.streams[native] = stream
        return self.streams[native]

    def kernel(self, path, name):
        key = path, name
        if key not in self.kernels:
            handle = c.c_void_p()
            self.call("tilerunLoadKernel", self.runtime, path.encode(), name.encode(), c.byref(handle))
            self.kernels[key] = handle
        return self.kernels[key]

    def launch(self, kernel, grid, arguments, num_warps=0, num_stages=0, num_ctas=0):
        """`arguments` in the order of the parameters."""
        self.prepared(kernel, grid, arguments, num_warps, num_stages, num_ctas)()

    def prepared(self, kernel, grid, arguments, num_warps=0, num_stages=0, num_ctas=0):
        """A launch with these arguments, which are converted once; tensors must live as long as it is used."""
        import torch
        packed = (Argument * len(arguments))(*map(pack, arguments))
        compile_options = CompileOptions(c.sizeof(CompileOptions), num_warps, num_stages, num_ctas=num_ctas, maxnreg=self.maxnreg)
        compile_options.num_options, compile_options.options = len(self.options), self.options
        grid = (tuple(grid) + (1, 1))[:3]
        options = LaunchOptions(c.sizeof(LaunchOptions), (c.c_uint32 * 3)(*grid), c.pointer(compile_options))

        def launch():
            stream = self.stream(torch.cuda.current_stream().cuda_stream)
            self.call("tilerunLaunch", stream, kernel, c.byref(options), packed, len(arguments))

        launch.arguments = arguments
        return launch


def pack(value):
    if hasattr(value, "data_ptr"):
        return Argument(POINTER, DTYPES[str(value.dtype).removeprefix("torch.")], 0, Value(address=value.data_ptr()))
    if value is None:
        return Argument(NONE, 0, 0, Value(integer=0))
    if isinstance(value, bool):
        return Argument(BOOL, 0, 0, Value(integer=value))
    if isinstance(value, int):
        return Argument(INTEGER, 0, 0, Value(integer=value))
    if isinstance(value, float):
        return Argument(FLOAT, 0, 0, Value(number=value))
    if isinstance(value, str):
        return Argument(STRING, 0, 0, Value(text=value.encode()))
    raise TypeError(f"cannot pass {value!r} to a kernel")
