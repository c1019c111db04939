"""Machine code for NVIDIA's GPUs without a device: `asm["cubin"]` of a compiled kernel. No launch of Tilerun needs it; frameworks
keep such code in their caches, and launch it by launchers of their own. One of these makes it, in this order: the ptxas that
TRITON_PTXAS_PATH names; another ptxas; NVIDIA's linker as a library (nvJitLink), which comes with PyTorch; a device's driver.
Linkers come last: they compile relocatable code, which takes more registers in two of five kernels."""

import ctypes
import functools
import glob
import os
import subprocess
import sys
import tempfile

_LINKERS = "libnvJitLink.so.13", "libnvJitLink.so.12"
# The releases of nvJitLink that know an architecture: from the first one to before the second. It ends the process that asks
# for another one.
_RELEASES = {**dict.fromkeys(("50", "52", "53", "60", "61", "62", "70", "72"), ((12, 0), (13, 0))),
             **dict.fromkeys(("75", "80", "86", "87", "89", "90"), ((12, 0), None)),
             **dict.fromkeys(("100", "120"), ((12, 8), None)), "101": ((12, 8), (13, 0)),
             **dict.fromkeys(("103", "121"), ((12, 9), None)), **dict.fromkeys(("88", "110"), ((13, 0), None))}
_PTX_INPUT = 2  # In nvJitLink's numbers of kinds of input.
_DRIVER_PTX_INPUT = 1  # In the driver's.


def find(arch):
    """What assembles for an architecture without a device: a function of PTX and the architecture, or None."""
    path = _find_ptxas()
    if path:
        return functools.partial(_run_ptxas, path)
    linker = _find_linker()
    return functools.partial(_link, linker) if linker is not None and _knows(linker, arch) else None


def assemble(ptx, arch):
    """The machine code, an ELF file, of a module's PTX (a str) for an architecture such as "sm_90a". Raises PTXASError with the
    assembler's messages, or UnavailableError if none is found. May be called by any thread."""
    from .errors import UnavailableError
    code = (find(arch) or _ask_driver)(ptx, arch)
    if code is not None:
        return code
    raise UnavailableError(
        f"machine code for {arch} needs an assembler, and none was found: neither ptxas (TRITON_PTXAS_PATH names one), nor nvJitLink "
        f"({' or '.join(_LINKERS)}, in the package nvidia-nvjitlink and in CUDA toolkits), nor a device of this architecture, whose "
        "driver has one; kernels are launched without it")


def _options(ptx):
    """Those of nvJitLink and ptxas alike; the second list is of the assembler's own."""
    from .triton import knobs
    common, own = [], (knobs.nvidia.ptxas_options or "").split()
    if ".loc" in ptx:
        common.append("-lineinfo")
    if knobs.nvidia.disable_ptxas_opt:
        own += ["--opt-level", "0"]
    return common, own


def _fail(assembler, arch, log):
    from .triton.runtime.errors import PTXASError
    raise PTXASError(f"{assembler} does not assemble the kernel for {arch}:\n{log.strip() or 'it says nothing'}")


# -- nvJitLink


@functools.cache
def _find_linker():
    """The library, or None; one that is loaded already, as PyTorch's is, is found by its name."""
    toolkit = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    folders = [folder for root in sys.path for folder in sorted(glob.glob(os.path.join(root, "nvidia", "*", "lib")), reverse=True)]
    folders += [os.path.join(toolkit, "lib64"), os.path.join(toolkit, "lib")]
    for path in (*_LINKERS, *(os.path.join(folder, name) for name in _LINKERS for folder in folders)):
        try:
            library = ctypes.CDLL(path)
            library.nvJitLinkCreate.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_uint32, ctypes.POINTER(ctypes.c_char_p)]
            library.nvJitLinkAddData.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p]
            library.nvJitLinkVersion.argtypes = [ctypes.POINTER(ctypes.c_uint)] * 2
            library.nvJitLinkComplete.argtypes = [ctypes.c_void_p]
            library.nvJitLinkDestroy.argtypes = [ctypes.POINTER(ctypes.c_void_p)]
            for name in ("ErrorLog", "LinkedCubin"):
                getattr(library, f"nvJitLinkGet{name}Size").argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t)]
                getattr(library, f"nvJitLinkGet{name}").argtypes = [ctypes.c_void_p, ctypes.c_char_p]
            return library
        except (OSError, AttributeError):
            continue
    return None


