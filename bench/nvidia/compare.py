#!/usr/bin/env python3
"""Kernels for NVIDIA GPUs beside Triton's compiler: time to compile, registers, spills and shared memory; needs no GPU.

    bench/nvidia/compare.py [--arch sm_80,sm_90a] [--only PATTERN] [--rounds N] [--page FILE] TILERUN

The interpreter that runs it must have Triton, whose ptxas assembles the code of both. The kernels are those that
bench/gpu/compare.py measures, in blocks of full speed. --page writes docs/results/nvidia-beside-triton.md, which has the columns'
meaning; without it, tables go to the standard output.
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
import beside_triton  # noqa: E402
from beside_triton import Case, geometric_mean, pair, ratio, spent, write_table  # noqa: E402
from beside_triton_page import Comparison  # noqa: E402

ARCHITECTURES = "sm_80,sm_86,sm_89,sm_90a,sm_120"
KERNELS = ROOT / "bench" / "gpu"
SMALL = ("sm_86", "sm_89", "sm_120")  # At most 99 KiB of shared memory for a program.
LARGE = ("sm_80", "sm_90a")
EIGHT_BITS = ("sm_89", "sm_90a", "sm_120")  # Products of 8-bit floats.


def make_cases():
    def product(element, result, block, warps, stages, archs=None, columns=False):
        m, n, k = block.split("x")
        b = "stride_bk=1,stride_bn=i32:16" if columns else "stride_bk=i32:16,stride_bn=1"
        name = f"product {block} {element.replace('fp', 'f')}{', B column-major' if columns else ''}, {warps} warps, {stages} stages"
        return Case(name, KERNELS / "library_kernels.py", "product_kernel",
                    f"a_ptr=*{element}:16,b_ptr=*{element}:16,c_ptr=*{result}:16,M=i32:16,N=i32:16,K=i32:16,stride_am=i32:16,"
                    f"stride_ak=1,{b},stride_cm=i32:16,stride_cn=1,BLOCK_M={m},BLOCK_N={n},BLOCK_K={k},GROUP_M=8,IMPRECISE=None",
                    warps, archs, stages)

    inputs = "q_ptr=*fp16:16,k_ptr=*fp16:16,v_ptr=*fp16:16"

    def attention(head, rows, keys, causal, warps, stages, archs=None):
        name = f"attention {rows}x{keys}, head of {head}{', causal' if causal else ''}, {warps} warps"
        return Case(name, KERNELS / "attention_kernels.py", "attention_kernel",
                    f"{inputs},out_ptr=*fp16:16,lse_ptr=None,tokens=i32:16,stride=i32:16,head_stride=i32:16,scale=fp32,HEAD={head},"
                    f"D={head},BLOCK_M={rows},BLOCK_N={keys},CAUSAL={causal}", warps, archs, stages)

    def backward(kernel, outputs, head, m, n, causal, warps, stages, archs=None):
        name = f"{kernel.replace('_', ' ')} {m}x{n}, head of {head}{', causal' if causal else ''}, {warps} warps"
        return Case(name, KERNELS / "attention_backward_kernels.py", f"{kernel}_kernel",
                    f"{inputs},grad_ptr=*fp16:16,lse_ptr=*fp32:16,delta_ptr=*fp32:16,{outputs},tokens=i32:16,scale=fp32,D={head},"
                    f"BLOCK_M={m},BLOCK_N={n},CAUSAL={causal}", warps, archs, stages)

    def keys(*sizes, **more):
        return backward("key_value_gradient", "grad_k_ptr=*fp16:16,grad_v_ptr=*fp16:16", *sizes, **more)

    def queries(*sizes, **more):
        return backward("query_gradient", "grad_q_ptr=*fp16:16", *sizes, **more)

    def row(kernel, arguments, block, warps, whole=True):
        name = f"{kernel.replace('_', ' ')} {'of' if whole else 'in blocks of'} {block}, {warps} warps"
        return Case(name, KERNELS / "row_kernels.py", f"{kernel}_row_kernel", f"{arguments},BLOCK={block},WHOLE={whole}", warps)

    softmax = "x_ptr=*fp16:16,out_ptr=*fp16:16,columns=i32:16"
    norm = ("x_ptr=*fp16:16,weight_ptr=*fp16:16,bias_ptr=*fp16:16,out_ptr=*fp16:16,mean_ptr=*fp32:16,rstd_ptr=*fp32:16,"
            "columns=i32:16,eps=fp32")
    loss = "x_ptr=*bf16:16,target_ptr=*i64:16,loss_ptr=*fp32:16,grad_ptr=*bf16:16,columns=i32:16,scale=fp32"
    decode = KERNELS / "decode_kernels.py"
    return [
        product("fp16", "fp16", "64x64x32", 4, 4), product("fp16", "fp16", "128x128x32", 4, 4),
        product("fp16", "fp16", "128x128x64", 4, 4, LARGE), product("fp16", "fp16", "128x128x64", 8, 3),
        product("fp16", "fp16", "128x256x64", 8, 3, LARGE), product("fp16", "fp16", "128x256x64", 8, 4, ("sm_90a", )),
        product("fp16", "fp16", "256x128x64", 8, 3, LARGE), product("fp16", "fp16", "128x256x64", 8, 3, LARGE, columns=True),
        product("bf16", "bf16", "128x256x64", 8, 3, LARGE), product("fp32", "fp32", "128x128x32", 8, 3),
        product("fp32", "fp32", "256x128x32", 8, 3, LARGE), product("fp8e4nv", "bf16", "128x128x128", 8, 3, EIGHT_BITS, columns=True),
        product("fp8e4nv", "bf16", "128x256x128", 8, 3, ("sm_90a", ), columns=True),
        product("i8", "i32", "128x128x128", 8, 3, columns=True), product("i8", "i32", "128x256x128", 8, 3, LARGE, columns=True),
        attention(64, 64, 64, False, 4, 2), attention(64, 128, 64, True, 4, 3), attention(128, 128, 64, False, 8, 2),
        attention(128, 128, 128, False, 8, 2, LARGE), attention(128, 128, 128, True, 8, 2, LARGE),
        attention(256, 128, 64, False, 8, 2, ("sm_90a", )),
        keys(64, 64, 64, False, 4, 2), keys(128, 32, 128, True, 8, 2), keys(128, 64, 128, False, 8, 2, archs=LARGE),
        queries(64, 64, 64, False, 4, 2), queries(128, 128, 32, True, 8, 2), queries(128, 128, 64, False, 8, 2, archs=LARGE),
        row("softmax", softmax, 4096, 8), row("softmax", softmax, 32768, 32), row("layer_norm", norm, 8192, 8),
        row("cross_entropy", loss, 8192, 8), row("cross_entropy", loss, 8192, 16, whole=False),
        Case("softmax and its logarithm in blocks of 4096, 16 warps", KERNELS / "graph_kernels.py", "softmax_log_softmax_kernel",
             "x_ptr=*fp16:16,softmax_ptr=*fp16:16,log_softmax_ptr=*fp16:16,x_count=i32:16,r_count=i32:16,X_BLOCK=1,R_BLOCK=4096", 16,
             None, 1),
        Case("decode: product 16x64x128 split along k, 4 warps", decode, "split_product_kernel",
             "a_ptr=*fp16:16,b_ptr=*fp16:16,parts_ptr=*fp32:16,M=i32,N=i32:16,K=i32:16,stride_am=i32:16,stride_ak=1,stride_bk=1,"
             "stride_bn=i32:16,BLOCK_M=16,BLOCK_N=64,BLOCK_K=128,SPLITS=8", 4, None, 4),
        Case("decode: attention over 64 keys, 4 warps", decode, "split_attention_kernel",
             "q_ptr=*fp16:16,k_ptr=*fp16:16,v_ptr=*fp16:16,parts_ptr=*fp32:16,lse_ptr=*fp32:16,tokens=i32:16,scale=fp32,GROUP=8,D=128,"
             "ROWS=16,BLOCK_N=64,SPLITS=8", 4, None, 2),
    ]


#===----------------------------------------------------------------------===#
# Measuring
#===----------------------------------------------------------------------===#


def assemble(ptx, arch, folder):
    """(what ptxas -v says, processor seconds)"""
    import triton
    tools = pathlib.Path(triton.__file__).parent / "backends" / "nvidia" / "bin"
    tool = tools / ("ptxas-blackwell" if number_of(arch) >= 100 else "ptxas")
    (folder / "code.ptx").write_bytes(ptx)
    begin = spent()
    done = subprocess.run([tool, "-v", f"--gpu-name={arch}", folder / "code.ptx", "-o", folder / "cubin"], capture_output=True, text=True,
                          check=True)
    return done.stderr, spent() - begin


def measure(ptx, arch, folder, seconds, shared):
    said, assembling = assemble(ptx, arch, folder)
    field = lambda pattern: sum(map(int, re.findall(pattern, said)))
    return {"seconds": seconds, "ptxas": assembling, "registers": field(r"Used (\d+) registers"), "shared": shared,
            "spills": field(r"(\d+) bytes spill stores") + field(r"(\d+) bytes spill loads")}


def find_package(command):
    """The folder of the package that belongs to a command, of a build or of a bundle."""
    root = pathlib.Path(command).resolve().parent.parent
    for folder in (root / "python", root / "lib" / "tilerun" / "python"):
        if (folder / "tilerun" / "__init__.py").exists():
            return folder
    sys.exit(f"Tilerun's Python package was not found beside '{command}', in '{root / 'python'}' or '{root / 'lib/tilerun/python'}'")


def number_of(arch):
    return int(re.sub(r"\D", "", arch))


class Tilerun(beside_triton.Tilerun):
    """Code is the command's. Times are the package's, in a process that has compiled before."""

    def __init__(self, command, folder):
        super().__init__(command, folder)
        self.worker = subprocess.Popen([sys.executable, ROOT / "bench" / "nvidia" / "worker.py", find_package(command)], text=True,
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.measure_time("sm_90a", make_cases()[0])

    def measure_time(self, arch, case):
        words = "cuda", number_of(arch), case.name, str(case.file), case.kernel, case.signature, case.warps, case.stages
        print(json.dumps(words), file=self.worker.stdin, flush=True)
        answer = self.worker.stdout.readline()
        if not answer:
            sys.exit(f"the process that compiles by Tilerun ended with {self.worker.wait()} at '{case.name}' for {arch}")
        return json.loads(answer)

    def compile(self, arch, case):
        ptx, _ = self.emit(f"cuda:{arch}", case, "ptx")
        said = subprocess.run([self.command, "compile", f"{case.file}::{case.kernel}", "--signature", case.signature, "--target",
                               f"cuda:{arch}", "--num-warps", str(case.warps), "--num-stages", str(case.stages), "--resources", "--json",
                               "-o", str(self.folder / "ptx")], check=True, capture_output=True, text=True, env=self.environment)
        resources = json.loads(said.stdout)["targets"][0]["resources"]
        return measure(ptx, arch, self.folder, self.measure_time(arch, case), resources["shared_bytes"]) | {"threads": resources["threads"]}


class Triton(beside_triton.Triton):
    def __init__(self, folder):
        super().__init__(folder)
        self.folder = folder
        # The first one of a process takes longer.
        self.compile("sm_90a", make_cases()[0])

    def compile(self, arch, case):
        compiled, seconds, _ = self.build("cuda", number_of(arch), 32, case)
        ptx = compiled.asm["ptx"].encode()
        target = re.search(rb"^\.target (\w+)", ptx, re.M)[1].decode()
        return measure(ptx, target, self.folder, seconds, compiled.metadata.shared) | {"threads": 32 * case.warps}


#===----------------------------------------------------------------------===#
# Tables
#===----------------------------------------------------------------------===#

COLUMNS = [("threads", lambda f: f["threads"]), ("registers", lambda f: f["registers"]), ("spilled bytes", lambda f: f["spills"]),
           ("shared bytes", lambda f: f["shared"]), ("to PTX", lambda f: f"{1000 * f['seconds']:.0f} ms"),
           ("ptxas", lambda f: f"{1000 * f['ptxas']:.0f} ms")]


def whole(both):
    sums = [figures["seconds"] + figures["ptxas"] for figures in (both["Tilerun"], both["Triton"])]
    return sums[0] / sums[1]


def mean(of):
    return lambda group: f"{geometric_mean([of(both) for both in group]):.2f}"


def most(of):
    return lambda group: f"{max(of(both) for both in group):.2f}"


def count(of):
    return lambda group: f"{sum(of(both) for both in group)} of {len(group)}"


def write_tables(results, archs, out):
    for arch in archs:
        rows = [[name, *(pair(both, show) for _, show in COLUMNS), f"{ratio(both, 'seconds'):.2f}", f"{whole(both):.2f}"]
                for (a, name), both in results.items() if a == arch]
        if rows:
            print(f"\n## {arch}\n", file=out)
            write_table(["kernel", *(name for name, _ in COLUMNS), "ratio to PTX", "with ptxas"], rows, out)


class NvidiaComparison(Comparison):
    title = "NVIDIA code beside Triton's compiler"
    script = "bench/nvidia/compare.py"
    architectures = ARCHITECTURES
    tilerun, triton = Tilerun, Triton
    make_cases, write_tables = staticmethod(make_cases), staticmethod(write_tables)
    least = ("seconds", "ptxas")

    def goals(self):
        seconds = lambda both: ratio(both, "seconds")
        return [("kernels with more spills than Triton's", "0", count(lambda both: both["Tilerun"]["spills"] > both["Triton"]["spills"])),
                ("… with fewer", "", count(lambda both: both["Tilerun"]["spills"] < both["Triton"]["spills"])),
                ("kernels with more shared memory", "", count(lambda both: both["Tilerun"]["shared"] > both["Triton"]["shared"])),
                ("… with less", "", count(lambda both: both["Tilerun"]["shared"] < both["Triton"]["shared"])),
                ("registers", "", mean(lambda both: ratio(both, "registers"))),
                ("time to PTX", "≤ 0.33", mean(seconds)), ("… of the slowest kernel", "≤ 0.33", most(seconds)),
                ("time of ptxas", "", mean(lambda both: ratio(both, "ptxas"))),
                ("time with ptxas", "≤ 0.33", mean(whole)), ("… of the slowest kernel", "≤ 0.33", most(whole))]

    def describe(self, rounds, is_kept):
        kept = "Figures of Triton were kept from an earlier run (`--triton`).\n" if is_kept else ""
        return f"""Kernels are those that `bench/gpu/compare.py` measures, in blocks of full speed, compiled by both with the same knowledge of their arguments. Registers and
spills (bytes of stores and loads) are what the `ptxas` of Triton's wheel says of either's PTX; it is told nothing else, so that Tilerun's come from its own directives. On sm_90a Tilerun
adds a group of four warps that copies boxes, and divides registers between the groups itself: the number is that at the start.
Times are the least processor time of {rounds} rounds, in random order, of `triton.compile` without its assembler, in a process that has compiled before: of Triton's package, and of Tilerun's, whose build
has assertions and is not optimized further than `-O1`. A launch on a GPU needs the driver's assembler as well, whose time is near that of `ptxas`.
{kept}None of this is a time on a device."""


if __name__ == "__main__":
    NvidiaComparison().main(__doc__)
