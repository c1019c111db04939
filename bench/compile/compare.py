"""The time to compile kernels.py for cuda:sm_90a, beside Triton's in the same minute; needs no GPU.

    bench/compile/compare.py [--ptxas PTXAS] TILERUN [KERNEL:BLOCK:WARPS …]

Both times end with PTX, exclude start-up (for Tilerun, the time of `--version` is subtracted;
Triton has compiled another kernel before), and are seconds of processor time. With --ptxas, what it
takes for the PTX of either follows.
"""
import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CASES = ("elementwise:1024:4 softmax:1024:4 cumsum:1024:4 sort:1024:4 sort:4096:4 topk:4096:4 cumsum:32768:1 "
         "recurrence:32768:1 elementwise:32768:1 softmax:32768:1 total:262144:4 elementwise:262144:4 softmax:262144:4 "
         "elementwise:1048576:32 softmax:1048576:32").split()
LIMIT = 200

TRITON = """
import sys, time, importlib.util
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
spec = importlib.util.spec_from_file_location('kernels', sys.argv[1])
kernels = importlib.util.module_from_spec(spec)
spec.loader.exec_module(kernels)
kernel, block, warps, out = sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
target = GPUTarget('cuda', 90, 32)
attrs = {(i,): [['tt.divisibility', 16]] for i in range(2)}
def source(kernel, block):
    signature = {'x_ptr': '*fp32', 'y_ptr': '*fp32', 'n': 'i32', 'BLOCK': 'constexpr'}
    return ASTSource(fn=getattr(kernels, kernel), signature=signature, constexprs={'BLOCK': block}, attrs=attrs)
# The first one of a process takes longer.
triton.compile(source('total', 64), target=target)
begin = time.process_time()
# The last stage is ptxas, in a process of its own.
compiled = triton.compile(source(kernel, block), target=target, options={'num_warps': warps})
print(time.process_time() - begin)
open(out, 'w').write(compiled.asm['ptx'])
"""


def run(command, **options):
    """Processor seconds that a command takes, and its output; None if it fails or takes too
    long."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, **options)
    except subprocess.TimeoutExpired:
        return None, f"more than {LIMIT} s"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (seconds, result.stdout) if result.returncode == 0 else (None, result.stderr.strip().split("\n")[-1])


def show(seconds):
    return "—" if seconds is None else f"{seconds:.2f} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tilerun")
    parser.add_argument("cases", nargs="*", default=CASES)
    parser.add_argument("--ptxas")
    options = parser.parse_args()
    directory = pathlib.Path(tempfile.mkdtemp())
    environment = dict(os.environ, TILERUN_CACHE="off", TRITON_CACHE_DIR=str(directory / "cache"))
    startup = min(run([options.tilerun, "--version"])[0] or 0 for _ in range(5))

    def assemble(ptx):
        if not options.ptxas or not ptx.exists():
            return None
        return run([options.ptxas, "-arch=sm_90a", str(ptx), "-o", str(directory / "cubin")])[0]

    print("| kernel | elements | warps | Tilerun | Triton | ptxas after Tilerun | ptxas after Triton |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for case in options.cases:
        kernel, block, warps = case.split(":")
        own, theirs = directory / "own.ptx", directory / "theirs.ptx"
        own.unlink(missing_ok=True)
        theirs.unlink(missing_ok=True)
        seconds, message = run([
            options.tilerun, "compile", f"{HERE / 'kernels.py'}::{kernel}", "--signature",
            f"x_ptr=*f32:16, y_ptr=*f32:16, n=i32, BLOCK={block}", "--num-warps", warps, "--target", "cuda:sm_90a",
            "--emit", "ptx", "-o", str(own)], env=environment)
        if seconds is None:
            print(f"{case}: {message}", file=sys.stderr)
        beside, text = run([sys.executable, "-c", TRITON, str(HERE / "kernels.py"), kernel, block, warps, str(theirs)],
                           env=environment)
        times = [seconds and max(seconds - startup, 0), float(text) if beside is not None else None,
                 assemble(own), assemble(theirs)]
        print(f"| `{kernel}` | {int(block):,} | {warps} | " + " | ".join(map(show, times)) + " |", flush=True)


if __name__ == "__main__":
    main()
