#!/usr/bin/env python3
"""A wait that never ends must be an error of the launch where waits are bounded. Compiles the example's matrix product with a
producer role and bounded waits, runs it, and runs it again without the arrivals that end its phases. Needs the driver alone
(sm_90 or later).

    bench/gpu/hang.py BUNDLE"""
import ctypes as c
import os
import re
import subprocess
import sys
import tempfile
import time

SIZE, BLOCKS = 128, {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32}
SIGNATURE = ", ".join([f"{name}=*f16:16" for name in ("a_ptr", "b_ptr", "c_ptr")] + [f"{name}=i32:16" for name in "MNK"] +
                      ["stride_am=i32:16, stride_ak=1, stride_bk=i32:16, stride_bn=1, stride_cm=i32:16, stride_cn=1"] +
                      [f"{name}={value}" for name, value in BLOCKS.items()])
LOOKS, MOST_SECONDS = 100_000, 60
ARRIVAL = re.compile(r"^.*mbarrier\.arrive.*$", re.MULTILINE)


def compile_ptx(bundle):
    with tempfile.TemporaryDirectory() as folder:
        schedule, out = os.path.join(folder, "schedule"), os.path.join(folder, "out.ptx")
        with open(schedule, "w") as file:
            file.write("loop #0: slots=3 roles=producer:4,consumer\n")
        kernel = os.path.join(bundle, "share/tilerun/examples/matmul.py") + "::matmul_kernel"
        subprocess.run([os.path.join(bundle, "bin/tilerun"), "compile", kernel, "--signature", SIGNATURE, "--target", "cuda:sm_90a",
                        "--num-warps", "4", "--schedule", schedule, "--bounded-waits", str(LOOKS), "--emit", "ptx", "-o", out], check=True)
        with open(out) as file:
            return file.read()


def launch(ptx):
    """The driver's error of the launch; 0: none. The process has no device after one."""
    cuda = c.CDLL("libcuda.so.1")

    def call(name, *arguments):
        if code := getattr(cuda, name)(*arguments):
            sys.exit(f"{name}: error {code}")

    context, module, kernel, memory = c.c_void_p(), c.c_void_p(), c.c_void_p(), c.c_uint64()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", c.byref(context), 0)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoadData", c.byref(module), ptx.encode() + b"\0")
    call("cuModuleGetFunction", c.byref(kernel), module, b"matmul_kernel")
    call("cuFuncSetAttribute", kernel, 8, 64 * 1024)  # The most dynamic shared memory.
    call("cuMemAlloc_v2", c.byref(memory), c.c_size_t(6 * SIZE * SIZE))
    call("cuMemsetD8_v2", memory, 0, c.c_size_t(6 * SIZE * SIZE))
    matrices = [c.c_uint64(memory.value + 2 * SIZE * SIZE * i) for i in range(3)]
    values = matrices + [c.c_uint32(SIZE) for _ in range(6)]  # Strides of 1 are in the code.
    pointers = (c.c_void_p * len(values))(*(c.cast(c.byref(x), c.c_void_p) for x in values))
    threads = int(re.search(r"\.reqntid (\d+)", ptx).group(1))
    call("cuLaunchKernel", kernel, 2, 2, 1, threads, 1, 1, 64 * 1024, None, pointers, None)
    return cuda.cuCtxSynchronize()


def main():
    if sys.argv[1] == "--launch":
        return print(launch(sys.stdin.read()))
    ptx = compile_ptx(sys.argv[1])
    lost, count = ARRIVAL.subn("", ptx)
    if count < 2:
        sys.exit("FAILED: the kernel has no phases whose arrivals could be lost")
    for what, text, fails in (("all arrivals", ptx, False), ("none of its arrivals", lost, True)):
        start = time.monotonic()
        try:
            done = subprocess.run([sys.executable, __file__, "--launch"], input=text, capture_output=True, text=True, timeout=MOST_SECONDS)
        except subprocess.TimeoutExpired:
            sys.exit(f"FAILED: a launch with {what} does not end")
        if done.returncode:
            sys.exit(f"FAILED: {done.stderr.strip()}")
        code = int(done.stdout)
        if (code != 0) != fails:
            sys.exit(f"FAILED: a launch with {what} gives error {code}")
        print(f"a launch with {what} ends after {time.monotonic() - start:.1f} s with error {code}")


main()