def _knows(library, arch):
    first, end = _RELEASES.get(arch.removeprefix("sm_").rstrip("af"), (None, None))
    major, minor = ctypes.c_uint(), ctypes.c_uint()
    if first is None or library.nvJitLinkVersion(ctypes.byref(major), ctypes.byref(minor)):
        return False
    release = major.value, minor.value
    return first <= release and (end is None or release < end)


def _link(library, ptx, arch):
    common, own = _options(ptx)
    options = [f"-arch={arch}", *common, *(f"-Xptxas={option}" for option in own)]
    texts = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    handle = ctypes.c_void_p()

    def read(name):
        size = ctypes.c_size_t()
        if getattr(library, f"nvJitLinkGet{name}Size")(handle, ctypes.byref(size)):
            return b""
        buffer = ctypes.create_string_buffer(max(size.value, 1))
        return b"" if getattr(library, f"nvJitLinkGet{name}")(handle, buffer) else buffer.raw[:size.value]

    try:
        source = ptx.encode()
        error = (library.nvJitLinkCreate(ctypes.byref(handle), len(options), texts)
                 or library.nvJitLinkAddData(handle, _PTX_INPUT, source, len(source), b"kernel")
                 or library.nvJitLinkComplete(handle))
        code = b"" if error else read("LinkedCubin")
        if not code:
            _fail("nvJitLink", arch, read("ErrorLog").rstrip(b"\0").decode("utf-8", "replace") if handle else f"error {error}")
        return code
    finally:
        if handle:
            library.nvJitLinkDestroy(ctypes.byref(handle))


# -- ptxas


def _find_ptxas():
    from .triton import knobs
    try:
        return knobs.nvidia.ptxas.path
    except RuntimeError:
        found = [path for root in sys.path for path in glob.glob(os.path.join(root, "torch", "bin", "ptxas"))]
        return next((path for path in found if os.access(path, os.X_OK)), None)


def _run_ptxas(path, ptx, arch):
    common, own = _options(ptx)
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "kernel.ptx"), os.path.join(folder, "kernel.cubin")
        with open(source, "w", encoding="utf-8") as file:
            file.write(ptx)
        try:
            done = subprocess.run([path, f"-arch={arch}", *common, *own, source, "-o", binary], capture_output=True, text=True,
                                  errors="replace")
        except OSError as error:
            _fail(path, arch, str(error))
        if done.returncode:
            _fail(path, arch, done.stdout + done.stderr)
        with open(binary, "rb") as file:
            return file.read()


# -- The driver of a device that is here


def _ask_driver(ptx, arch):
    """The code as the driver makes it, or None if this process may use no device of this architecture."""
    from . import _native
    index = next((int(id.partition(":")[2]) for id, _, _, target in _native.list_devices() if target == f"cuda:{arch}"), None)
    if index is None:
        return None
    driver = ctypes.CDLL(os.environ.get("TILERUN_CUDA_DRIVER") or "libcuda.so.1")
    device, context, link = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
    image, size = ctypes.c_void_p(), ctypes.c_size_t()

    def call(name, *arguments):
        error = getattr(driver, name)(*arguments)
        if error:
            _fail("the driver", arch, f"{name} gives the error {error}")

    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), index)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    try:
        call("cuCtxPushCurrent_v2", context)
        try:
            call("cuLinkCreate_v2", 0, None, None, ctypes.byref(link))
            source = ptx.encode() + b"\0"
            call("cuLinkAddData_v2", link, _DRIVER_PTX_INPUT, source, ctypes.c_size_t(len(source)), b"kernel", 0, None, None)
            call("cuLinkComplete", link, ctypes.byref(image), ctypes.byref(size))
            return ctypes.string_at(image, size.value)
        finally:
            if link:
                driver.cuLinkDestroy(link)
            driver.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))
    finally:
        driver.cuDevicePrimaryCtxRelease_v2(device)


# -- Machine code as text


def disassemble(code):
    """The instructions of machine code, by nvdisasm or cuobjdump (knobs.nvidia); a RuntimeError if there is neither."""
    from .triton import knobs
    options = ["-c"]
    try:
        tool = knobs.nvidia.nvdisasm
    except RuntimeError:
        tool, options = knobs.nvidia.cuobjdump, ["-sass"]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kernel.cubin")
        with open(path, "wb") as file:
            file.write(code)
        done = subprocess.run([tool.path, *options, path], capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise RuntimeError(f"{tool.path} does not read the machine code:\n{done.stdout}{done.stderr}")
    return done.stdout
