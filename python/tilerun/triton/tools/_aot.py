"""The C code of kernels that are compiled ahead of time: what `tools.compile` writes for one kernel, and how `tools.link` reads it."""

import json
import re
from dataclasses import asdict, dataclass

# A line of each header, by which `tools.link` knows the kernel: Variant as JSON.
MARK = "// tilerun-kernel: "


@dataclass(frozen=True)
class Driver:
    """How C code calls a driver."""
    header: str
    status: str
    ok: str
    invalid: str
    stream: str
    pointer: str
    module: str
    function: str
    # Calls, with the names that the C code has for its own: no parameter of a kernel ends like these.
    load: str
    find: str
    allow_shared: str
    unload: str
    launch: str


DRIVERS = {
    "cuda": Driver("cuda.h", "CUresult", "CUDA_SUCCESS", "CUDA_ERROR_INVALID_VALUE", "CUstream", "CUdeviceptr", "CUmodule", "CUfunction",
                   "cuModuleLoadDataEx(&module_, image_, 0, NULL, NULL)", "cuModuleGetFunction(&function_, module_, \"{name}\")",
                   "cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, {bytes})", "cuModuleUnload(module_)",
                   "cuLaunchKernel"),
    "hip": Driver("hip/hip_runtime_api.h", "hipError_t", "hipSuccess", "hipErrorInvalidValue", "hipStream_t", "hipDeviceptr_t",
                  "hipModule_t", "hipFunction_t", "hipModuleLoadData(&module_, image_)",
                  "hipModuleGetFunction(&function_, module_, \"{name}\")", "hipSuccess", "hipModuleUnload(module_)",
                  "hipModuleLaunchKernel"),
}
# More than this of dynamic shared memory has to be asked for (CUDA C++ Programming Guide, 7.2.3).
_PLAIN_SHARED = 48 << 10

# Floats of 16 bits are passed as their bits, since C has no name for them.
_TYPES = {"i1": "bool", "u1": "bool", "fp16": "uint16_t", "bf16": "uint16_t", "fp32": "float", "fp64": "double",
          **{f"i{bits}": f"int{bits}_t" for bits in (8, 16, 32, 64)}, **{f"u{bits}": f"uint{bits}_t" for bits in (8, 16, 32, 64)}}


def find_type(kind, driver):
    """The C type of a parameter, or None."""
    return driver.pointer if kind.startswith("*") else _TYPES.get(kind)


@dataclass(frozen=True)
class Variant:
    """A compiled kernel: one specialization of one choice of constants, warps and stages."""
    kernel: str  # The name of all that belong together.
    algorithm: str  # The same for those that differ only in what they demand of their arguments.
    function: str  # The C function.
    backend: str
    parameters: list  # Pairs of a C type and a name: those of the kernel that are not constexpr.
    demands: dict  # By name: 1, or what the value is a multiple of.

    @property
    def passed(self):
        return [(kind, name) for kind, name in self.parameters if self.demands.get(name) != 1]


def read(text, path):
    """The Variant of a header's text; ValueError if it has none."""
    found = re.search(f"^{re.escape(MARK)}(.*)$", text, re.MULTILINE)
    if found is None:
        raise ValueError(f"{path} is not a header of triton.tools.compile: it has no line '{MARK.strip()}'")
    return Variant(**json.loads(found.group(1)))


def declare(pairs, driver):
    return ", ".join([f"{driver.stream} stream_", *(f"{kind} {name}" for kind, name in pairs)])


def write_guarded(name, driver, lines):
    """A header's text."""
    guard = f"TILERUN_{re.sub('[^A-Za-z0-9_]', '_', name).upper()}_H"
    return "\n".join([f"#ifndef {guard}", f"#define {guard}", "", f"#include <{driver.header}>", "#include <stdbool.h>", "#include <stdint.h>", "",
                      "#ifdef __cplusplus", "extern \"C\" {", "#endif", "", *lines, "", "#ifdef __cplusplus", "}", "#endif", "", "#endif", ""])


def write_header(variant):
    driver = DRIVERS[variant.backend]
    name = variant.function
    return write_guarded(name, driver, [
        MARK + json.dumps(asdict(variant)),
        f"// Loads the code into the current context; no other thread may use this kernel meanwhile. {name} does it when it is first called.",
        f"{driver.status} load_{name}(void);", f"{driver.status} unload_{name}(void);",
        "// Launches on a stream, which may be null.", f"{driver.status} {name}({declare(variant.passed, driver)});"])


def write_source(variant, header, code, grid, threads, shared, entry, what):
    """`code`: machine code, or text that ends with a zero. `grid`: three C expressions of the parameters. `entry`: the kernel's name in
    the code. `what`: a line about it."""
    driver, name = DRIVERS[variant.backend], variant.function
    rows = [", ".join(f"0x{byte:02x}" for byte in code[at:at + 24]) for at in range(0, len(code), 24)]
    ask = []
    if shared > _PLAIN_SHARED and driver.allow_shared != driver.ok:
        ask = [f"  if (status_ == {driver.ok})", f"    status_ = {driver.allow_shared.format(bytes=shared)};"]
    constants = [f"  const {kind} {parameter} = 1;" for kind, parameter in variant.parameters if variant.demands.get(parameter) == 1]
    unused = [f"  (void){parameter};" for _, parameter in variant.parameters]
    passed = ", ".join(f"&{parameter}" for _, parameter in variant.passed)
    return "\n".join([
        f"// {what}", f"#include \"{header}\"", "", "#include <stddef.h>", "", "static const unsigned char image_[] = {",
        *(f"    {row}," for row in rows), "};", f"static {driver.module} module_;", f"static {driver.function} function_;", "",
        f"{driver.status} load_{name}(void) {{", "  if (function_)", f"    return {driver.ok};",
        f"  {driver.status} status_ = {driver.load};", f"  if (status_ == {driver.ok})", f"    status_ = {driver.find.format(name=entry)};", *ask,
        f"  if (status_ != {driver.ok})", f"    unload_{name}();", "  return status_;", "}", "",
        f"{driver.status} unload_{name}(void) {{", "  if (!module_)", f"    return {driver.ok};",
        f"  {driver.status} status_ = {driver.unload};", "  module_ = NULL;", "  function_ = NULL;", "  return status_;", "}", "",
        f"{driver.status} {name}({declare(variant.passed, driver)}) {{", *constants, *unused,
        *(f"  const unsigned g{axis}_ = (unsigned)({size});" for axis, size in zip("XYZ", grid)),
        f"  {driver.status} status_ = load_{name}();", f"  if (status_ != {driver.ok} || !gX_ || !gY_ || !gZ_)", "    return status_;",
        f"  void *arguments_[] = {{{passed + ', ' if passed else ''}NULL}};",
        f"  return {driver.launch}(function_, gX_, gY_, gZ_, {threads}, 1, 1, {shared}, stream_, arguments_, NULL);", "}", ""])
